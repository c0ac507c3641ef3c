"""`mirada gallery`: the patterns drawn, and the worked examples."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.columns import Columns
    from rich.table import Table

GALLERY = (
    "full",
    "causal",
    "window(3, 0)",
    "window(2, 2)",
    "strided(4)",
    "fixed(4, 1)",
    "grid(4, 4, 1)",
    "causal & (window(3, 0) | strided(4))",
)
LENGTH = 16  # places of a drawing: two fit side by side in 80 columns


def gallery() -> None:
    """Show every attention pattern, and the formula worked by hand."""
    from rich.console import Console

    console = Console()
    console.print(_drawings(console.encoding))
    console.print(_examples())


def _drawings(encoding: str) -> "Columns":
    """Drawings side by side, as many as the terminal's width holds."""
    from rich.columns import Columns
    from rich.text import Text

    from mirada.attention.pattern import parse
    from mirada.viewing.drawing import as_text, glyphs_for

    glyphs = glyphs_for(encoding)
    drawings = [f"{pattern}\n{as_text(parse(pattern), LENGTH, glyphs)}\n" for pattern in GALLERY]
    return Columns([Text(drawing, no_wrap=True) for drawing in drawings], padding=(0, 2), equal=True)


def _examples() -> "Table":
    """The worked examples, one in each row."""
    from rich.table import Table
    from rich.text import Text

    from mirada.viewing.examples import worked_examples

    table = Table(title="Worked examples", title_justify="left", show_lines=True)
    for heading in ("example", "formula", "result"):
        table.add_column(heading)
    for example in worked_examples():
        table.add_row(*map(Text, (example.title, example.formula, example.result)))
    return table
