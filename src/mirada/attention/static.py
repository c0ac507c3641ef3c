"""The static score of graph attention networks: a sum of one number for the query and one for the key.

Legend: B batch, H heads, G key heads, Q queries, K keys, D head width.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention.position import RelativePositions
from mirada.attention.score import LEAK, Score, Scorer, Sides, each_head


class StaticScorer(Scorer):
    """f(u_h · q + v_h · k), f a leaky ReLU. Both products are made once, so that a pair costs one sum."""

    def __init__(self, sides: Sides) -> None:
        super().__init__()
        self.query_vector = _vector(sides.heads, sides.query_width)
        self.key_vector = _vector(sides.heads, sides.key_width)

    def queries(self, q: Float[Tensor, "B G Q D"]) -> Float[Tensor, "B H Q 1"]:
        return _products(q, self.query_vector)

    def keys(self, k: Float[Tensor, "B G K D"]) -> Float[Tensor, "B H K 1"]:
        return _products(k, self.key_vector)

    def pair(
        self,
        q: Float[Tensor, "... H 1"],
        k: Float[Tensor, "... H 1"],
        i: Int[Tensor, "..."],
        j: Int[Tensor, "..."],
    ) -> Float[Tensor, "... H"]:
        return functional.leaky_relu(q + k, LEAK).squeeze(-1)

    def matrix(
        self,
        q: Float[Tensor, "... H Q 1"],
        k: Float[Tensor, "... H K 1"],
        i: Int[Tensor, "... Q"],
        j: Int[Tensor, "... K"],
        relative: RelativePositions | None,
    ) -> Float[Tensor, "... H Q K"]:
        return functional.leaky_relu(q + k.transpose(-1, -2), LEAK)


def _vector(heads: int, width: int) -> nn.Parameter:
    bound = (6 / (width + 1)) ** 0.5  # Xavier, for each head by itself
    return nn.Parameter(nn.init.uniform_(torch.empty(heads, width), -bound, bound))


def _products(x: Float[Tensor, "B G N D"], vector: Float[Tensor, "H D"]) -> Float[Tensor, "B H N 1"]:
    return each_head(x, len(vector)) @ vector[..., None]


@dataclass(frozen=True)
class Static(Score):
    """f(u · q + v · k), f a leaky ReLU: the score of GAT (Veličković et al. 2018, eq. 3; their a is [u, v]).

    All queries rank the keys alike (Brody et al. 2022, who call it static); `Additive("leaky_relu")` does not.
    """

    def build(self, sides: Sides, head_width: int) -> Scorer:
        return StaticScorer(sides)
