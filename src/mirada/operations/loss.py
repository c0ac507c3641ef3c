"""The cross-entropy of states against the tokens that should be said, with its own gradient.

Legend: M places that count, W model width, T vocabulary.
"""

from __future__ import annotations

import ctypes
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from mirada.native import learning
from mirada.operations.choice import NUMBERS, compiled


def serves(states: Float[Tensor, "M W"], weight: Float[Tensor, "T W"], bias: Float[Tensor, "T"]) -> bool:
    """Whether the library computes the loss of these."""
    learns = weight.requires_grad and bias.requires_grad and weight.is_contiguous()
    return weight.shape[1] % 2 == 0 and learns and compiled(states, weight, bias)


def cross_entropy(
    states: Float[Tensor, "M W"],
    weight: Float[Tensor, "T W"],
    bias: Float[Tensor, "T"],
    targets: Int[Tensor, "M"],
    smoothing: float,
) -> Float[Tensor, ""]:
    """The mean over all places; `smoothing` of the target's weight goes to all tokens alike."""
    if len(targets) != len(states) or int(targets.min()) < 0 or int(targets.max()) >= len(weight):
        raise ValueError(f"{len(states)} places need as many targets, each one of {len(weight)} tokens, counted from 0")
    arguments = states.contiguous(), weight, bias, targets.long().contiguous(), smoothing
    return _CrossEntropy.apply(*arguments)  # type: ignore[no-untyped-call]


class _CrossEntropy(torch.autograd.Function):
    """The gradients are computed with the loss, since both need all logits, and scaled when they are asked for."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float
    ) -> Float[Tensor, ""]:
        to_states, to_weight, to_bias = (torch.empty_like(one) for one in (states, weight, bias))
        total = ctypes.c_double()
        learning.call(
            "mirada_loss", NUMBERS[states.dtype], states.data_ptr(), len(states), states.shape[1],
            weight.data_ptr(), bias.data_ptr(), len(weight), targets.data_ptr(), smoothing,
            to_states.data_ptr(), to_weight.data_ptr(), to_bias.data_ptr(), ctypes.byref(total),
        )  # fmt: skip
        ctx.save_for_backward(to_states, to_weight, to_bias)
        ctx.count = len(states)
        return torch.tensor(total.value / len(states))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        share = float(gradient) / ctx.count
        to_states, to_weight, to_bias = ctx.saved_tensors
        return to_states * share, to_weight * share, to_bias * share, None, None
