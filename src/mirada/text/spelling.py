"""Spelling: what a word shows of itself without being known: its beginnings, its ends and its shape.

A word is read as a bag of ids: its subwords, and after them its spelling, hashed into a table of fixed size. So an
unknown word still ends in -ing or begins with a capital (the features of Ratnaparkhi 1996, hashed as in Weinberger et
al. 2009). The ids are a function of the word, the subwords and the size of the table; nothing else must be kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from zlib import crc32

from mirada.text.normalise import normalise
from mirada.text.subwords import UNKNOWN, Subwords

LONGEST_BEGINNING, LONGEST_END = 3, 4  # characters
LONGEST_SHAPE = 12
MOST_PIECES = 24  # subwords of one word that are read; longer words are told
REPEATED = re.compile(r"(.)\1{2,}")


def features(word: str) -> Iterator[str]:
    """The beginnings and ends of a word in lower case, the word itself, and its shape, each marked by its kind."""
    lower = word.lower()
    for length in range(1, min(LONGEST_BEGINNING, len(lower)) + 1):
        yield f"p{lower[:length]}"
    for length in range(1, min(LONGEST_END, len(lower)) + 1):
        yield f"s{lower[-length:]}"
    yield f"w{lower}"
    yield f"x{shape(word)}"


def shape(word: str) -> str:
    """A word with X for capitals, x for small letters and d for digits; longer runs of one sign become two."""
    signs = "".join("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word)
    return REPEATED.sub(r"\1\1", signs)[:LONGEST_SHAPE]


class Spelling:
    """The ids of words: their subwords, and their features in a table behind those."""

    def __init__(self, subwords: Subwords, table: int) -> None:
        self._subwords, self._table = subwords, table

    def encode_many(self, words: Sequence[str]) -> list[list[int]]:
        """The ids of each word, at most `MOST_PIECES` of them subwords; a word of nothing visible is unknown."""
        pieces = self._subwords.encode_many(words)
        return [
            [*(own[:MOST_PIECES] or [UNKNOWN]), *self._hashed(normalise(word))]
            for own, word in zip(pieces, words, strict=True)
        ]

    def _hashed(self, word: str) -> list[int]:
        first = self._subwords.size
        return [first + _hash(feature) % self._table for feature in features(word)]


@lru_cache(maxsize=100_000)
def _hash(feature: str) -> int:
    return crc32(feature.encode("utf-8", "surrogatepass"))
