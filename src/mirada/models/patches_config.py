"""What a reader of pictures is made of (ViT, Dosovitskiy et al. 2021)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from mirada.corpora.pictures.picture import PictureShape
from mirada.layers.block import NormOrder
from mirada.layers.feed_forward import Activation
from mirada.layers.norm import NormKind
from mirada.layers.patches import PatchGrid, PatchPosition
from mirada.models.config import WIDEST, Shape, StackConfig, check_heads

MOST_PATCHES = 90  # of a frame, where nobody says how large they are: 9 rows of 9, and some more
FEWEST_PATCHES = 4
FEWEST_PIXELS = 2  # of a side: single pixels tell little, and are many
Stem = Literal["linear", "convolution"]


class PatchesConfig(Shape):
    """The reader of pictures: patches as states, and a stack in which every place may look at all."""

    kind: Literal["patches"] = "patches"
    patch: int | None = Field(default=None, ge=1, le=4_096, description="pixels of a side; by the size of the pictures")
    stem: Stem = "linear"
    class_token: bool = Field(default=False, description="whether a place of its own gathers what the picture shows")
    position: PatchPosition = "sinusoidal"  # as good as learned ones, and at once (Beyer et al. 2022)
    width: int = Field(default=128, ge=2, le=WIDEST)
    feed_forward: int = Field(default=512, ge=1, le=8 * WIDEST)
    activation: Activation = "gelu"
    norm: NormKind = "layer"
    norm_order: NormOrder = "pre"
    stack: StackConfig = StackConfig()

    @property
    def places(self) -> None:
        """How many places the model has vectors for: as many as its pictures have patches."""
        return

    @property
    def prefix(self) -> int:
        """How many places stand before the patches."""
        return int(self.class_token)

    @property
    def size(self) -> str:
        """The size of the model in words."""
        stack = self.stack
        patch = "" if self.patch is None else f", patches of {self.patch} × {self.patch}"
        patch += "" if self.stem == "linear" else ", a stem of convolutions"
        return (
            f"{stack.layers} layers, width {self.width}, feed-forward {self.feed_forward:,}, {stack.heads} heads{patch}"
        )

    def grid(self, shape: PictureShape) -> PatchGrid:
        """How pictures of this shape are cut."""
        patch = suited_patch(shape, self.stem) if self.patch is None else self.patch
        if shape.height % patch or shape.width % patch:
            raise ValueError(
                f"model.patch = {patch} does not divide pictures of {shape.height} × {shape.width}; use --set "
                f"data.size={patch * max(1, round(shape.height / patch))}, or another patch"
            )
        return PatchGrid(shape.frames, shape.height // patch, shape.width // patch, patch, shape.channels)

    def places_of(self, shape: PictureShape) -> int:
        """How many places a picture of this shape has."""
        return self.prefix + self.grid(shape).places

    @model_validator(mode="after")
    def _heads_fit(self) -> PatchesConfig:
        check_heads(self.width, stack=self.stack)
        return self


def suited_patch(shape: PictureShape, stem: Stem) -> int:
    """The smallest patch that cuts a frame into few enough patches, so that a place is seen often."""
    for most in (MOST_PATCHES, 4 * MOST_PATCHES):
        for patch in range(FEWEST_PIXELS, max(shape.height, shape.width) + 1):
            whole = shape.height % patch == 0 and shape.width % patch == 0 and (stem == "linear" or _halving(patch))
            if whole and FEWEST_PATCHES <= (shape.height // patch) * (shape.width // patch) <= most:
                return patch
    raise ValueError(
        f"no patch suits pictures of {shape.height} × {shape.width}; use --set data.size="
        f"{8 * max(1, shape.height // 8)}, or --set model.patch with a number that divides both sides"
    )


def _halving(patch: int) -> bool:
    return patch > 1 and patch & (patch - 1) == 0
