"""Noise: dropout whose bits are a function of (seed, step, place).

A step's generator starts from the seed and the number of the step, and each place of the model draws in its turn: the
same step has the same bits after a resume. A bit costs an eighth of a 64-bit word, not a random float.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

LEVELS = 256  # one byte decides about one number: rates are kept to 1/256


class Noise:
    """The dropout of one training step. A model that is given none drops nothing."""

    def __init__(self, rate: float, seed: int, step: int, device: torch.device | str = "cpu") -> None:
        if not 0 <= rate < 1:
            raise ValueError(f"dropout = {rate}; use 0 or more, and less than 1")
        self.threshold = round(rate * LEVELS)
        self.generator = torch.Generator(device)
        # An odd multiplier spreads neighbouring steps over all 64 bits of the seed.
        self.generator.manual_seed((seed * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9) % 2**63)

    def drop(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """x with some numbers set to zero and the others scaled, so that its mean stays."""
        if self.threshold == 0 or x.numel() == 0:
            return x
        return _Drop.apply(x, self._kept(x), LEVELS / (LEVELS - self.threshold))  # type: ignore[no-untyped-call]

    def _kept(self, x: Float[Tensor, "..."]) -> Bool[Tensor, "..."]:
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device)
        words.random_(-(2**63), None, generator=self.generator)
        return (words.view(torch.uint8)[: x.numel()] >= self.threshold).view(x.shape)


class _Drop(torch.autograd.Function):
    """x · kept · scale; only the bits are held for the backward pass."""

    @staticmethod
    def forward(ctx: Any, x: Float[Tensor, "..."], kept: Bool[Tensor, "..."], scale: float) -> Float[Tensor, "..."]:
        ctx.save_for_backward(kept)
        ctx.scale = scale
        return (x * kept).mul_(scale)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        (kept,) = ctx.saved_tensors
        return (gradient * kept).mul_(ctx.scale), None, None


def drop(noise: Noise | None, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x through the step's dropout, or as it is where there is none."""
    return x if noise is None else noise.drop(x)
