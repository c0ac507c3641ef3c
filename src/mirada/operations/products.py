"""Products of matrices in float32, by whichever of torch's two libraries uses the whole width of the processor.

torch leaves them to MKL, which computes with vectors of 256 bits on every processor of AMD. Zen 5 computes with 512 at
once, so that half of each core would idle; oneDNN, which torch brings as well, is 1.2 to 2 times as fast there. Earlier
ones split a wide vector in two, and neither library is ahead. The processor decides, not a trial of both: the same
numbers on the same machine must give the same bits in every run.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

LEAST = 2**22  # multiplications from which a product is worth the way to oneDNN, some microseconds


def linear(
    x: Float[Tensor, "... _"], weight: Float[Tensor, "O _"], bias: Float[Tensor, "O"] | None = None
) -> Float[Tensor, "... O"]:
    """x Wᵀ + b."""
    if torch.is_grad_enabled() and _serves(x, weight):
        return _Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return functional.linear(x, weight, bias)


def multiplied(
    x: Float[Tensor, "... _"], weight: Float[Tensor, "O _"], bias: Float[Tensor, "O"] | None = None
) -> Float[Tensor, "... O"]:
    """x Wᵀ + b, through which no gradient flows back."""
    if _serves(x, weight):
        return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")  # noqa: SLF001 it has no other name
    return functional.linear(x, weight, bias)


def _serves(x: Tensor, weight: Tensor) -> bool:
    """Whether a product is oneDNN's."""
    wide = all(one.dtype == torch.float32 and one.device.type == "cpu" for one in (x, weight))
    fitting = x.shape[-1] == weight.shape[-1]
    return wide and fitting and x.numel() * len(weight) >= LEAST and _idles_by_mkl()


@cache
def _idles_by_mkl() -> bool:
    """Whether this is a processor of AMD whose vectors are wider than MKL's: a Zen 5, which knows this instruction."""
    processor = torch.cpu.get_capabilities()
    zen_5 = str(processor.get("cpu_name")).startswith("AMD") and bool(processor.get("avx512_vp2intersect"))
    return zen_5 and torch.backends.mkldnn.is_available()


class _Linear(torch.autograd.Function):
    """A linear map whose three products are oneDNN's."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return multiplied(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        falls = gradient.flatten(0, -2)
        to_x = multiplied(gradient, weight.T) if ctx.needs_input_grad[0] else None
        to_weight = multiplied(falls.T, x.flatten(0, -2).T) if ctx.needs_input_grad[1] else None
        return to_x, to_weight, falls.sum(0) if ctx.needs_input_grad[2] else None
