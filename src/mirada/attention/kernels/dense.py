"""DENSE: every pair, explicitly: scores, softmax, weighted sum.

Legend: B batch, H heads, G key heads, Q queries, K keys, D key width, V value width; `...` any rows or tiles.

It serves every score and position. On a CPU it is also the fastest for short sequences.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.attention.position import RelativePositions
from mirada.attention.problem import Problem
from mirada.attention.score import Scorer, grouped_matmul
from mirada.attention.softmax import softmax


@dataclass(frozen=True, eq=False)
class Candidates:
    """Queries and keys of which every pair is computed: the whole problem, or one of its tiles.

    `mask` is the truth about who may look; `bias` is the same as a number to add.
    """

    queries: Float[Tensor, "... H Q D"]
    keys: Float[Tensor, "... G K D"]
    i: Int[Tensor, "... Q"]
    j: Int[Tensor, "... K"]
    mask: Bool[Tensor, "*#rows 1 #Q K"] | None
    bias: Float[Tensor, "*#rows 1 #Q K"] | None

    def scores(self, score: Scorer, relative: RelativePositions | None) -> Float[Tensor, "... H Q K"]:
        """The score of every pair, the forbidden ones at the lowest finite number."""
        if score.scale is not None and (relative is None or relative.keys is None):
            return _dot_scores(self.queries, self.keys, score.scale, self.bias)
        scores = score.matrix(self.queries, self.keys, self.i, self.j, relative)
        return scores if self.bias is None else scores + self.bias

    def weights(
        self, score: Scorer, relative: RelativePositions | None, may_be_empty: bool
    ) -> Float[Tensor, "... H Q K"]:
        """α of every pair: 0 where a query may not look."""
        if not score.normalised:
            weights = score.matrix(self.queries, self.keys, self.i, self.j, relative)
            return weights if self.mask is None else weights * self.mask
        weights = softmax(self.scores(score, relative))
        if may_be_empty and self.mask is not None:
            # The softmax of a row that is all at the lowest number is uniform: make it what it means, nothing.
            weights = weights * self.mask.any(-1, keepdim=True)
        return weights


def _dot_scores(
    q: Float[Tensor, "... H Q D"],
    k: Float[Tensor, "... G K D"],
    scale: float,
    bias: Float[Tensor, "*#rows 1 #Q K"] | None,
) -> Float[Tensor, "... H Q K"]:
    """scale · q kᵀ + bias, in one product where its layout allows."""
    if q.shape[-3] != k.shape[-3] or q.shape[-1] == 0:
        scores = grouped_matmul(q * scale, k.transpose(-1, -2))
        return scores if bias is None else scores + bias
    flat_q, flat_k = q.flatten(0, -3), k.flatten(0, -3).transpose(-1, -2)
    shape = (*q.shape[:-1], k.shape[-2])
    if bias is not None and bias.shape[:-2].numel() == 1:
        rows = bias.reshape(1, *bias.shape[-2:]).expand(len(flat_q), *shape[-2:])
        return torch.baddbmm(rows, flat_q, flat_k, alpha=scale).view(shape)
    scores = torch.baddbmm(flat_q.new_empty(()), flat_q, flat_k, beta=0, alpha=scale).view(shape)
    return scores if bias is None else scores.add_(bias)


def gather_values(
    weights: Float[Tensor, "... H Q K"],
    values: Float[Tensor, "... G K V"],
    i: Int[Tensor, "... Q"],
    j: Int[Tensor, "... K"],
    relative: RelativePositions | None,
) -> Float[Tensor, "... H Q V"]:
    """Σ_j α_ij (v_j + a^V_ij); the relative value is there only where Shaw's positions are."""
    output = grouped_matmul(weights, values)
    if relative is None or relative.values is None:
        return output
    # There are few different a^V: add up the weight that falls on each, then one product.
    index = relative.index(i[..., :, None], j[..., None, :]).unsqueeze(-3).expand(weights.shape)
    falls = weights.new_zeros(*weights.shape[:-1], len(relative.values)).scatter_add(-1, index, weights)
    return output + falls @ relative.values


def candidates(problem: Problem) -> Candidates:
    """All pairs of the problem."""
    near, device = problem.neighbourhood, problem.queries.device
    return Candidates(
        problem.queries,
        problem.keys,
        near.query_places(device),
        near.key_places(device),
        near.mask(problem.batch, device),
        near.bias(problem.batch, device, problem.queries.dtype) if problem.score.normalised else None,
    )


def refusal(problem: Problem) -> str | None:
    """DENSE refuses nothing."""
    return None


def pairs(problem: Problem) -> int:
    """How many pairs of places are computed for each head."""
    return problem.neighbourhood.queries * problem.neighbourhood.keys


def weights(problem: Problem) -> Float[Tensor, "B H Q K"]:
    """α of every pair of the problem."""
    return candidates(problem).weights(problem.score, problem.relative, problem.neighbourhood.may_be_empty)


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer from the explicit weights."""
    near, device = problem.neighbourhood, problem.queries.device
    i, j = near.query_places(device), near.key_places(device)
    return gather_values(weights(problem), problem.values, i, j, problem.relative)
