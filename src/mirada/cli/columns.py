"""`--columns en,de`: which columns of a table hold the two languages, or what each column is."""

from mirada.cli.failure import fail


def two_columns(columns: str | None) -> list[str] | None:
    """The two columns in `--columns en,de`."""
    if columns is None:
        return None
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2 or not all(names):
        fail(f"--columns {columns} does not name two columns; write the source's, a comma and the target's: en,de")
    return names


def named_columns(columns: str | None) -> list[str]:
    """All columns in `--columns label,text`."""
    names = [] if columns is None else [name.strip() for name in columns.split(",")]
    if columns is not None and (len(names) < 2 or not all(names) or len(set(names)) != len(names)):
        fail(f"--columns {columns} does not name different columns; name all of the table in their order: label,text")
    return names
