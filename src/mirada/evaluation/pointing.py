"""Pointing at antecedents: of two names that a pronoun could mean, a head means the one that it looks at more.

As in `mirada.evaluation.probing`, the head and the rule to compare with are chosen on one half of the questions and
scored on the other. By chance half of the answers are right.

Legend: A heads, M words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from mirada.evaluation.probing import DIRECTIONS

RULES = ("the nearer name", "the first name")
Names = tuple[range, range]


@dataclass(frozen=True, slots=True)
class Pointing:
    """The best head at pointing from a pronoun to the name that it means, and the best plain rule."""

    cases: int
    layer: int
    head: int
    direction: str
    accuracy: float
    rule: str
    baseline: float

    def as_json(self) -> dict[str, object]:
        """The result for programs."""
        return {
            "cases": self.cases,
            "layer": self.layer,
            "head": self.head,
            "direction": self.direction,
            "accuracy": round(self.accuracy, 4),
            "rule": self.rule,
            "baseline": round(self.baseline, 4),
        }


class PointingProbe:
    """Counts of right answers, question by question."""

    def __init__(self, heads: Sequence[tuple[int, int]]) -> None:
        self._heads = list(heads)
        self._cases = [0, 0]
        self._right = np.zeros((2, len(DIRECTIONS) * len(heads)))
        self._rules = np.zeros((2, len(RULES)))

    def add(
        self,
        half: int,
        weights: Float[np.ndarray, "A M M"],
        seen: Bool[np.ndarray, "M"],
        pronoun: int,
        names: Names,
        right: int,
    ) -> None:
        """One question of a half; one whose pronoun or name has no places of its own is left out."""
        if not seen[pronoun] or not all(seen[list(name)].any() for name in names):
            return
        self._cases[half] += 1
        self._right[half] += _right(weights, pronoun, names, right)
        away = [min(abs(word - pronoun) for word in name) for name in names]
        first = int(names[1].start < names[0].start)
        self._rules[half] += [int(away[1] < away[0]) == right, first == right]

    def result(self) -> Pointing:
        """The best head of the first half, as it does on the second."""
        if min(self._cases) == 0:
            raise ValueError("no question could be asked on one of the two halves; give a file with more")
        best, rule = int(self._right[0].argmax()), int(self._rules[0].argmax())
        direction, number = divmod(best, len(self._heads))
        layer, head = self._heads[number]
        cases = self._cases[1]
        accuracy, baseline = float(self._right[1, best]) / cases, float(self._rules[1, rule]) / cases
        return Pointing(cases, layer + 1, head + 1, DIRECTIONS[direction], accuracy, RULES[rule], baseline)


def _right(weights: NDArray[np.float32], pronoun: int, names: Names, right: int) -> NDArray[np.float64]:
    """1 for each guess that means the right name, ½ for one that cannot choose (a place that it may not look at)."""
    sides = weights[:, pronoun], weights[:, :, pronoun]
    looks = np.stack([np.concatenate([side[:, list(name)].max(-1) for side in sides]) for name in names])
    return np.where(looks[0] == looks[1], 0.5, looks[right] > looks[1 - right])
