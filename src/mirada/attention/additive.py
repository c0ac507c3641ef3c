"""Additive scores v · f(q_i + k_j) for all pairs, without a (Q, K, D) tensor.

Legend: N rows, H heads, Q queries, K keys, D head width, R relative places.

The sum q_i + k_j has Q · K · D numbers. It is made for a few queries at a time, forward and again backward, so that
memory stays at `CHUNK` numbers while the scores, Q · K, are the only thing kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

CHUNK = 1 << 20  # numbers of q_i + k_j held at once: 4 MB in float32, about what a core's cache keeps


@dataclass(frozen=True)
class Activation:
    """f of the additive score: tanh, or a leaky ReLU with this slope below zero."""

    slope: float | None

    def apply_(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """f(x), in place."""
        return x.tanh_() if self.slope is None else torch.nn.functional.leaky_relu_(x, self.slope)

    def slope_at_(self, y: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """f′ at the point where f gave y, in place of y."""
        if self.slope is None:
            return y.square_().neg_().add_(1)
        return (y > 0).to(y.dtype).mul_(1 - self.slope).add_(self.slope)


class AdditiveScores(torch.autograd.Function):
    """Scores (N, H, Q, K) = v_h · f(q + k + a[index]); the relative term a is optional."""

    @staticmethod
    def forward(
        ctx: Any,
        queries: Float[Tensor, "N H Q D"],
        keys: Float[Tensor, "N H K D"],
        vector: Float[Tensor, "H D"],
        table: Float[Tensor, "R D"] | None,
        index: Int[Tensor, "M Q K"] | None,
        activation: Activation,
    ) -> Float[Tensor, "N H Q K"]:
        scores = queries.new_empty(*queries.shape[:3], keys.shape[2])
        for rows, places in _chunks(queries, keys):
            hidden = _hidden(queries, keys, table, index, activation, rows, places)
            torch.matmul(hidden, vector[:, None, :, None], out=scores[rows, :, places, :, None])
        ctx.save_for_backward(queries, keys, vector, table, index)
        ctx.activation = activation
        return scores

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = gradients
        queries, keys, vector, table, index = ctx.saved_tensors
        to_queries, to_keys = torch.empty_like(queries), torch.zeros_like(keys)
        wide = torch.promote_types(vector.dtype, torch.float32)  # many small numbers are added up
        to_vector = torch.zeros_like(vector, dtype=wide)
        to_table = None if table is None else torch.zeros_like(table, dtype=wide)
        for rows, places in _chunks(queries, keys):
            hidden = _hidden(queries, keys, table, index, ctx.activation, rows, places)
            flow = gradient[rows, :, places, :, None]
            to_vector += (hidden * flow).sum((0, 2, 3), dtype=wide)
            inner = ctx.activation.slope_at_(hidden).mul_(vector[:, None, None, :]).mul_(flow)
            to_queries[rows, :, places] = inner.sum(3)
            to_keys[rows] += inner.sum(2)
            if to_table is not None and index is not None:
                chosen = index[rows if len(index) > 1 else slice(0, 1), places]
                summed = inner.sum(1) if len(index) > 1 else inner.sum((0, 1))[None]
                to_table.index_add_(0, chosen.flatten(), summed.flatten(0, -2).to(wide))
        finished = None if to_table is None else to_table.to(vector.dtype)
        return to_queries, to_keys, to_vector.to(vector.dtype), finished, None, None


def _chunks(queries: Float[Tensor, "N H Q D"], keys: Float[Tensor, "N H K D"]) -> Iterator[tuple[slice, slice]]:
    """Slices of rows and of queries whose sums with all keys hold about `CHUNK` numbers."""
    rows, heads, count, width = queries.shape
    one_query = max(1, heads * keys.shape[2] * width)
    places = max(1, min(count, CHUNK // one_query))
    together = max(1, CHUNK // (one_query * max(count, 1))) if places == count else 1
    for row in range(0, rows, together):
        for place in range(0, count, places):
            yield slice(row, row + together), slice(place, place + places)


def _hidden(
    queries: Float[Tensor, "N H Q D"],
    keys: Float[Tensor, "N H K D"],
    table: Float[Tensor, "R D"] | None,
    index: Int[Tensor, "M Q K"] | None,
    activation: Activation,
    rows: slice,
    places: slice,
) -> Float[Tensor, "n H q K D"]:
    """f(q_i + k_j + a_ij) for one chunk."""
    inside = queries[rows, :, places, None] + keys[rows, :, None]
    if table is not None and index is not None:
        inside += table[index[rows if len(index) > 1 else slice(0, 1), places]][:, None]
    return activation.apply_(inside)
