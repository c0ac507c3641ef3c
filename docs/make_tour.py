"""docs/tour.md and its pictures, made from docs/tour.template.md.

In the template every Python snippet is run, one after the other, and what it printed stands below it;
`<!-- picture 16: causal -->` becomes the picture of a pattern over 16 places, and `<!-- examples -->` the table of
worked examples.

    python docs/make_tour.py
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from mirada.attention import parse
from mirada.viewing.drawing import as_svg
from mirada.viewing.examples import worked_examples

DOCS = Path(__file__).parent
TEMPLATE = DOCS / "tour.template.md"
NOTICE = "<!-- Made by `make tour` from tour.template.md: change that, not this. -->\n\n"
MARKS = re.compile(
    r"(?P<snippet>^```python\n(?P<code>.*?)^```$)"
    r"|(?P<picture><!-- picture (?P<length>\d+): (?P<pattern>.+?) -->)"
    r"|(?P<examples><!-- examples -->)",
    re.MULTILINE | re.DOTALL,
)


class Tour:
    """A tour in the making: what its snippets have defined so far, and the pictures it shows."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.pictures: dict[str, str] = {}

    def text(self, template: str) -> str:
        """The template with every mark replaced by what it asks for."""
        return NOTICE + MARKS.sub(self._replace, template)

    def _replace(self, mark: re.Match[str]) -> str:
        if mark["snippet"]:
            return f"{mark['snippet']}\n\n```text\n{self._run(mark['code'])}```"
        if mark["picture"]:
            return self._draw(mark["pattern"], int(mark["length"]))
        return table_of_examples()

    def _run(self, code: str) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, TEMPLATE.name, "exec"), self.names)
        return printed.getvalue()

    def _draw(self, text: str, length: int) -> str:
        pattern = parse(text)
        name = f"{file_name(str(pattern))}.svg"
        self.pictures[name] = as_svg(pattern, length)
        words = f"The pattern {pattern} over {length} places"
        return f'<img src="pictures/{name}" width="360" alt="{words.replace("&", "&amp;")}">'


def file_name(pattern: str) -> str:
    """A pattern's text as the name of a file: `window(8, 0) & strided(4)` is window-8-0-and-strided-4."""
    words = pattern.replace("&", " and ").replace("|", " or ")
    return "-".join(re.findall(r"[a-z0-9]+", words))


def table_of_examples() -> str:
    """The worked examples as a table."""
    lines = ["| example | formula | result |", "|---|---|---|"]
    lines += [f"| {example.title} | {example.formula} | {example.result} |" for example in worked_examples()]
    return "\n".join(lines)


def make(directory: Path) -> None:
    """Write tour.md and its pictures into this directory."""
    tour = Tour()
    text = tour.text(TEMPLATE.read_text(encoding="utf-8"))
    (directory / "pictures").mkdir(parents=True, exist_ok=True)
    (directory / "tour.md").write_text(text, encoding="utf-8", newline="\n")
    for name, picture in tour.pictures.items():
        (directory / "pictures" / name).write_text(picture, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    make(DOCS)
    print(f"{DOCS / 'tour.md'} written")
