"""Augmentation: pictures shifted and mirrored, by chance that is a function of (seed, epoch, row)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STRANGER = 0x9E3779B97F4A7C15  # mixed into the seed, so that the order of the rows and their shifts are strangers


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How far pictures are shifted, in pixels to each side, and whether they may be mirrored."""

    shift: int = 0
    flip: bool = False

    def chances(self, seed: int, epoch: int, rows: int) -> NDArray[np.int16]:
        """What happens to each of so many rows in an epoch: shifts down and right, and whether it is mirrored."""
        generator = np.random.Generator(np.random.Philox(key=[(seed ^ STRANGER) % 2**64, epoch]))
        drawn = generator.integers(-self.shift, self.shift + 1, size=(rows, 3), dtype=np.int16)
        drawn[:, 2] = generator.integers(0, 2, size=rows) if self.flip else 0
        return drawn

    def apply(self, pictures: NDArray[np.uint8], chances: NDArray[np.int16]) -> NDArray[np.uint8]:
        """Pictures [B, F, H, W, C], each changed as its row of the chances [B, 3] says; an edge is repeated outwards.

        One gather does all: pixel (y, x) comes from (y − down, x − right), or from its mirror image.
        """
        batch, frames, height, width, channels = pictures.shape
        down, right, mirrored = (chances[:, number, None].astype(np.int64) for number in range(3))
        rows = np.clip(np.arange(height) - down, 0, height - 1)
        columns = np.clip(np.arange(width) - right, 0, width - 1)
        columns = np.where(mirrored, width - 1 - columns, columns)
        places = (rows[:, :, None] * width + columns[:, None, :]).reshape(batch, 1, height * width, 1)
        flat = pictures.reshape(batch, frames, height * width, channels)
        return np.take_along_axis(flat, places, axis=2).reshape(pictures.shape)


NOTHING = Augmentation()


def default_shift(height: int, width: int) -> int:
    """How far pictures of this size are shifted where nobody says it: a fourteenth, and the smallest not at all.

    On 8 × 8 digits, 27 passes with shifts of one pixel have 91.5 % right, without any 97.4 %.
    """
    return min(height, width) // 14
