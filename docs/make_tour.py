"""docs/tour.md and its pictures, made from docs/tour.template.md.

In the template every Python snippet is run, one after the other, and what it printed stands below it;
`<!-- picture 16: causal -->` becomes the picture of a pattern over 16 places, and `<!-- examples -->` the table of
worked examples. `<!-- translator: bahdanau -->` becomes the command that trained one of the three translators, what it
reached and where it looks, and `<!-- translators -->` the three side by side; docs/tour_translators.py trains them.
`<!-- family: bert -->` becomes the same of another family of models, and `<!-- family: gpt lstm -->` several of them in
a table with the first line that each said; docs/tour_families.py trains them.

    python docs/make_tour.py
"""

from __future__ import annotations

import io
import re
import shutil
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import tour_families
import tour_translators
from tour_families import FAMILIES, Ask, Family
from tour_running import DOCS
from tour_translators import COMPARE, KINDS, SENTENCE, STEPS

from mirada.attention import parse
from mirada.viewing.drawing import as_svg
from mirada.viewing.examples import worked_examples

WIDEST = 100  # columns of a command
TEMPLATE = DOCS / "tour.template.md"
NOTICE = "<!-- Made by `make tour` from tour.template.md: change that, not this. -->\n\n"
MARKS = re.compile(
    r"(?P<snippet>^```python\n(?P<code>.*?)^```$)"
    r"|(?P<picture><!-- picture (?P<length>\d+): (?P<pattern>.+?) -->)"
    r"|(?P<examples><!-- examples -->)"
    r"|(?P<translators><!-- translators -->)"
    r"|(?P<translator><!-- translator: (?P<name>[a-z-]+) -->)"
    r"|(?P<family><!-- family: (?P<members>[a-z -]+) -->)",
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
        match mark.lastgroup:  # the one that encloses the others
            case "snippet":
                return f"{mark['snippet']}\n\n```text\n{self._run(mark['code'])}```"
            case "picture":
                return self._draw(mark["pattern"], int(mark["length"]))
            case "examples":
                return table_of_examples()
            case "translators":
                return side_by_side(tour_translators.known())
            case "translator":
                return translator(mark["name"], tour_translators.known())
            case _:
                return told_of(mark["members"].split(), tour_families.known())

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


def named(name: str) -> Family:
    """The family of this name."""
    return next(family for family in FAMILIES if family.name == name)


def told_of(names: list[str], kept: dict[str, Any]) -> str:
    """One family with all that it answered, or several in a table."""
    families = [named(name) for name in names]
    return family(families[0], kept) if len(families) == 1 else in_a_table(families, kept)


def reached(one: Family, kept: dict[str, Any]) -> str:
    """What a family scored."""
    return one.score.format(**kept[one.name]["trained"])


def family(one: Family, kept: dict[str, Any]) -> str:
    """The command of a family, what it cost and reached, and what it answered."""
    found = kept[one.name]
    cost = f"{found['trained']['parameters']:,} parameters, {found['seconds']} seconds of one core"
    told = [*map(shown, one.commands), f"{cost}: **{reached(one, kept)}**."]
    return "\n\n".join([*told, *(answer(ask, said) for ask, said in zip(one.asks, found["said"], strict=True))])


def answer(ask: Ask, said: str) -> str:
    """What a family was asked, and the picture that it drew or the text that it printed."""
    found = f"```text\n{said}\n```" if ask.picture is None else image(ask.picture, ask.words)
    return f"{shown(ask.shown)}\n\n{found}"


def in_a_table(families: list[Family], kept: dict[str, Any]) -> str:
    """The commands of several families, and a table of what each cost, reached and said first."""
    lines = ["| model | parameters | seconds of one core | reached | its first line |", "|---|---|---|---|---|"]
    for one in families:
        found = kept[one.name]
        first = found["said"][0].splitlines()[0].replace("|", "\\|")
        cells = [one.name, f"{found['trained']['parameters']:,}", str(found["seconds"]), reached(one, kept), first]
        lines.append(f"| {' | '.join(cells)} |")
    commands = [shown(one.command) for one in families] + [shown(one.asks[0].shown) for one in families]
    return "\n".join(commands) + "\n\n" + "\n".join(lines)


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
        for name in (*tour_translators.PICTURES, *tour_families.PICTURES):
            shutil.copy(DOCS / "pictures" / name, directory / "pictures" / name)


if __name__ == "__main__":
    tour_translators.train_if_changed()
    tour_families.train_if_changed()
    make(DOCS)
    print(f"{DOCS / 'tour.md'} written")
