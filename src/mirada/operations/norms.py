"""Layer norm.

Legend: W width.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from mirada.native import learning
from mirada.operations.choice import NUMBERS, compiled


def layer_norm(x: Float[Tensor, "... W"], norm: nn.LayerNorm) -> Float[Tensor, "... W"]:
    """(x − mean) / deviation · gain + shift, along the last axis."""
    numbers = list(norm.parameters())
    whole = len(numbers) == 2 and all(one.requires_grad and one.shape == x.shape[-1:] for one in numbers)
    if x.numel() == 0 or not whole or not compiled(x, *numbers):
        return norm(x)
    return _LayerNorm.apply(x.contiguous(), norm.weight, norm.bias, norm.eps)  # type: ignore[no-untyped-call]


class _LayerNorm(torch.autograd.Function):
    """The norm; of each row its mean and the inverse of its deviation are kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, shift: Tensor, epsilon: float) -> Tensor:
        width = x.shape[-1]
        rows = x.numel() // width
        facts, y = x.new_empty(2, rows, dtype=torch.float32), torch.empty_like(x)
        learning.call(
            "mirada_norm", NUMBERS[x.dtype], x.data_ptr(), gain.data_ptr(), shift.data_ptr(), epsilon, rows, width,
            y.data_ptr(), facts[0].data_ptr(), facts[1].data_ptr(),
        )  # fmt: skip
        ctx.save_for_backward(x, gain, facts)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, gain, facts = ctx.saved_tensors
        falls, width = gradient.contiguous(), x.shape[-1]
        to_x, to_gain, to_shift = torch.empty_like(x), torch.empty_like(gain), torch.empty_like(gain)
        learning.call(
            "mirada_norm_back", NUMBERS[x.dtype],
            x.data_ptr(), gain.data_ptr(), facts[0].data_ptr(), facts[1].data_ptr(),
            falls.data_ptr(), x.numel() // width, width, to_x.data_ptr(), to_gain.data_ptr(), to_shift.data_ptr(),
        )  # fmt: skip
        return to_x, to_gain, to_shift, None
