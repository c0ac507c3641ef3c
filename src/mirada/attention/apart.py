"""Packed sequences apart: each in a padded row of its own, for kernels that know no packing.

Legend: S sequences, S1 = S + 1, N places of the longest, R places of all of them, H heads, P = R · H, D width.

Heads are taken apart on the way, so that kernels find theirs in one piece: what is moved here need not be moved there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from mirada.attention.neighbourhood import Neighbourhood
from mirada.attention.packing import Packing
from mirada.attention.problem import Problem


def apart(problem: Problem, packing: Packing) -> Problem:
    """The same question of sequences that are padded."""
    near = problem.neighbourhood
    queries, keys = packing.longest
    padded = Neighbourhood(near.pattern, queries, keys, near.facts.apart, near.own).simplify()
    known = _rows(packing.keys, problem.keys.shape[1], keys)  # values stand where their keys do
    return replace(
        problem,
        queries=_spread(problem.queries, _rows(packing.queries, problem.heads, queries), len(packing), queries),
        keys=_spread(problem.keys, known, len(packing), keys),
        values=_spread(problem.values, known, len(packing), keys),
        neighbourhood=padded,
        origin=None,
    )


def together(answer: Float[Tensor, "S H N D"], packing: Packing) -> Float[Tensor, "1 H R D"]:
    """What padded sequences found, one after the other."""
    heads, width = answer.shape[1], answer.shape[3]
    rows = _rows(packing.queries, heads, answer.shape[2])
    taken: Tensor = _Taken.apply(answer.reshape(-1, width), rows)  # type: ignore[no-untyped-call]
    return taken.view(1, -1, heads, width).transpose(1, 2)


def _spread(
    x: Float[Tensor, "1 H R D"], rows: Int[Tensor, "P"], sequences: int, longest: int
) -> Float[Tensor, "S H N D"]:
    """Packed numbers as padded ones, 0 where there is nothing."""
    heads, width = x.shape[1], x.shape[3]
    shape = sequences, heads, longest, width
    packed = x[0].transpose(0, 1).reshape(-1, width)
    return packed.new_zeros(shape).view(-1, width).index_copy(0, rows, packed).view(shape)


def _rows(starts: Int[Tensor, "S1"], heads: int, longest: int) -> Int[Tensor, "P"]:
    """Where each head of each packed place stands among the S · H · N padded ones."""
    lengths = starts.diff()
    sequence = torch.arange(len(lengths), device=starts.device).repeat_interleave(lengths)
    place = torch.arange(len(sequence), device=starts.device) - starts[sequence]
    head = torch.arange(heads, device=starts.device)
    return ((sequence[:, None] * heads + head) * longest + place[:, None]).flatten()


class _Taken(torch.autograd.Function):
    """Some rows, each once: what torch adds to zeros backward is copied."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.count = len(x)
        return x.index_select(0, rows)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (rows,) = ctx.saved_tensors
        return gradient.new_zeros(ctx.count, gradient.shape[1]).index_copy_(0, rows, gradient), None
