"""Rotary positions: pairs of numbers turned by angles that grow with the place.

Legend: B batch, H heads, N places, D head width, D2 half of it.
"""

from __future__ import annotations

import ctypes
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from mirada.native import learning
from mirada.native.learning import Turn
from mirada.operations.choice import NUMBERS
from mirada.operations.heads import dense, strides


def turn(
    x: Float[Tensor, "B H N D"], cosines: Float[Tensor, "N D2"], sines: Float[Tensor, "N D2"]
) -> Float[Tensor, "B H N D"]:
    """Each pair (x_d, x_{d+D/2}) turned by the angle of its place, whose cosine and sine are float32."""
    return _Turned.apply(dense(x), cosines, sines)  # type: ignore[no-untyped-call]


class _Turned(torch.autograd.Function):
    """Pairs turned by angles; a gradient is turned back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        ctx.save_for_backward(cosines, sines)
        return _turned(x, cosines, sines, 1.0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        cosines, sines = ctx.saved_tensors
        return _turned(dense(gradient), cosines, sines, -1.0), None, None


def _turned(x: Tensor, cosines: Tensor, sines: Tensor, sign: float) -> Tensor:
    turned = torch.empty_like(x)
    sizes = ctypes.byref(Turn(*x.shape, strides(x)))
    learning.call(
        "mirada_turn", NUMBERS[x.dtype], sizes,
        x.data_ptr(), cosines.data_ptr(), sines.data_ptr(), sign, turned.data_ptr(),
    )  # fmt: skip
    return turned
