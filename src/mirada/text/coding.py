"""Coding: texts as a model reads them, and its answers as texts, with placeholders in slots on the way.

    text → hide → subwords → ids          ids → subwords → normalise → show → text

What the translator, the scores while training and the test at its end use; a model without slots gets and gives its
symbols literally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from mirada.text.context import Context, counts_of, fitting
from mirada.text.normalise import normalise
from mirada.text.slots import findings, hide, numbered, replaced, show, without_marks
from mirada.text.subwords import SPACE, SPECIAL, Subwords


@dataclass(frozen=True, slots=True)
class Coded:
    """The ids of a text, with the end mark, and the symbols that its slots stand for.

    The first `before` ids are those of sentences that stand before the text and are read with it.
    """

    ids: list[int]
    symbols: tuple[str, ...]
    before: int = 0


def encode(subwords: Subwords, texts: Sequence[str]) -> list[Coded]:
    """Texts as ids."""
    hidden = [hide(text, subwords.slots) for text in texts]
    ids = subwords.encode_many([one.text for one in hidden], end=True)
    return [Coded(row, one.symbols) for row, one in zip(ids, hidden, strict=True)]


def preceded(
    subwords: Subwords, coded: Sequence[Coded], contexts: Sequence[Context], longest: int | None
) -> list[Coded]:
    """Texts behind the sentences that stand before them, as many as leave a source no longer than `longest` ids."""
    if not any(contexts):
        return list(coded)
    texts = list(dict.fromkeys(chain.from_iterable(contexts)))
    known = dict(zip(texts, subwords.encode_many(list(map(without_marks, texts)), end=True), strict=True))
    rows = [[*(known[text] for text in context), one.ids] for one, context in zip(coded, contexts, strict=True)]
    lengths = np.array([len(ids) for row in rows for ids in row], dtype=np.int64)
    read = iter(fitting(lengths, counts_of(contexts), longest).tolist())
    fitted = [[ids for ids in row if next(read)] for row in rows]
    return [
        Coded(list(chain.from_iterable(row)), one.symbols, sum(map(len, row[:-1])))
        for one, row in zip(coded, fitted, strict=True)
    ]


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
    if min(ids, default=marks.stop) >= marks.stop:  # no slots, as in most texts
        return [known[one] for one in ids]
    return [show(known[one], symbols).replace(" ", SPACE) if one in marks else known[one] for one in ids]
