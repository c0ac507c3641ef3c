"""EDGES: a softmax over the edges that leave each query, O(edges).

Legend: R rows (places, or places of all batch rows), r rows of a run, E edges, P batch rows, H heads,
D key width, V value width.

Edges come sorted by query, so a run of edges that ends with its query holds whole softmaxes. Such runs of about
`RUN` edges are computed one after the other (`runs`): nothing of size E × D is ever held.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.attention.kernels.runs import Run, attend_in_runs
from mirada.attention.neighbourhood import Edges
from mirada.attention.position import RelativePositions
from mirada.attention.problem import Problem
from mirada.attention.score import Scorer, each_head, in_full

RUN = 8_192  # edges computed at once: 8,192 × 128 numbers are 4 MB in float32


def refusal(problem: Problem) -> str | None:
    """EDGES refuses nothing: a pattern is a list of edges too."""
    return None


def pairs(problem: Problem) -> int:
    """How many pairs of places are computed for each head: the edges, on average over the rows of the batch."""
    edges = problem.neighbourhood.edges(problem.queries.device)
    return len(edges) // (max(1, problem.batch) if edges.per_row else 1)


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer, run by run."""
    near, device = problem.neighbourhood, problem.queries.device
    edges = near.edges(device)
    queries = _as_rows(problem.queries, edges)
    keys = _as_rows(each_head(problem.keys, problem.heads), edges)
    values = _as_rows(each_head(problem.values, problem.heads), edges)
    modules = [problem.score, problem.relative]
    output = attend_in_runs(_runs(problem, edges), queries, keys, values, modules, problem.nothing, origin=None)
    if edges.per_row:
        return output[:, 0].unflatten(0, (problem.batch, -1)).transpose(1, 2)
    return output.permute(1, 2, 0, 3)


def weights(problem: Problem) -> Float[Tensor, "E P H"]:
    """α of every edge, in the order of the edges, with nothing dropped; O(edges) where a matrix would not fit."""
    edges = problem.neighbourhood.edges(problem.queries.device)
    queries = _as_rows(problem.queries, edges)
    keys = _as_rows(each_head(problem.keys, problem.heads), edges)
    found = [one.weights(one.take_queries(queries), one.take(keys)) for one in _runs(problem, edges)]
    return torch.cat(found) if found else queries.new_zeros(0, *queries.shape[1:3])


def _as_rows(x: Float[Tensor, "B H N D"], edges: Edges) -> Float[Tensor, "R P H D"]:
    """One row for each place that an edge can name, contiguous, with all that belongs to it."""
    if edges.per_row:
        return x.transpose(1, 2).flatten(0, 1)[:, None]
    return x.permute(2, 0, 1, 3).contiguous()


def _runs(problem: Problem, edges: Edges) -> list[EdgeRun]:
    near = problem.neighbourhood
    padding, offset, places = near.facts.padding, near.facts.offset, near.key_places(problem.queries.device)
    runs = []
    for start, end in pairwise(edges.cuts(RUN)):
        queries, keys = edges.queries[start:end], edges.keys[start:end]
        real = None
        if padding is not None:
            real = (padding.real.flatten()[keys, None] if edges.per_row else padding.real.T[keys])[..., None]
        i, j = (queries % edges.query_count, keys % edges.key_count) if edges.per_row else (queries, keys)
        first, last = int(queries[0]), int(queries[-1])
        place = slice(first, last + 1)
        kept = None if problem.kept is None else problem.kept[start:end, None]
        looked_at = places[j]
        runs.append(
            EdgeRun(problem.score, problem.relative, place, queries - first, keys, i + offset, looked_at, real, kept)
        )
    return runs


@dataclass(frozen=True, eq=False)
class EdgeRun(Run):
    """A run of edges that holds all edges of its queries; `local` counts the queries from the first."""

    score: Scorer
    relative: RelativePositions | None
    place: slice
    local: Int[Tensor, "E"]
    keys: Int[Tensor, "E"]
    i: Int[Tensor, "E"]
    j: Int[Tensor, "E"]
    real: Bool[Tensor, "E P 1"] | None
    kept: Float[Tensor, "E 1 H"] | None

    def take_queries(self, rows: Float[Tensor, "R P H D"]) -> Float[Tensor, "r P H D"]:
        return rows[self.place]

    def put(self, rows: Float[Tensor, "R P H V"], part: Float[Tensor, "r P H V"]) -> None:
        rows[self.place] = part

    def take(self, rows: Float[Tensor, "R P H D"]) -> Float[Tensor, "E P H D"]:
        return rows.index_select(0, self.keys)

    def give(self, rows: Float[Tensor, "R P H D"], part: Float[Tensor, "E P H D"]) -> None:
        rows.index_add_(0, self.keys, part)

    def attend(
        self,
        queries: Float[Tensor, "r P H D"],
        keys: Float[Tensor, "E P H D"],
        values: Float[Tensor, "E P H V"],
    ) -> Float[Tensor, "r P H V"]:
        """The answer for the queries of this run."""
        weights = self.weights(queries, keys)
        if self.kept is not None:
            weights = weights * self.kept
        if self.relative is not None and self.relative.values is not None:
            values = values + self.relative.values[self.relative.index(self.i, self.j)][:, None, None]
        return self._sum(weights[..., None] * values, len(queries))

    def weights(self, queries: Float[Tensor, "r P H D"], keys: Float[Tensor, "E P H D"]) -> Float[Tensor, "E P H"]:
        """α of every edge."""
        if self.relative is not None and self.relative.keys is not None:
            keys = keys + self.relative.keys[self.relative.index(self.i, self.j)][:, None, None]
        scores = self.score.pair(queries.index_select(0, self.local), keys, self.i[:, None], self.j[:, None])
        scores = scores.expand(keys.shape[:-1])
        if not self.score.normalised:
            return scores if self.real is None else scores * self.real
        return self._softmax(in_full(scores), len(queries)).to(keys.dtype)

    def _softmax(self, scores: Float[Tensor, "E P H"], count: int) -> Float[Tensor, "E P H"]:
        lowest = torch.finfo(scores.dtype).min
        if self.real is not None:
            scores = scores.masked_fill(~self.real, lowest)
        top = scores.new_full((count, *scores.shape[1:]), lowest)
        local = self.local[:, None, None].expand_as(scores)
        top = top.scatter_reduce_(0, local, scores.detach(), "amax")
        powers = (scores - top.index_select(0, self.local)).exp()
        if self.real is not None:
            powers = powers * self.real
        total = self._sum(powers, count)
        # A query whose keys are all padding has the sum 0, and gets zeros.
        return powers / total.masked_fill(total == 0, 1).index_select(0, self.local)

    def _sum(self, x: Float[Tensor, "E P H ..."], count: int) -> Float[Tensor, "r P H ..."]:
        """The sum over the edges of each query."""
        return x.new_zeros(count, *x.shape[1:]).index_add(0, self.local, x)
