"""What training sees of data: batches without end, in an order that can be taken up anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from torch import Tensor

from mirada.data.position import Position


@runtime_checkable
class Learnable(Protocol):
    """A batch of any task."""

    @property
    def expected(self) -> Tensor:
        """What should be said, one row for each place that counts: the loss of the batch is their mean."""

    @property
    def tokens(self) -> int:
        """How many tokens were read, padding left out."""


AnyBatch = TypeVar("AnyBatch", bound=Learnable)
Given_co = TypeVar("Given_co", bound=Learnable, covariant=True)


@runtime_checkable
class Batches(Protocol[Given_co]):
    """The batches of a corpus, epoch after epoch: a function of seed and epoch."""

    @property
    def tokens(self) -> int:
        """The tokens of one epoch."""

    @property
    def remarks(self) -> Sequence[str]:
        """What a user should know of them, such as what was left out."""

    def batches_in(self, epoch: int) -> int:
        """How many batches an epoch has."""

    def from_position(self, position: Position) -> Iterator[tuple[Given_co, Position]]:
        """All batches from a position on, without end, each with the position after it."""
