"""Rows of features, dense or sparse, and the linear map that reads both.

Legend: N rows, F features, Z features that are not 0, W width of what the map gives.

A bag of words has some ten features of thousands: a row keeps those that are not 0, and the map adds up their vectors
instead of multiplying by zeros (on Cora 1 ms instead of 20, forward and backward).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from mirada.layers.noise import Noise


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows that are 0 but for a few features: row n has the places starts[n] to starts[n + 1] of the other two."""

    starts: Int[Tensor, "N1"]
    columns: Int[Tensor, "Z"]
    values: Float[Tensor, "Z"]
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def counts(self) -> Int[Tensor, "N"]:
        """How many features of each row are not 0."""
        return self.starts.diff()

    def select(self, rows: Int[Tensor, "M"]) -> SparseRows:
        """These rows, in this order."""
        counts = self.counts[rows]
        starts = functional.pad(counts.cumsum(0), (1, 0))
        shift = (self.starts[rows] - starts[:-1]).repeat_interleave(counts)
        places = shift + torch.arange(len(shift), device=shift.device)
        return SparseRows(starts, self.columns[places], self.values[places], self.width)

    def first(self, count: int) -> SparseRows:
        """The first rows."""
        end = int(self.starts[count])
        return SparseRows(self.starts[: count + 1], self.columns[:end], self.values[:end], self.width)

    def to(self, device: torch.device) -> SparseRows:
        """The rows on a device."""
        return SparseRows(self.starts.to(device), self.columns.to(device), self.values.to(device), self.width)

    def dropped(self, noise: Noise | None) -> SparseRows:
        """The rows through dropout: what is 0 stays 0, so only the rest is asked."""
        if noise is None:
            return self
        changed = replace(self, values=noise.drop(self.values))
        changed.__dict__["turned"] = self.turned  # the places have not changed, so their order is not found again
        return changed

    @cached_property
    def turned(self) -> tuple[Tensor, Tensor, Tensor]:
        """The transpose: the order of the places by column, the row of each in it, and where each column starts."""
        order = self.columns.argsort(stable=True)
        rows = torch.arange(len(self), device=order.device).repeat_interleave(self.counts)
        counts = self.columns.bincount(minlength=self.width)
        return order, rows[order], functional.pad(counts.cumsum(0), (1, 0))[:-1]


Rows = Float[Tensor, "_ _"] | SparseRows  # (N, F)


class _SparseProduct(torch.autograd.Function):
    """rows @ weight, and backward the transpose of the rows @ gradient: sums of few vectors, both."""

    @staticmethod
    def forward(ctx: Any, weight: Float[Tensor, "F W"], rows: SparseRows) -> Float[Tensor, "N W"]:
        ctx.rows = rows
        return _sums(rows.columns, weight, rows.starts[:-1], rows.values)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Float[Tensor, "N W"]) -> tuple[Tensor, None]:
        order, rows, starts = ctx.rows.turned
        return _sums(rows, gradient, starts, ctx.rows.values[order]), None


def _sums(which: Tensor, vectors: Tensor, starts: Tensor, weights: Tensor) -> Tensor:
    weights = weights.to(vectors.dtype)
    return functional.embedding_bag(which, vectors.contiguous(), starts, mode="sum", per_sample_weights=weights)


class RowMap(nn.Module):
    """x W for rows of either kind."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: Rows) -> Float[Tensor, "N W"]:
        """The mapped rows."""
        if isinstance(x, SparseRows):
            return _SparseProduct.apply(self.weight, x)  # type: ignore[no-untyped-call]
        return x.to(self.weight.dtype) @ self.weight


def drop_rows(noise: Noise | None, x: Rows) -> Rows:
    """Rows through the step's dropout."""
    if isinstance(x, SparseRows):
        return x.dropped(noise)
    return x if noise is None else noise.drop(x)


def first_rows(x: Rows, count: int) -> Rows:
    """The first rows."""
    return x.first(count) if isinstance(x, SparseRows) else x[:count]


def select_rows(x: Rows, rows: Int[Tensor, "M"]) -> Rows:
    """These rows, in this order."""
    return x.select(rows) if isinstance(x, SparseRows) else x.index_select(0, rows)
