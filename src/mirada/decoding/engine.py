"""What a translator sees of an engine: languages, subwords, and decoding of ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from mirada.decoding.demand import Demand
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.options import Search
from mirada.text.subwords import Subwords

SHORTEST_LIMIT, LONGEST_LIMIT = 16, 1_024  # tokens of a source: room for words, and an end to what memory must bear

Link = tuple[int, int]


@dataclass(frozen=True, slots=True)
class About:
    """What a model is for, and how much it can read at once."""

    source: str  # languages, BCP-47
    target: str
    longest_trained: int  # most tokens that a text of the training data had
    places: int | None = None  # how many places the model has vectors for; None where it knows every place
    context: int = 0  # sentences before a text that are read with it
    text_trained: int = 0  # most tokens of a text without those; 0 where it is not told apart

    @property
    def longest(self) -> int:
        """The most tokens, with the end mark, of a source that is read whole, with what stands before it."""
        return self._bounded(self.longest_trained)

    @property
    def longest_text(self) -> int:
        """The most tokens, with the end mark, of a text that is not divided."""
        return self._bounded(self.text_trained or self.longest_trained)

    def _bounded(self, trained: int) -> int:
        trained = min(max(trained, SHORTEST_LIMIT), LONGEST_LIMIT)
        return trained if self.places is None else min(trained, self.places)


@runtime_checkable
class Decoder(Protocol):
    """What finds hypotheses. A source is ids with the end mark; a target has none."""

    def decode(
        self, sources: Sequence[Sequence[int]], search: Search, demands: Sequence[Demand] = ()
    ) -> list[list[Hypothesis]]:
        """The `n_best` hypotheses of every source, at least one, best first, in the order of the sources.

        `demands` are none, or one for each source.
        """

    def reined(self) -> Decoder:
        """The same, but it may say no n-gram twice, and must say something."""


@runtime_checkable
class Engine(Decoder, Protocol):
    """A model that is ready to decode, and to say where it looked."""

    @property
    def name(self) -> str:
        """What computes."""

    @property
    def about(self) -> About:
        """What the model is for."""

    @property
    def subwords(self) -> Subwords:
        """The pieces that its ids stand for."""

    def require_alignment(self) -> None:
        """Raise where the model cannot say where it looks."""

    def align(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], before: Sequence[int] = ()
    ) -> list[list[Link]]:
        """For each token of each target the token of its source that was looked at most, when it was chosen.

        `before` are none, or for each source the number of its first ids that only stand before the text: no token is
        linked to them, and those of the text are counted behind them.
        """
