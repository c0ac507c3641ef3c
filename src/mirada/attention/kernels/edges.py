"""EDGES: a softmax over the edges that leave each query, O(edges).

Legend: R rows (places, or rows · places), E edges, P batch rows, H heads, D key width, V value width.

Edges come sorted by query, so a run of edges that ends with its query holds whole softmaxes. Such runs of about
`RUN` edges are computed one after the other and computed again backward: what is gathered for a run stays in the
cache, and nothing of size E × D is ever held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.attention.neighbourhood import Edges
from mirada.attention.position import RelativePositions
from mirada.attention.problem import Problem
from mirada.attention.score import Scorer, each_head, in_full

RUN = 8_192  # edges computed at once: 8,192 × 128 numbers are 4 MB in float32


def refusal(problem: Problem) -> str | None:
    """EDGES refuses nothing: a pattern is a list of edges too."""
    return None


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer, run by run."""
    graph = _Graph.of(problem)
    queries = _as_rows(problem.queries, graph.edges)
    keys = _as_rows(each_head(problem.keys, problem.heads), graph.edges)
    values = _as_rows(each_head(problem.values, problem.heads), graph.edges)
    learned = [*problem.score.parameters(), *(problem.relative.parameters() if problem.relative else [])]
    output = _EdgeAttention.apply(queries, keys, values, graph, problem.score, problem.relative, *learned)
    if graph.edges.per_row:
        return output[:, 0].unflatten(0, (problem.batch, -1)).transpose(1, 2)
    return output.permute(1, 2, 0, 3)  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class _Graph:
    """The edges that count, cut into runs, and for each batch row which of them lead to a real key."""

    edges: Edges
    offset: int
    real: Bool[Tensor, "E P 1"] | None
    cuts: list[int]

    @classmethod
    def of(cls, problem: Problem) -> _Graph:
        near, device = problem.neighbourhood, problem.queries.device
        edges = near.edges(problem.batch, device)
        real = None
        if near.facts.padding is not None:
            real = near.facts.padding.real
            real = (real.flatten()[edges.keys, None] if edges.per_row else real.T[edges.keys])[..., None]
        return cls(edges, near.facts.offset, real, edges.cuts(RUN))

    def run(self, start: int, end: int) -> _Run:
        """Edges `start` to `end`, whose queries are whole."""
        queries, keys = self.edges.queries[start:end], self.edges.keys[start:end]
        first = int(queries[0])
        i, j = queries, keys
        if self.edges.per_row:
            i, j = i % self.edges.query_count, j % self.edges.key_count
        return _Run(
            keys=keys,
            first=first,
            count=int(queries[-1]) + 1 - first,
            local=queries - first,
            i=i + self.offset,
            j=j,
            real=None if self.real is None else self.real[start:end],
        )


@dataclass(frozen=True, eq=False)
class _Run:
    """A run of edges, its queries counted from the first."""

    keys: Int[Tensor, "E"]
    first: int
    count: int
    local: Int[Tensor, "E"]
    i: Int[Tensor, "E"]
    j: Int[Tensor, "E"]
    real: Bool[Tensor, "E P 1"] | None

    @property
    def queries(self) -> slice:
        return slice(self.first, self.first + self.count)

    def attend(
        self,
        queries: Float[Tensor, "R P H D"],
        keys: Float[Tensor, "E P H D"],
        values: Float[Tensor, "E P H V"],
        score: Scorer,
        relative: RelativePositions | None,
    ) -> Float[Tensor, "R P H V"]:
        """The answer for the queries of this run."""
        if relative is not None:
            index = relative.index(self.i, self.j)
            keys = keys if relative.keys is None else keys + relative.keys[index][:, None, None]
            values = values if relative.values is None else values + relative.values[index][:, None, None]
        scores = score.pair(queries.index_select(0, self.local), keys, self.i[:, None], self.j[:, None])
        scores = scores.expand(*keys.shape[:-1])
        if not score.normalised:
            weights = scores if self.real is None else scores * self.real
            return self._sum(weights[..., None] * values)
        weights = self._softmax(in_full(scores)).to(values.dtype)
        return self._sum(weights[..., None] * values)

    def _softmax(self, scores: Float[Tensor, "E P H"]) -> Float[Tensor, "E P H"]:
        lowest = torch.finfo(scores.dtype).min
        if self.real is not None:
            scores = scores.masked_fill(~self.real, lowest)
        top = scores.new_full((self.count, *scores.shape[1:]), lowest)
        local = self.local[:, None, None].expand_as(scores)
        top = top.scatter_reduce_(0, local, scores.detach(), "amax")
        powers = (scores - top.index_select(0, self.local)).exp()
        if self.real is not None:
            powers = powers * self.real
        total = self._sum(powers)
        # A query whose keys are all padding has the sum 0, and gets zeros.
        return powers / total.masked_fill(total == 0, 1).index_select(0, self.local)

    def _sum(self, x: Float[Tensor, "E P H ..."]) -> Float[Tensor, "R P H ..."]:
        return x.new_zeros(self.count, *x.shape[1:]).index_add(0, self.local, x)


class _EdgeAttention(torch.autograd.Function):
    """Attention over the runs of a graph, each computed again backward instead of being kept."""

    @staticmethod
    def forward(
        ctx: Any,
        queries: Float[Tensor, "R P H D"],
        keys: Float[Tensor, "R2 P H D"],
        values: Float[Tensor, "R2 P H V"],
        graph: _Graph,
        score: Scorer,
        relative: RelativePositions | None,
        *learned: Tensor,
    ) -> Float[Tensor, "R P H V"]:
        output = values.new_zeros(*queries.shape[:3], values.shape[3])
        for start, end in zip(graph.cuts, graph.cuts[1:], strict=False):
            run = graph.run(start, end)
            found = keys.index_select(0, run.keys), values.index_select(0, run.keys)
            output[run.queries] = run.attend(queries[run.queries], *found, score, relative)
        ctx.save_for_backward(queries, keys, values, *learned)
        ctx.graph, ctx.score, ctx.relative = graph, score, relative
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        (gradient,) = gradients
        queries, keys, values, *learned = ctx.saved_tensors
        to_queries, to_keys, to_values = map(torch.zeros_like, (queries, keys, values))
        to_learned = [torch.zeros_like(parameter) for parameter in learned]
        graph: _Graph = ctx.graph
        for start, end in zip(graph.cuts, graph.cuts[1:], strict=False):
            run = graph.run(start, end)
            with torch.enable_grad():
                leaves = [
                    queries[run.queries].detach().requires_grad_(),
                    keys.index_select(0, run.keys).requires_grad_(),
                    values.index_select(0, run.keys).requires_grad_(),
                ]
                output = run.attend(*leaves, ctx.score, ctx.relative)
            wanted = [*leaves, *(parameter for parameter in learned if parameter.requires_grad)]
            found = iter(torch.autograd.grad(output, wanted, gradient[run.queries], allow_unused=True))
            _store(to_queries[run.queries], next(found))
            _scatter(to_keys, run.keys, next(found))
            _scatter(to_values, run.keys, next(found))
            for total, parameter in zip(to_learned, learned, strict=True):
                part = next(found) if parameter.requires_grad else None
                if part is not None:
                    total += part
        return to_queries, to_keys, to_values, None, None, None, *to_learned


def _store(place: Tensor, gradient: Tensor | None) -> None:
    if gradient is not None:
        place.copy_(gradient)


def _scatter(total: Tensor, index: Int[Tensor, "E"], gradient: Tensor | None) -> None:
    if gradient is not None:
        total.index_add_(0, index, gradient)


def _as_rows(x: Float[Tensor, "B H N D"], edges: Edges) -> Float[Tensor, "R P H D"]:
    """One row for each place that an edge can name, contiguous, with all that belongs to it."""
    if edges.per_row:
        return x.transpose(1, 2).flatten(0, 1)[:, None]
    return x.permute(2, 0, 1, 3).contiguous()
