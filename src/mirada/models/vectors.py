"""Word vectors that are ready to be asked: which words are near, what completes an analogy.

Legend: V words, W width.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from mirada.text.ngrams import Spelling
from mirada.text.word_list import Words

SMALLEST = 1e-12  # a length below this is that of a word without a direction


@dataclass(frozen=True, slots=True)
class Near:
    """A word, and the cosine of its angle to what was asked for."""

    word: str
    similarity: float

    def as_json(self) -> dict[str, object]:
        """The word for programs."""
        return {"word": self.word, "similarity": self.similarity}


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words with their vectors; with vectors of n-grams, words that were never met have one, too."""

    words: Words
    table: Float[NDArray[np.float32], "V W"]
    grams: Float[NDArray[np.float32], "G W"] | None = None
    spelling: Spelling | None = None

    @property
    def width(self) -> int:
        """The numbers of a vector."""
        return int(self.table.shape[1])

    @cached_property
    def directions(self) -> Float[NDArray[np.float32], "V W"]:
        """All vectors with length 1."""
        return self.table / np.maximum(np.linalg.norm(self.table, axis=1, keepdims=True), SMALLEST)

    def find(self, word: str) -> Float[NDArray[np.float32], "W"] | None:
        """The vector of a word, from its n-grams where it was never met; None where nothing is known of it."""
        number = self.words.find(word)
        if number is not None:
            return self.table[number]
        if self.grams is None or self.spelling is None:
            return None
        known = self.grams[self.spelling.buckets_of(word.lower() if self.words.lower else word)]
        known = known[np.abs(known).max(axis=1, initial=0) > 0]  # a bucket that nothing fell into says nothing
        return known.mean(axis=0) if len(known) else None

    def direction(self, word: str) -> Float[NDArray[np.float32], "W"]:
        """The vector of a word with length 1."""
        found = self.find(word)
        if found is None:
            raise ValueError(f"'{word}' is not among the {len(self.words):,} words; use one of the training text")
        return found / max(float(np.linalg.norm(found)), SMALLEST)

    def similarity(self, one: str, other: str) -> float:
        """The cosine of the angle between two words."""
        return float(self.direction(one) @ self.direction(other))

    def nearest(self, word: str, count: int = 10) -> list[Near]:
        """The words whose vectors point most nearly where that of a word does."""
        return self._around(self.direction(word), (word,), count)

    def analogy(self, one: str, other: str, third: str, count: int = 10) -> list[Near]:
        """What is to `third` as `other` is to `one`: the words nearest to other − one + third (3CosAdd)."""
        wanted = self.direction(other) - self.direction(one) + self.direction(third)
        return self._around(wanted / max(float(np.linalg.norm(wanted)), SMALLEST), (one, other, third), count)

    def _around(self, direction: Float[NDArray[np.float32], "W"], asked: tuple[str, ...], count: int) -> list[Near]:
        """The nearest words, but for those that were asked about."""
        found = self.directions @ direction
        numbers = [number for word in asked if (number := self.words.find(word)) is not None]
        found[numbers] = -np.inf
        most = min(count, len(found) - len(set(numbers)))
        return [Near(self.words.words[number], float(found[number])) for number in _largest(found, most)]


def _largest(values: Float[NDArray[np.float32], "V"], count: int) -> Int[NDArray[np.int64], "N"]:
    """The places of the largest values, the largest first; of equals, the first."""
    if count <= 0:
        return np.zeros(0, dtype=np.int64)
    chosen = np.sort(np.argpartition(-values, count - 1)[:count])
    return chosen[np.argsort(-values[chosen], kind="stable")]
