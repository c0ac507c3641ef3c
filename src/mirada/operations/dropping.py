"""Dropout by a key: the same key drops the same numbers, so that nothing is kept for the gradient."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from mirada.native import learning
from mirada.operations.choice import NUMBERS, address


def add_dropped(
    x: Float[Tensor, "..."] | None, y: Float[Tensor, "..."], key: int, threshold: int
) -> Float[Tensor, "..."]:
    """x + dropout(y), or dropout(y) where there is no x; `threshold` of 256 numbers are dropped, the others scaled."""
    return _AddDropped.apply(x if x is None else x.contiguous(), y.contiguous(), key, threshold)  # type: ignore[no-untyped-call]


class _AddDropped(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor | None, y: Tensor, key: int, threshold: int) -> Tensor:
        ctx.key, ctx.threshold = key, threshold
        return _drop(x, y, key, threshold)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        to_y = _drop(None, gradient.contiguous(), ctx.key, ctx.threshold)
        return gradient if ctx.needs_input_grad[0] else None, to_y, None, None


def _drop(x: Tensor | None, y: Tensor, key: int, threshold: int) -> Tensor:
    answer = torch.empty_like(y)
    learning.call(
        "mirada_drop", NUMBERS[y.dtype], address(x), y.data_ptr(), answer.data_ptr(), y.numel(), key, threshold
    )  # fmt: skip
    return answer
