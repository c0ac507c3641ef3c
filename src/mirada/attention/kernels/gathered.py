"""GATHERED: queries that look at the same keys are gathered into tiles, O(cells of the tiles).

Legend: B batch, H heads, G tiles, T queries of a tile, U keys of a tile, N places, D key width, V value width.

A table with the neighbours of every single query would copy a key once for each look. The tiles of a pattern gather
a key once for a whole group that shares it: the residues of a stride, the blocks of Fixed, squares of a Grid. What
remains is the dense formula on small pieces. A pattern of several parts (`|`, Fixed) shares one softmax among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention.kernels.blocked import block_mask
from mirada.attention.kernels.dense import Candidates, gather_values
from mirada.attention.neighbourhood import as_bias
from mirada.attention.pattern import Rows, Tiles, cells, tiles
from mirada.attention.problem import Problem
from mirada.attention.score import in_full


def refusal(problem: Problem) -> str | None:
    """Why tiles cannot answer, or None."""
    return None if problem.whole else "tiles need all places of one sequence"


def pairs(problem: Problem) -> int:
    """How many pairs of places are computed for each head."""
    return cells(problem.neighbourhood.pattern, problem.neighbourhood.keys)


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer, tile by tile."""
    near = problem.neighbourhood
    parts = [_Part.of(problem, part) for part in tiles(near.pattern, near.keys)]
    if not problem.score.normalised:
        return reduce(torch.add, [part.back(part.free(problem)) for part in parts])
    if len(parts) == 1:
        return parts[0].back(parts[0].attend(problem))
    return _merge(problem, parts)


class _Take(torch.autograd.Function):
    """The rows that `there` names; backward the same through the inverse, so that nothing is scattered."""

    @staticmethod
    def forward(ctx: Any, x: Float[Tensor, "B N H D"], there: Rows, back: Sequence[Rows]) -> Float[Tensor, "B M H D"]:
        ctx.back = back
        return there.of(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        return reduce(torch.add, [rows.of(gradient) for rows in ctx.back]), None, None


@dataclass(frozen=True, eq=False)
class _Part:
    """One part of the pattern with its queries, keys and values gathered."""

    tiles: Tiles
    pairs: Candidates
    values: Float[Tensor, "B G H U V"]

    @classmethod
    def of(cls, problem: Problem, part: Tiles) -> _Part:
        device, dtype = problem.queries.device, problem.queries.dtype
        part = part.to(device)
        near = problem.neighbourhood
        mask = block_mask(near, part.pattern, part.queries, part.keys)
        bias = as_bias(mask, dtype)
        pairs = Candidates(
            _tile(problem.queries, part.queries, part.query_rows, part.query_slots),
            _tile(problem.keys, part.keys, part.key_rows, part.key_slots),
            part.queries,
            part.keys,
            mask,
            bias,
        )
        return cls(part, pairs, _tile(problem.values, part.keys, part.key_rows, part.key_slots))

    def attend(self, problem: Problem) -> Float[Tensor, "B G H T V"]:
        """The answer where this part is the whole pattern."""
        return self.sum(self.pairs.weights(problem.score, problem.relative, may_be_empty=True), problem)

    free = attend  # without a softmax the parts simply add up

    def sum(self, weights: Float[Tensor, "B G H T U"], problem: Problem) -> Float[Tensor, "B G H T V"]:
        """Σ_j weight · value."""
        return gather_values(weights, self.values, self.pairs.i, self.pairs.j, problem.relative)

    def back(self, x: Float[Tensor, "B G H T V"]) -> Float[Tensor, "B H N V"]:
        """From tiles to places; zeros for a place that is no query here."""
        flat = x.transpose(2, 3).flatten(1, 2)
        (slots,) = self.tiles.query_slots  # a query stands in one tile of a part
        return _Take.apply(flat, slots, [self.tiles.query_rows]).transpose(1, 2)  # type: ignore[no-untyped-call]


def _tile(
    x: Float[Tensor, "B H N D"], places: Int[Tensor, "G T"], rows: Rows, slots: Sequence[Rows]
) -> Float[Tensor, "B G H T D"]:
    """The places of each tile, taken where all heads of a place lie together: one copy for each."""
    taken = _Take.apply(x.transpose(1, 2), rows, slots)  # type: ignore[no-untyped-call]
    return taken.unflatten(1, places.shape).transpose(2, 3)


def _merge(problem: Problem, parts: list[_Part]) -> Float[Tensor, "B H Q V"]:
    """One softmax over several parts: exp(score − top) and its sum from each, divided at the end."""
    scores = [in_full(part.pairs.scores(problem.score, problem.relative)) for part in parts]
    lowest = torch.finfo(problem.queries.dtype).min
    tops = [_from_places(part, score.detach().amax(-1), lowest) for part, score in zip(parts, scores, strict=True)]
    top = reduce(torch.maximum, tops)
    sums, totals = [], []
    for part, score in zip(parts, scores, strict=True):
        base = _tile(top[..., None], part.tiles.queries, part.tiles.query_rows, part.tiles.query_slots)
        weights = (score - base).exp()
        totals.append(part.back(weights.sum(-1, keepdim=True)))
        sums.append(part.back(part.sum(weights.to(problem.values.dtype), problem)))
    alone = (top <= lowest)[..., None]  # nobody to look at: every score is the lowest number
    total = reduce(torch.add, totals).masked_fill(alone, 1)
    return (reduce(torch.add, sums) / total.to(problem.values.dtype)).masked_fill(alone, 0)


def _from_places(part: _Part, tops: Float[Tensor, "B G H T"], lowest: float) -> Float[Tensor, "B H N"]:
    """The top score of each place in this part, the lowest number for a place that is no query here."""
    back = part.back(tops[..., None])[..., 0]
    absent = part.tiles.query_slots[0].absent
    return back if absent is None else back.masked_fill(absent, lowest)
