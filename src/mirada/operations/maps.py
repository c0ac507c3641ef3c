"""Linear maps: several of the same states at once, and the two of a feed-forward layer.

Legend: R rows, I inputs, O outputs, F inner width.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from mirada.native import learning
from mirada.operations.choice import NUMBERS, address, compiled

ACTIVATIONS = {"relu": learning.RELU, "gelu": learning.GELU}


def map_states(x: Float[Tensor, "... I"], maps: Sequence[nn.Linear]) -> tuple[Tensor, ...]:
    """What each of the maps makes of the states; together, so that their gradients are added up once."""
    if not (0 < len(maps) <= learning.MOST_MAPS and _serves(x, maps)):
        return tuple(one(x) for one in maps)
    numbers = [number for one in maps for number in (one.weight, one.bias)]
    return _Maps.apply(x.contiguous(), *numbers)  # type: ignore[no-untyped-call]


def feed_forward(
    x: Float[Tensor, "... I"], inner: nn.Linear, output: nn.Linear, activation: Literal["relu", "gelu"]
) -> Float[Tensor, "... I"]:
    """V f(W x + b) + c."""
    biased = len([*inner.parameters(), *output.parameters()]) == 4
    fitting = inner.weight.shape == output.weight.shape[::-1]
    if not (biased and fitting and _serves(x, [inner]) and _learns(x, output)):
        hidden = inner(x)
        return output(functional.relu(hidden) if activation == "relu" else functional.gelu(hidden))
    arguments = x.contiguous(), inner.weight, inner.bias, output.weight, output.bias, ACTIVATIONS[activation]
    return _FeedForward.apply(*arguments)  # type: ignore[no-untyped-call]


def _serves(x: Tensor, maps: Sequence[nn.Linear]) -> bool:
    """Whether the library computes what these maps make of x."""
    fitting = all(one.weight.shape[1] == x.shape[-1] for one in maps)
    return fitting and x.numel() > 0 and all(_learns(x, one) for one in maps)


def _learns(x: Tensor, one: nn.Linear) -> bool:
    """Whether the library can compute with x and a map's numbers: all of those learn, and they come in pairs."""
    numbers = list(one.parameters())
    even = all(side % 2 == 0 for side in one.weight.shape)
    return even and compiled(x, *numbers) and all(number.requires_grad and number.is_contiguous() for number in numbers)


def _apply(x: Tensor, weight: Tensor, bias: Tensor | None, activation: int, entered: Tensor | None = None) -> Tensor:
    outputs, inputs = weight.shape
    y = x.new_empty(*x.shape[:-1], outputs)
    rows = x.numel() // inputs
    learning.call(
        "mirada_map", NUMBERS[x.dtype], x.data_ptr(), rows, inputs, outputs,
        weight.data_ptr(), address(bias), activation, y.data_ptr(), address(entered),
    )  # fmt: skip
    return y


class _Maps(torch.autograd.Function):
    """y = x Wᵀ + b, for some W and b."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *numbers: Tensor | None) -> tuple[Tensor, ...]:
        weights, biases = numbers[::2], numbers[1::2]
        ctx.save_for_backward(x, *weights)
        ctx.biased = [one is not None for one in biases]
        return tuple(
            _apply(x, weight, bias, learning.NONE)
            for weight, bias in zip(weights, biases, strict=True)
            if weight is not None
        )

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        x, *weights = ctx.saved_tensors
        falls = [one.contiguous() for one in gradients]
        to_weights = [torch.empty_like(one) for one in weights]
        pairs = zip(weights, ctx.biased, strict=True)
        to_biases = [weight.new_empty(len(weight)) if biased else None for weight, biased in pairs]
        to_x = torch.empty_like(x) if ctx.needs_input_grad[0] else None
        inputs = x.shape[-1]
        outputs = (ctypes.c_int32 * len(weights))(*(len(one) for one in weights))
        learning.call(
            "mirada_maps_back", NUMBERS[x.dtype], x.data_ptr(), x.numel() // inputs, inputs, len(weights), outputs,
            _addresses(weights), _addresses(falls), _addresses(to_weights), _addresses(to_biases), address(to_x),
        )  # fmt: skip
        return to_x, *(one for both in zip(to_weights, to_biases, strict=True) for one in both)


class _FeedForward(torch.autograd.Function):
    """V f(W x + b) + c; what left f is kept, and of GELU what entered it."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, output_weight: Tensor, output_bias: Tensor, activation: int
    ) -> Tensor:
        wide = x.new_empty(*x.shape[:-1], len(weight)) if activation == learning.GELU else None
        inner = _apply(x, weight, bias, activation, wide)
        ctx.save_for_backward(x, inner, wide, weight, output_weight)
        ctx.activation = activation
        return _apply(inner, output_weight, output_bias, learning.NONE)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, inner, entered, weight, output_weight = ctx.saved_tensors
        falls = gradient.contiguous()
        wide, width = weight.shape
        to_weight, to_output_weight = torch.empty_like(weight), torch.empty_like(output_weight)
        to_bias, to_output_bias = weight.new_empty(wide), weight.new_empty(width)
        to_x = torch.empty_like(x) if ctx.needs_input_grad[0] else None
        learning.call(
            "mirada_feed_forward_back", NUMBERS[x.dtype],
            x.data_ptr(), inner.data_ptr(), address(entered), falls.data_ptr(), x.numel() // width,
            width, wide, ctx.activation, weight.data_ptr(), output_weight.data_ptr(),
            to_weight.data_ptr(), to_bias.data_ptr(), to_output_weight.data_ptr(), to_output_bias.data_ptr(),
            address(to_x),
        )  # fmt: skip
        return to_x, to_weight, to_bias, to_output_weight, to_output_bias, None


def _addresses(tensors: Sequence[Tensor | None]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(tensors))(*map(address, tensors))
