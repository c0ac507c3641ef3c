"""What a model said at a text, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mirada.text.subwords import SPACE
from mirada.viewing.contract import Candidate, Step, View
from mirada.viewing.lens import cells_of

SHOWN = 5  # candidates of a line
WIDEST = 14  # letters of a token in the table of the lens


def told(view: View) -> Iterator[str]:
    """The text, and what the model says to it."""
    yield plain(view.text)
    if view.task in ("translation", "caption"):
        yield plain(view.translation if view.reference is None else f"{view.reference}\n({view.translation})")
    if view.task == "lm" and view.score is not None:
        yield f"mean log-probability of a token: {view.score:.3f}"
    if view.said:
        yield _shares(view.said)
    for step in view.steps:
        if step.token is None or view.task in ("mlm", "tag"):
            yield f"{_where(view, step)}: {_shares(step.candidates)}"


def _where(view: View, step: Step) -> str:
    """The word that a step is about."""
    read = view.sequences["read"]
    if step.place is None or step.place >= len(read.labels):
        return "next"
    word = read.words[step.place]
    pieces = [label for label, number in zip(read.labels, read.words, strict=True) if number == word]
    return token("".join(pieces))


def _shares(candidates: Sequence[Candidate]) -> str:
    return ", ".join(f"{token(one.token)} {one.probability:.1%}" for one in candidates[:SHOWN])


def lens_table(view: View) -> Iterator[str]:
    """The likeliest token of each layer at each step: a line for each step, since texts are longer than models."""
    if view.lens is None:
        return
    cells = cells_of(view.lens)
    heads = [f"layer {layer + 1}" for layer in range(view.lens.layers)]
    yield _row("", heads)
    for place, step in enumerate(view.steps):
        best = [row[place][0] for row in cells]
        said = [f"{_cut(token(one.token), WIDEST - 5)} {one.probability:>4.0%}" for one in best]
        yield _row("→ …" if step.token is None else f"→ {token(step.token)}", said)


def _row(label: str, cells: Sequence[str]) -> str:
    return (f"{_cut(label, WIDEST):<{WIDEST}}  " + "".join(f"{cell:<{WIDEST + 2}}" for cell in cells)).rstrip()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def token(piece: str) -> str:
    """A piece as it is read, its space left out."""
    return plain(piece.replace(SPACE, " ").strip()) or "␣"


def plain(text: str) -> str:
    """A text without what would move the cursor of a terminal: some of it is attacks."""
    return "".join(one if one.isprintable() or one == "\n" else "�" for one in text)
