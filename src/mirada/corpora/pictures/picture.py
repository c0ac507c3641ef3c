"""A picture with what is said of it, and the size that all pictures of a run are brought to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from mirada.corpora.pair import Fault, Place

LARGEST_SIDE = 4_096  # of a picture that is trained on
MOST_FRAMES = 1_000

Frame = NDArray[np.uint8]  # [H, W] in gray, or [H, W, 3] in colour


class PictureShape(BaseModel):
    """What every picture of a run is brought to: so many frames of so many rows, columns and colours."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    frames: int = Field(default=1, ge=1, le=MOST_FRAMES)
    height: int = Field(ge=2, le=LARGEST_SIDE)
    width: int = Field(ge=2, le=LARGEST_SIDE)
    channels: Literal[1, 3] = 1

    @property
    def array(self) -> tuple[int, int, int, int]:
        """The same as numpy says it: F, H, W, C."""
        return self.frames, self.height, self.width, self.channels

    @property
    def bytes(self) -> int:
        """How many bytes a picture of this shape has."""
        return self.frames * self.height * self.width * self.channels

    def __str__(self) -> str:
        colour = "gray" if self.channels == 1 else "colour"
        frames = f"{self.frames} frames of " if self.frames > 1 else ""
        return f"{frames}{self.height} × {self.width} in {colour}"


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One picture, or the frames of a clip, as they were found; and what its file says of it."""

    frames: tuple[Frame, ...]
    place: Place
    label: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)  # by language; "" where none is named
    group: str = ""  # pictures of one group are never divided between training and test


Found = Picture | Fault


def as_frame(values: NDArray[Any]) -> Frame:
    """An array of bytes as a frame: [H, W], or [H, W, 3]; one channel is gray, a fourth one (alpha) is left out."""
    if values.ndim == 3 and values.shape[-1] == 1:
        values = values[..., 0]
    if values.ndim == 3 and values.shape[-1] == 4:
        values = values[..., :3]
    return np.ascontiguousarray(values, dtype=np.uint8)
