"""Scoring: how likely an engine finds a translation that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Scorer(Protocol):
    """What says how likely tokens are: log p(yₜ | y₁ … yₜ₋₁, x)."""

    def score(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[list[float]]:
        """The log-probability of each token of each target; sources and targets end with the end mark."""
