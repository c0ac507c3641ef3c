"""The question that every kernel answers, with one signature.

Legend: B batch, H heads, G key or value heads, Q queries, K keys, N places, E edges, D key width, V value width,
W model width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from mirada.attention.neighbourhood import Neighbourhood
from mirada.attention.pattern import Full
from mirada.attention.position import RelativePositions
from mirada.attention.score import Scorer


@dataclass(frozen=True, eq=False)
class Origin:
    """What queries, keys and values were made of, and how they are made of it again.

    A kernel that computes again backward keeps the states, which the maps keep in any case, instead of all three.
    """

    states: Float[Tensor, "B N W"]
    make: Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]

    def transposed(self) -> Origin:
        """The same with heads and places of all three exchanged."""

        def make(states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            queries, keys, values = self.make(states)
            return queries.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)

        return Origin(self.states, make)


@dataclass(frozen=True, eq=False)
class Problem:
    """h_i = Σ_{j ∈ N(i)} α(q_i, k_j) · v_j, queries and keys mapped by the scorer already.

    Key heads and value heads may be fewer than query heads; each serves an equal share of them. `kept` multiplies the
    weights of edges, in their order: dropout on who is looked at, which is drawn by who trains (0, or a scale).
    `origin` is there where a sequence looks at itself.
    """

    queries: Float[Tensor, "B H Q D"]
    keys: Float[Tensor, "B G K D"]
    values: Float[Tensor, "B G2 K V"]
    neighbourhood: Neighbourhood
    score: Scorer
    relative: RelativePositions | None = None
    kept: Float[Tensor, "E H"] | None = None
    origin: Origin | None = None

    def __post_init__(self) -> None:
        if self.kept is None:
            return
        edges = self.neighbourhood.facts.edges
        if edges is None or not isinstance(self.neighbourhood.pattern, Full):
            raise ValueError("weights are dropped edge by edge: give edges, and a pattern that allows all of them")
        if self.kept.shape != (len(edges), self.heads):
            raise ValueError(
                f"kept has the shape {tuple(self.kept.shape)}, but there are {len(edges)} edges and {self.heads} heads"
            )

    @property
    def batch(self) -> int:
        """How many rows there are."""
        return self.queries.shape[0]

    @property
    def heads(self) -> int:
        """How many query heads there are."""
        return self.queries.shape[1]

    @property
    def whole(self) -> bool:
        """Whether queries and keys are all places of one sequence, as the tiles of a pattern suppose."""
        near = self.neighbourhood
        same = near.queries == near.keys and near.facts.offset == 0 and near.from_start
        return same and near.facts.edges is None and near.facts.packing is None

    @property
    def nothing(self) -> Float[Tensor, "V"]:
        """The answer for a query that has nobody to look at."""
        return self.values.new_zeros(self.values.shape[-1])
