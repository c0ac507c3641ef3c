"""Spans: which given word each piece of a text belongs to, whatever the pieces are and wherever spaces stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from mirada.text.subwords import SPACE, SPECIAL, Subwords

NOBODY = -1  # the word of a piece that belongs to none


def piece_sizes(subwords: Subwords) -> NDArray[np.int64]:
    """How many bytes of a text each piece spells, spaces not counted."""
    sizes = np.array([len(piece.replace(SPACE, "").encode()) for piece in subwords.pieces], dtype=np.int64)
    sizes[subwords.is_byte] = 1
    sizes[list(SPECIAL)] = 0
    return sizes


def size_of(word: str) -> int:
    """How many bytes a word has, spaces not counted."""
    return len("".join(word.split()).encode())


def words_at(pieces: Sequence[int], words: Sequence[int]) -> list[int] | None:
    """The number of the word in which each piece begins, by the sizes of both; None where they spell not the same.

    A piece that begins in a word and ends in the next belongs to the first; the second has then no piece of its own.
    """
    if sum(pieces) != sum(words):
        return None
    ends = list(accumulate(words))
    starts = [0, *accumulate(pieces)][:-1]
    found = [bisect_right(ends, start) for start in starts]
    return [NOBODY if word == len(words) else word for word in found]
