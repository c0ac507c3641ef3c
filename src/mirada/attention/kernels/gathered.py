"""GATHERED: queries that look at the same keys are gathered into tiles, O(cells of the tiles).

Legend: B batch, H heads, G key heads, N places, t tiles of a run, T queries of a tile, U keys of a tile, D key width,
V value width.

A table with the neighbours of every single query would copy a key once for each look. The tiles of a pattern gather
a key once for a whole group that shares it: the remainders of a stride, the blocks of Fixed, squares of a Grid. What
remains is the dense formula on small pieces. A pattern of several parts (`|`, Fixed) is one softmax over all of them:
each part is a softmax of its own, and they are joined by their sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from mirada.attention.kernels import joined
from mirada.attention.kernels.dense import Candidates, gather_values
from mirada.attention.kernels.runs import RUN, Run, attend_in_runs, pieces_per_run
from mirada.attention.neighbourhood import Neighbourhood, as_bias
from mirada.attention.pattern import Tiles, cells, tiles
from mirada.attention.position import RelativePositions
from mirada.attention.problem import Problem
from mirada.attention.score import Scorer

KEPT = 1 << 22  # pairs up to which all tiles are kept for the backward pass: 16 MB in float32, as caches hold it


def refusal(problem: Problem) -> str | None:
    """Why tiles cannot answer, or None."""
    return None if problem.whole else "tiles need all places of one sequence"


def parts(problem: Problem) -> tuple[Tiles, ...]:
    """The parts of the problem's pattern."""
    return tiles(problem.neighbourhood.pattern, problem.neighbourhood.keys)


def pairs(problem: Problem) -> int:
    """How many pairs of places are computed for each head."""
    return cells(problem.neighbourhood.pattern, problem.neighbourhood.keys)


def held(problem: Problem) -> int:
    """How many pairs of all heads are held at a time: all of them where they are few, else those of a run."""
    return KEPT if problem.batch * problem.heads * pairs(problem) <= KEPT else RUN


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer, tile by tile."""
    # All heads of a place lie together in memory before they are split: a row is taken in one piece.
    rows = problem.queries.transpose(1, 2), problem.keys.transpose(1, 2), problem.values.transpose(1, 2)
    origin = None if problem.origin is None else problem.origin.transposed()
    modules = [problem.score, problem.relative]
    several = len(parts(problem)) > 1 and problem.score.normalised
    most = held(problem)
    cut = [_runs(problem, part, most, with_sum=several) for part in parts(problem)]
    if several and most < KEPT:
        return joined.attend_joined(cut, *rows, modules, origin).transpose(1, 2)
    outside = joined.outside(rows[2]) if several else problem.nothing
    answers = [attend_in_runs(runs, *rows, modules, outside, origin) for runs in cut]
    output = joined.weigh(answers) if several else torch.stack(answers).sum(0) if len(answers) > 1 else answers[0]
    return output.transpose(1, 2)


def _runs(problem: Problem, part: Tiles, kept: int, with_sum: bool) -> list[TileRun]:
    """The runs of one part, which answer with the log of their sum where it must be weighed against others."""
    part = part.to(problem.queries.device)
    of_one = problem.batch * problem.heads * part.queries.shape[1] * part.keys.shape[1]
    step = pieces_per_run(len(part.queries), of_one, kept)
    asked = problem.neighbourhood, problem.score, problem.relative
    pieces = [slice(start, start + step) for start in range(0, len(part.queries), step)]
    return [TileRun(*asked, part, chosen, with_sum) for chosen in pieces]


@dataclass(frozen=True, eq=False)
class TileRun(Run):
    """Some tiles of a part. It is kept for the backward pass, and so holds nothing of the problem's rows."""

    near: Neighbourhood
    score: Scorer
    relative: RelativePositions | None
    part: Tiles
    chosen: slice
    with_sum: bool

    @property
    def i(self) -> Int[Tensor, "t T"]:
        """The places of the queries of each tile; −1 is absent."""
        return self.part.queries[self.chosen]

    @property
    def j(self) -> Int[Tensor, "t U"]:
        """The places of the keys of each tile; −1 is absent."""
        return self.part.keys[self.chosen]

    def take_queries(self, rows: Float[Tensor, "B N H D"]) -> Float[Tensor, "B n H D"]:
        # An absent query takes any row: what it finds is put nowhere.
        return rows.index_select(1, self.i.flatten().clamp_min(0))

    def take_gradient(self, rows: Float[Tensor, "B N H V"]) -> Float[Tensor, "B n H V"]:
        taken = self.take_queries(rows)
        return taken if self.part.whole else taken.masked_fill_((self.i.flatten() < 0)[:, None, None], 0)

    def put(self, rows: Float[Tensor, "B N H V"], part: Float[Tensor, "B n H V"]) -> None:
        places = self.i.flatten()
        if self.part.whole:
            rows.index_copy_(1, places, part)
        else:
            present = torch.nonzero(places >= 0).flatten()
            rows.index_copy_(1, places[present], part.index_select(1, present))

    def take(self, rows: Float[Tensor, "B N G D"]) -> Float[Tensor, "B m G D"]:
        # An absent key takes any row: nobody looks at what it finds.
        return rows.index_select(1, self.j.flatten().clamp_min(0))

    def give(self, rows: Float[Tensor, "B N G D"], part: Float[Tensor, "B m G D"]) -> None:
        rows.index_add_(1, self.j.flatten().clamp_min(0), part)

    def attend(
        self,
        queries: Float[Tensor, "B n H D"],
        keys: Float[Tensor, "B m G D"],
        values: Float[Tensor, "B m G2 V"],
    ) -> Float[Tensor, "B n H V2"]:
        i, j, relative = self.i, self.j, self.relative
        q = queries.unflatten(1, i.shape).transpose(2, 3)
        k, v = (x.unflatten(1, j.shape).transpose(2, 3) for x in (keys, values))
        mask = self._mask()
        seen = Candidates(q, k, i, j, mask, None if mask is None else as_bias(mask, q.dtype))
        if not self.with_sum:
            answer = gather_values(seen.weights(self.score, relative, self.near.may_be_empty), v, i, j, relative)
            return answer.transpose(2, 3).flatten(1, 2)
        weights, log_sum = _SoftmaxWithSum.apply(seen.scores(self.score, relative))  # type: ignore[no-untyped-call]
        answer = gather_values(weights, v, i, j, relative)
        return torch.cat([answer, log_sum], -1).transpose(2, 3).flatten(1, 2)

    def _mask(self) -> Bool[Tensor, "#B t 1 #T U"] | None:
        """Who may look within each tile; None where all may."""
        mask, padding = self.part.mask, self.near.facts.padding
        mask = None if mask is None else mask[None, self.chosen, None]
        if padding is None:
            return mask
        real = padding.real[:, self.j.clamp_min(0)][:, :, None, None]
        return real if mask is None else mask & real


class _SoftmaxWithSum(torch.autograd.Function):
    """softmax(x) and the log of the sum it divides by, log Σ exp x, over the last axis.

    The largest weight is exp(largest x − log Σ exp x), so the sum follows from two maxima. torch's own `logsumexp` and
    its gradient would take three more exponentials of every pair: most of the time of a whole step.
    """

    @staticmethod
    def forward(ctx: Any, x: Float[Tensor, "... K"]) -> tuple[Float[Tensor, "... K"], Float[Tensor, "... 1"]]:
        weights = x.softmax(-1)
        ctx.save_for_backward(weights)
        return weights, x.amax(-1, keepdim=True) - weights.amax(-1, keepdim=True).log()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, to_weights: Tensor, to_sum: Tensor) -> Tensor:
        (weights,) = ctx.saved_tensors
        # d weights: α · (g − Σ α g); d log-sum: α.
        taken = (weights * to_weights).sum(-1, keepdim=True) - to_sum
        return (to_weights - taken).mul_(weights)
