"""What a run of captioning is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from mirada.models.captioner_config import CaptionerConfig
from mirada.models.config import LookConfig, StackConfig
from mirada.training.config import AnyRunConfig, LearningConfig
from mirada.training.picture_config import PicturesConfig


class CaptionDataConfig(PicturesConfig):
    """From pictures with their captions to bytes and tokens."""

    vocabulary: int | None = Field(default=None, ge=300, le=200_000, description="subwords; by the size of the data")
    longest: int = Field(default=64, ge=2, le=10_000, description="tokens; longer captions are not trained on")


class CaptionTrainingConfig(LearningConfig):
    """How a captioner learns."""

    batch_tokens: int = Field(default=3_000, ge=16, description="patches and padded tokens of captions in a batch")
    dropout: float | None = Field(default=0.1, ge=0, lt=1)  # more costs a narrow reader of patches its sight
    select: Literal["chrf", "bleu", "loss"] = "chrf"
    validation_captions: int = Field(default=400, ge=1, description="of the development set, written each time")


class CaptionRunConfig(AnyRunConfig):
    """A whole run of captioning."""

    task = "caption"

    data: CaptionDataConfig = CaptionDataConfig()
    model: CaptionerConfig = CaptionerConfig()
    training: CaptionTrainingConfig = CaptionTrainingConfig()


@dataclass(frozen=True, slots=True)
class CaptionPreset:
    """The shape of a captioner, the tokens of a batch that suit it, and the captions that it is worth."""

    encoder: int
    decoder: int
    width: int
    heads: int
    batch_tokens: int
    captions: int = 0  # to train on, from which on it is chosen

    @property
    def config(self) -> CaptionerConfig:
        """The model."""
        return CaptionerConfig(
            width=self.width,
            feed_forward=4 * self.width,
            encoder=StackConfig(layers=self.encoder, heads=self.heads),
            decoder=StackConfig(layers=self.decoder, heads=self.heads),
            cross=LookConfig(heads=self.heads),
        )


CAPTION_SIZES = {
    "tiny": CaptionPreset(3, 2, 128, 4, 3_000),
    "small": CaptionPreset(6, 3, 256, 4, 6_000, captions=200_000),
    "base": CaptionPreset(12, 6, 512, 8, 12_000, captions=5_000_000),
}


def suited_captioner(captions: int) -> str:
    """The name of the largest model that so many captions are worth."""
    return [name for name, preset in CAPTION_SIZES.items() if captions >= preset.captions][-1]
