"""Dice: every choice of the grammar, a function of the seed alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Weighted(Generic[Item]):
    """Items with their weights, summed up once."""

    def __init__(self, *pairs: tuple[Item, float | int]) -> None:
        self.items = tuple(item for item, _ in pairs)
        self.sums = tuple(accumulate(weight for _, weight in pairs))


class Dice:
    """A source of choices that gives the same ones for the same seed, on every machine."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  (sentences, not secrets)

    def choose(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely as the other."""
        return items[int(self._random.random() * len(items))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random.random() < probability

    def weigh(self, table: Weighted[Item]) -> Item:
        """One of the items, by weight."""
        return self._random.choices(table.items, cum_weights=table.sums)[0]
