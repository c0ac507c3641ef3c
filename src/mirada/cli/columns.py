"""`--columns en,de`: which columns of a table hold the two languages."""

from mirada.cli.failure import fail


def two_columns(columns: str | None) -> list[str] | None:
    """The two columns in `--columns en,de`."""
    if columns is None:
        return None
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2 or not all(names):
        fail(f"--columns {columns} does not name two columns; write the source's, a comma and the target's: en,de")
    return names
