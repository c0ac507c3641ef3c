"""docs/tour.md and its pictures, made from docs/tour.template.md.

In the template every Python snippet is run, one after the other, and what it printed stands below it;
`<!-- picture 16: causal -->` becomes the picture of a pattern over 16 places, and `<!-- examples -->` the table of
worked examples. `<!-- translator: bahdanau -->` becomes the command that trained one of the three translators, what it
reached and where it looks, and `<!-- translators -->` the three side by side; docs/tour_translators.py trains them.

    python docs/make_tour.py
"""

from __future__ import annotations

import io
import re
import shutil
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tour_translators import COMPARE, KINDS, PICTURES, SENTENCE, STEPS, known, train_if_changed

from mirada.attention import parse
from mirada.viewing.drawing import as_svg
from mirada.viewing.examples import worked_examples

DOCS = Path(__file__).parent
WIDEST = 100  # columns of a command
TEMPLATE = DOCS / "tour.template.md"
NOTICE = "<!-- Made by `make tour` from tour.template.md: change that, not this. -->\n\n"
MARKS = re.compile(
    r"(?P<snippet>^```python\n(?P<code>.*?)^```$)"
    r"|(?P<picture><!-- picture (?P<length>\d+): (?P<pattern>.+?) -->)"
    r"|(?P<examples><!-- examples -->)"
    r"|(?P<translators><!-- translators -->)"
    r"|(?P<one><!-- translator: (?P<name>[a-z-]+) -->)",
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
        if mark["translators"]:
            return side_by_side(known())
        return translator(mark["name"], known()) if mark["one"] else table_of_examples()

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


def translator(name: str, kept: dict[str, Any]) -> str:
    """The command of one translator, what it cost and reached, what it says, and its picture if it looks."""
    kind = next(kind for kind in KINDS if kind.name == name)
    row = next(row for row in kept["models"] if row["model"] == name)
    cost = f"{row['parameters']:,} parameters, {STEPS} steps in {kept['seconds'][name]} seconds of one core"
    scores = f"BLEU {row['bleu']['score']:.1f}, chrF {row['chrf']['score']:.1f}"
    told = [
        shown(kind.command),
        f"{cost}: **{scores}** on {kept['sentences']} sentences whose combinations of words it never met.",
        f"> {SENTENCE}\n>\n> {kept['said'][name]}",
    ]
    if kind.picture is not None:
        told += [shown(kind.view), image(kind.picture, f"Where the translator {name} looks when it writes a word")]
    return "\n\n".join(told)


def side_by_side(kept: dict[str, Any]) -> str:
    """All translators in a table, the scores by length, and the command that made both."""
    lines = ["| translator | parameters | seconds of one core to train | BLEU | chrF |", "|---|---|---|---|---|"]
    lines += [
        f"| {row['model']} | {row['parameters']:,} | {kept['seconds'][row['model']]} "
        f"| {row['bleu']['score']:.1f} | {row['chrf']['score']:.1f} |"
        for row in kept["models"]
    ]
    picture = image("by-length.svg", "BLEU and chrF of the three translators by the words of the source")
    return "\n\n".join([shown(COMPARE), "\n".join(lines), picture])


def shown(command: str) -> str:
    """A command as a block, in lines that can be pasted into a shell, an option and its value together."""
    first, *options = re.split(r" (?=--)", command)
    lines = [first]
    for option in options:
        if len(lines[-1]) + 1 + len(option) <= WIDEST:
            lines[-1] += f" {option}"
        else:
            lines.append(option)
    return "    " + " \\\n        ".join(lines)


def image(name: str, words: str) -> str:
    """A picture that stands in docs/pictures."""
    return f'<img src="pictures/{name}" alt="{words}">'


def make(directory: Path) -> None:
    """Write tour.md and its pictures into this directory."""
    tour = Tour()
    text = tour.text(TEMPLATE.read_text(encoding="utf-8"))
    (directory / "pictures").mkdir(parents=True, exist_ok=True)
    (directory / "tour.md").write_text(text, encoding="utf-8", newline="\n")
    for name, picture in tour.pictures.items():
        (directory / "pictures" / name).write_text(picture, encoding="utf-8", newline="\n")
    if directory != DOCS:
        for name in PICTURES:
            shutil.copy(DOCS / "pictures" / name, directory / "pictures" / name)


if __name__ == "__main__":
    train_if_changed()
    make(DOCS)
    print(f"{DOCS / 'tour.md'} written")
