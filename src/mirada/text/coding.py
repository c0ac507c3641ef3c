"""Coding: texts as a model reads them, and its answers as texts, with placeholders in slots on the way.

    text → hide → subwords → ids          ids → subwords → normalise → show → text

What the translator, the scores while training and the test at its end use; a model without slots gets and gives its
symbols literally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mirada.text.normalise import normalise
from mirada.text.slots import findings, hide, numbered, replaced, show, without_marks
from mirada.text.subwords import SPACE, SPECIAL, Subwords


@dataclass(frozen=True, slots=True)
class Coded:
    """The ids of a text, with the end mark, and the symbols that its slots stand for."""

    ids: list[int]
    symbols: tuple[str, ...]


def encode(subwords: Subwords, texts: Sequence[str]) -> list[Coded]:
    """Texts as ids."""
    hidden = [hide(text, subwords.slots) for text in texts]
    ids = subwords.encode_many([one.text for one in hidden], end=True)
    return [Coded(row, one.symbols) for row, one in zip(ids, hidden, strict=True)]


def encode_beside(subwords: Subwords, text: str, source: str) -> list[int]:
    """A translation of a source as ids, without the end mark: its symbols in the slots that they have there."""
    names = (one.name for one in findings(without_marks(source)))
    text = without_marks(text)
    return subwords.encode(replaced(text, findings(text), numbered(names, subwords.slots)))


def decode(subwords: Subwords, rows: Sequence[Sequence[int]], symbols: Sequence[tuple[str, ...]]) -> list[str]:
    """The texts of rows of ids, each with the symbols of its source.

    What is spelt in bytes may hold line breaks and controls that no training text held: they go, but not from symbols.
    """
    said = map(normalise, subwords.decode_many(rows))
    return [show(text, own).strip() for text, own in zip(said, symbols, strict=True)]


def pieces(subwords: Subwords, ids: Sequence[int], symbols: Sequence[str]) -> list[str]:
    """The subwords of ids, a slot as the symbol that it stands for."""
    known, marks = subwords.pieces, range(len(SPECIAL), len(SPECIAL) + subwords.slots)
    return [show(known[one], symbols).replace(" ", SPACE) if one in marks else known[one] for one in ids]
