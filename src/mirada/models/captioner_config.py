"""What a captioner is made of: a reader of pictures, and the decoder of a Transformer that looks at its patches."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from mirada.attention import Learned, Sinusoidal
from mirada.layers.block import NormOrder
from mirada.layers.feed_forward import Activation
from mirada.layers.norm import NormKind
from mirada.layers.patches import PatchPosition
from mirada.models.config import WIDEST, LookConfig, Shape, StackConfig, check_heads, size_of_two_stacks
from mirada.models.patches_config import PatchesConfig, Stem
from mirada.models.words import EnteredWord


class CaptionerConfig(Shape):
    """The captioner: patches to text."""

    kind: Literal["captioner"] = "captioner"
    patch: int | None = Field(default=None, ge=1, le=4_096, description="pixels of a side; by the size of the pictures")
    stem: Stem = "linear"
    patch_position: PatchPosition = "sinusoidal"
    width: int = Field(default=128, ge=2, le=WIDEST)
    feed_forward: int = Field(default=512, ge=1, le=8 * WIDEST)
    activation: Activation = "gelu"
    norm: NormKind = "layer"
    norm_order: NormOrder = "pre"
    position: EnteredWord = Sinusoidal()
    encoder: StackConfig = StackConfig()
    decoder: StackConfig = StackConfig()
    cross: LookConfig = LookConfig()

    @property
    def places(self) -> int | None:
        """How many places of a text the model has vectors for; None where it knows every place."""
        return self.position.places if isinstance(self.position, Learned) else None

    @property
    def reader(self) -> PatchesConfig:
        """The part that reads the picture."""
        return PatchesConfig(
            patch=self.patch,
            stem=self.stem,
            position=self.patch_position,
            width=self.width,
            feed_forward=self.feed_forward,
            activation=self.activation,
            norm=self.norm,
            norm_order=self.norm_order,
            stack=self.encoder,
        )

    @property
    def size(self) -> str:
        """The size of the model in words."""
        return size_of_two_stacks(self.encoder, self.decoder, self.width, self.feed_forward)

    @model_validator(mode="after")
    def _heads_fit(self) -> CaptionerConfig:
        check_heads(self.width, encoder=self.encoder, decoder=self.decoder, cross=self.cross)
        return self
