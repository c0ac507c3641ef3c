"""Batches epoch after epoch, in an order that can be taken up anywhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from mirada.data.position import Position
from mirada.data.stream import AnyBatch

Epoch = tuple[int, Callable[[int], AnyBatch]]  # how many batches an epoch has, and what makes the one of a number


class Epochs(ABC, Generic[AnyBatch]):
    """Batches without end. What an epoch holds follows from its number and a seed, so a run can go on from anywhere."""

    @property
    def remarks(self) -> list[str]:
        """What a user should know of them; nothing, where nothing is left out."""
        return []

    def batches_in(self, epoch: int) -> int:
        """How many batches an epoch has."""
        return self._epoch_of(epoch)[0]

    def from_position(self, position: Position) -> Iterator[tuple[AnyBatch, Position]]:
        """All batches from a position on, without end, each with the position after it."""
        epoch, first = position.epoch, position.batch
        while True:
            count, batch = self._epoch_of(epoch)
            for number in range(first, count):
                yield batch(number), Position(epoch, number + 1) if number + 1 < count else Position(epoch + 1)
            epoch, first = epoch + 1, 0

    @abstractmethod
    def _epoch_of(self, epoch: int) -> Epoch[AnyBatch]:
        """The batches of an epoch."""


def equal_batches(
    order: NDArray[np.int64], rows: int, make: Callable[[NDArray[np.int64]], AnyBatch]
) -> Epoch[AnyBatch]:
    """An epoch of batches with equally many rows, but for the last: pieces of an order, each made into a batch."""
    return -(-len(order) // rows), lambda number: make(order[number * rows :][:rows])
