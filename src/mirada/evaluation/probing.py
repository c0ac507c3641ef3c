"""Probing heads (Clark et al. 2019, section 4.2): does a head look from a word to the word that it depends on?

Every head is a guess: the word that is looked at most, or, turned round, the word that looks most. So is every fixed
offset ("the next word"). The best guess for a relation is chosen on one half of the sentences and scored on the other:
the best of hundreds is good by chance, but only on the half that it was chosen by.

Legend: A heads, M words, G guesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

NONE = -1  # no word
REACH = 15  # words; offsets from −15 to 15
DIRECTIONS = ("dependent → head", "head → dependent")
OFFSETS = tuple(offset for offset in range(-REACH, REACH + 1) if offset)


def guesses(weights: Float[np.ndarray, "A M M"], seen: Bool[np.ndarray, "M"]) -> Int[np.ndarray, "G M"]:
    """For each word the word that each head points to: all heads one way, then all the other way.

    Nobody points to itself, nor to a word without places of its own, nor anywhere with a weight of 0.
    """
    size = len(seen)
    closed = ~seen[None, :] | ~seen[:, None] | np.eye(size, dtype=np.bool_)
    found = []
    for looks in (weights, weights.transpose(0, 2, 1)):
        open_looks = np.where(closed, 0, looks)
        best = open_looks.argmax(-1)
        nothing = open_looks.max(-1) <= 0
        found.append(np.where(nothing, NONE, best))
    return np.concatenate(found).astype(np.int64)


def offset_guesses(size: int) -> Int[np.ndarray, "G M"]:
    """For each word the word at each fixed offset."""
    places = np.arange(size) + np.array(OFFSETS)[:, None]
    return np.where((places >= 0) & (places < size), places, NONE)


@dataclass(eq=False)
class Counts:
    """Of one relation, on the two halves: how many cases there are, and how many each guess got right."""

    guesses: int
    cases: NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    right: NDArray[np.int64] = field(init=False)
    offsets: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.right = np.zeros((2, self.guesses), dtype=np.int64)
        self.offsets = np.zeros((2, len(OFFSETS)), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Finding:
    """The best head for a relation, how often it is right on the other half, and the best fixed offset there."""

    relation: str
    cases: int
    layer: int  # from 1
    head: int  # from 1
    direction: str
    accuracy: float
    offset: int
    baseline: float

    @property
    def gain(self) -> float:
        """By how much the head beats the offset."""
        return self.accuracy - self.baseline

    def as_json(self) -> dict[str, object]:
        """The finding for programs."""
        return {
            "relation": self.relation,
            "cases": self.cases,
            "layer": self.layer,
            "head": self.head,
            "direction": self.direction,
            "accuracy": round(self.accuracy, 4),
            "offset": self.offset,
            "baseline": round(self.baseline, 4),
        }


class Probe:
    """Counts of all relations, sentence by sentence."""

    def __init__(self, heads: Sequence[tuple[int, int]]) -> None:
        self._heads = list(heads)
        self._counts: dict[str, Counts] = {}

    def add(
        self,
        half: int,
        weights: Float[np.ndarray, "A M M"],
        seen: Bool[np.ndarray, "M"],
        heads: Sequence[int],
        relations: Sequence[str],
    ) -> None:
        """One sentence of a half: the looks between its words, and the head of each word; NONE is the root's."""
        found, fixed = guesses(weights, seen), offset_guesses(len(seen))
        for word, (head, relation) in enumerate(zip(heads, relations, strict=True)):
            if head == NONE or not (seen[word] and seen[head]):
                continue
            counts = self._counts.setdefault(relation, Counts(len(found)))
            counts.cases[half] += 1
            counts.right[half] += found[:, word] == head
            counts.offsets[half] += fixed[:, word] == head

    def findings(self, fewest: int = 1) -> list[Finding]:
        """The relations with so many cases on each half, those with the greatest gain first."""
        found = [self._finding(name, one) for name, one in self._counts.items() if one.cases.min() >= max(1, fewest)]
        return sorted(found, key=lambda one: (-one.gain, one.relation))

    def _finding(self, relation: str, counts: Counts) -> Finding:
        # The first of equals: argmax is deterministic, and an earlier layer is the simpler explanation.
        best, offset = int(counts.right[0].argmax()), int(counts.offsets[0].argmax())
        direction, number = divmod(best, len(self._heads))
        layer, head = self._heads[number]
        cases = int(counts.cases[1])
        return Finding(
            relation,
            cases,
            layer + 1,
            head + 1,
            DIRECTIONS[direction],
            int(counts.right[1, best]) / cases,
            OFFSETS[offset],
            int(counts.offsets[1, offset]) / cases,
        )
