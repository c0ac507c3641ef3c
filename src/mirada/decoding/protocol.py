"""What decoding sees of a model: start, step, and a state whose rows can be chosen.

Legend: R rows, T vocabulary, B sentences, S source places.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention import Padding

Same = TypeVar("Same")


@runtime_checkable
class State(Protocol):
    """What a model remembers between two steps, one row for each sequence."""

    def select(self: Same, rows: Int[Tensor, "R2"]) -> Same:
        """The state of these rows, in this order; a row may be chosen twice or not at all."""


S = TypeVar("S", bound=State)


@runtime_checkable
class Steps(Protocol[S]):
    """A model that says, step by step, how likely each token is to be the next."""

    def step(self, tokens: Int[Tensor, "R"], state: S) -> tuple[Float[Tensor, "R T"], S]:
        """The log-probabilities of the next token after these, and the state after them."""


@runtime_checkable
class Reader(Steps[S], Protocol[S]):
    """A model that reads sources before it says anything."""

    def start(self, source: Int[Tensor, "B S"], padding: Padding | None) -> S:
        """The state before the first step."""
