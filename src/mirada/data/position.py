"""Where a run stands in its data, and how it goes on from there without end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run stands in its data: the epoch, and the next batch of it."""

    epoch: int = 0
    batch: int = 0


def endless(
    position: Position, epoch_of: Callable[[int], tuple[int, Callable[[int], T]]]
) -> Iterator[tuple[T, Position]]:
    """All batches from a position on, epoch after epoch, each with the position after it.

    `epoch_of` tells how many batches an epoch has, and makes the one of a number.
    """
    epoch, first = position.epoch, position.batch
    while True:
        count, batch = epoch_of(epoch)
        for number in range(first, count):
            yield batch(number), Position(epoch, number + 1) if number + 1 < count else Position(epoch + 1)
        epoch, first = epoch + 1, 0
