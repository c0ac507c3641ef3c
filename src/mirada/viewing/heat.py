"""A heat map for the terminal: queries down, keys across, darker where more is looked at.

The shade of a cell says its weight without any colour; where there is colour, it is said twice.

Legend: Q queries, K keys.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len, set_cell_size
from rich.console import Group
from rich.text import Text

from mirada.text.subwords import SPACE
from mirada.viewing.contract import Sequence, View
from mirada.viewing.packing import unpack
from mirada.viewing.rollout import GROUP as ROLLOUT

BLOCKS = ("  ", "░░", "▒▒", "▓▓", "██")
ASCII = ("  ", "..", "::", "**", "##")
STEPS = (0.02, 0.10, 0.30, 0.60)  # from here on a weight has the next shade
COLOURS = ("#8ea6f5", "#6384ee", "#4a67dc", "#3457c9")
TALLEST = 12  # letters of a key's label, which stands upright
WIDEST = 24  # columns of a query's label


@dataclass(frozen=True, slots=True)
class Chosen:
    """A map, and a head of it; None is the mean over its heads."""

    number: int
    head: int | None


def choose(view: View, group: str | None = None, layer: int | None = None, head: int | None = None) -> Chosen:
    """The map of a group, layer and head, both counted from 1; what is not said is as the page starts."""
    group = view.start.group if group is None else group
    layers = {one.layer + 1: number for number, one in enumerate(view.maps) if one.group == group}
    if not layers:
        known = ", ".join(dict.fromkeys(one.group for one in view.maps))
        raise ValueError(f"this model has no look called {group!r}; it has {known}")
    usual = view.start.layer + 1 if group == view.start.group else max(layers)
    number = layers.get(usual if layer is None else layer)
    if number is None:
        raise ValueError(f"layer = {layer}, but the layers of {group} are 1 to {max(layers)}")
    heads = view.maps[number].heads
    if head is not None and not 1 <= head <= heads:
        raise ValueError(f"head = {head}, but the heads of {group} are 1 to {heads}; leave it out for their mean")
    return Chosen(number, None if head is None else head - 1)


def title(view: View, chosen: Chosen) -> str:
    """What a heat map shows, in a line."""
    found = view.maps[chosen.number]
    head = "mean of the heads" if chosen.head is None else f"head {chosen.head + 1}"
    which = "" if found.group == ROLLOUT else f", layer {found.layer + 1}, {head}"  # which is of all layers and heads
    return f"{found.group}{which}: {found.queries} ↓ looks at {found.keys} →"


def heat_map(view: View, chosen: Chosen, width: int, *, subwords: bool = False, ascii_only: bool = False) -> Group:
    """The weights of a head between words or subwords, in as many blocks as the terminal's width asks for."""
    found = view.maps[chosen.number]
    rows, columns = Axis.of(view.sequences[found.queries], subwords), Axis.of(view.sequences[found.keys], subwords)
    weights = between(view, chosen, rows, columns)
    shades = ASCII if ascii_only else BLOCKS
    labels = min(WIDEST, max(map(cell_len, rows.labels)))
    room = max(1, (width - labels - 1) // 2)
    blocks = []
    for start in range(0, len(columns.labels), room):
        block = slice(start, start + room)
        blocks.append(_block(rows.labels, columns.labels[block], weights[:, block], labels, shades))
    return Group(*blocks)


@dataclass(frozen=True)
class Axis:
    """What is shown along one side: the labels, and the tokens of each."""

    labels: list[str]
    tokens: list[list[int]]

    @classmethod
    def of(cls, sequence: Sequence, subwords: bool) -> Axis:
        """The words of a sequence, or its subwords."""
        numbers = range(len(sequence.words)) if subwords else sequence.words
        tokens: dict[int, list[int]] = {}
        for token, number in enumerate(numbers):
            tokens.setdefault(number, []).append(token)
        found = list(tokens.values())
        return cls([_label(sequence, one) for one in found], found)


def _label(sequence: Sequence, tokens: list[int]) -> str:
    mark = sequence.marks.get(tokens[0])
    text = "".join(sequence.labels[token] for token in tokens).replace(SPACE, " ").strip()
    # A control character would move the cursor of a terminal, and some are attacks.
    return f"<{mark}>" if mark else "".join(one if one.isprintable() else "�" for one in text) or "_"


def between(view: View, chosen: Chosen, rows: Axis, columns: Axis) -> NDArray[np.float32]:
    """α between words: the mean over the tokens that look, the sum over those that are looked at."""
    weights = unpack(view, chosen.number)
    table = weights.mean(0) if chosen.head is None else weights[chosen.head]
    looking = np.stack([table[tokens].mean(0) for tokens in rows.tokens])
    return np.stack([looking[:, tokens].sum(1) for tokens in columns.tokens], axis=1)


def _block(
    rows: list[str], columns: list[str], weights: NDArray[np.float32], labels: int, shades: tuple[str, ...]
) -> Text:
    text = Text(no_wrap=True)
    for line in _upright(columns):
        text.append(" " * (labels + 1) + line.rstrip() + "\n", style="dim")
    for label, row in zip(rows, weights, strict=True):
        text.append(_right(label, labels) + " ")
        for weight in row.tolist():
            level = sum(abs(weight) >= step for step in STEPS)
            text.append(shades[level], style=COLOURS[level - 1] if level else "")
        text.append("\n")
    return text


def _upright(labels: list[str]) -> list[str]:
    """Labels written from top to bottom, two columns each, all ending at the same line."""
    cut = [label if len(label) <= TALLEST else label[: TALLEST - 1] + "…" for label in labels]
    tall = max(map(len, cut))
    lines = zip(*(label.rjust(tall) for label in cut), strict=True)
    return ["".join(set_cell_size(letter, 2) for letter in line) for line in lines]


def _right(label: str, width: int) -> str:
    if cell_len(label) > width:
        label = set_cell_size(label, width - 1).rstrip() + "…"
    return " " * (width - cell_len(label)) + label
