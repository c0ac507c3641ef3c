"""Character n-grams of words, hashed into buckets: what words that are spelt alike share (Bojanowski et al. 2017).

A word is read between the marks < and >, so that a beginning differs from an end: <where> has the 3-grams <wh, whe,
her, ere, re>. The hash is CRC-32, which Python computes in C; fastText's own files of buckets are not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

MOST_PLACES = 100  # characters of a word whose n-grams are counted


@dataclass(frozen=True, slots=True)
class Spelling:
    """Which n-grams a word has, and in how many buckets they fall."""

    shortest: int
    longest: int
    buckets: int

    def grams(self, word: str) -> list[str]:
        """The n-grams of a word, but for the word itself."""
        marked = f"<{word[:MOST_PLACES]}>"
        return [
            marked[start : start + length]
            for length in range(self.shortest, min(self.longest, len(marked) - 1) + 1)
            for start in range(len(marked) - length + 1)
        ]

    def buckets_of(self, word: str) -> list[int]:
        """The buckets of the n-grams of a word."""
        return [crc32(gram.encode("utf-8", "surrogatepass")) % self.buckets for gram in self.grams(word)]

    def table(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The buckets of all words one behind another, and where those of each begin, with the end of all."""
        found = [self.buckets_of(word) for word in words]
        starts = np.concatenate([[0], np.cumsum([len(one) for one in found])]).astype(np.int64)
        return np.array([bucket for one in found for bucket in one], dtype=np.int64), starts


def default_buckets(words: Sequence[str], shortest: int, longest: int) -> int:
    """Buckets that few n-grams of these words must share: the power of two above twice as many as there are."""
    spelling = Spelling(shortest, longest, 1)
    different = len({gram for word in words for gram in spelling.grams(word)})
    return min(2**21, max(16_384, 1 << (2 * different).bit_length()))
