"""Noise: dropout whose bits are a function of (seed, step, part, place).

The generator of a part of a step starts from the seed and the two numbers, and each place of the model draws in its
turn: the same step has the same bits after a resume. A bit costs an eighth of a 64-bit word, not a random float.
"""

from __future__ import annotations

from itertools import count

import torch
from jaxtyping import Float
from torch import Tensor

from mirada.operations import dropping
from mirada.operations.choice import compiled

LEVELS = 256  # one byte decides about one number: rates are kept to 1/256


class Noise:
    """The dropout of one part of a training step. A model that is given none drops nothing."""

    def __init__(self, rate: float, seed: int, step: int, device: torch.device | str = "cpu", part: int = 0) -> None:
        if not 0 <= rate < 1:
            raise ValueError(f"dropout = {rate}; use 0 or more, and less than 1")
        self.threshold = min(round(rate * LEVELS), LEVELS - 1)
        self.generator = torch.Generator(device)
        # Odd multipliers spread neighbouring steps and parts over all 64 bits of the seed.
        mixed = seed * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9 + part * 0x94D049BB133111EB
        self.generator.manual_seed(mixed % 2**63)
        self._keys = count(mixed, 0xD1B54A32D192ED03)  # of the places that are dropped by a key, one after the other

    def drop(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """x with some numbers set to zero and the others scaled, so that its mean stays."""
        if self._by_key(x):
            return dropping.add_dropped(None, x, self._key(), self.threshold)
        mask = self.mask(x)
        return x if mask is None else x * mask

    def add_dropped(self, x: Float[Tensor, "..."], y: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """x + drop(y)."""
        if self._by_key(x, y) and x.shape == y.shape:
            return dropping.add_dropped(x, y, self._key(), self.threshold)
        return x + self.drop(y)

    def _by_key(self, *tensors: Tensor) -> bool:
        """Whether the library drops these, whose bits come from a key."""
        return self.threshold > 0 and tensors[0].numel() > 0 and compiled(*tensors)

    def _key(self) -> int:
        """The key of the next place, mixed so that neighbours have nothing in common (Steele et al. 2014)."""
        key = next(self._keys) % 2**64
        key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        key = (key ^ key >> 27) * 0x94D049BB133111EB % 2**64
        return key ^ key >> 31

    def mask(self, like: Float[Tensor, "..."]) -> Float[Tensor, "..."] | None:
        """A mask of this shape to multiply by, where one serves many places; None where nothing is dropped."""
        return None if self.threshold == 0 or like.numel() == 0 else self._kept(like)

    def _kept(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """0 for what is dropped, else the scale; in the precision of x, so that no product converts it again."""
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device)
        words.random_(-(2**63), None, generator=self.generator)
        # 0 below the threshold, else 1. A comparison and the conversion of what is true would take five times as long.
        below = self.threshold - 1
        kept = words.view(torch.uint8)[: x.numel()].clamp_(below, self.threshold).sub_(below)
        return kept.view(x.shape).to(x.dtype).mul_(LEVELS / (LEVELS - self.threshold))


def drop(noise: Noise | None, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x through the step's dropout, or as it is where there is none."""
    return x if noise is None else noise.drop(x)


def add_dropped(noise: Noise | None, x: Float[Tensor, "..."], y: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x + y, y through the step's dropout where there is one."""
    return x + y if noise is None else noise.add_dropped(x, y)
