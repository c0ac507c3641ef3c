"""What a run of a masked model, or of the two language models of ELMo, is made of."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from mirada.models.config import Strict
from mirada.models.reading_config import ElmoConfig, EncoderConfig
from mirada.training.config import AnyRunConfig, LearningConfig
from mirada.training.language_config import TextConfig
from mirada.training.stretches import OptimizerKind


class SentencesConfig(TextConfig):
    """From text files to rows of sentences."""

    units: Literal["subwords"] = "subwords"
    longest: int = Field(default=128, ge=8, le=100_000, description="tokens of a row")


class MaskingConfig(Strict):
    """Which words are hidden, and what stands in their place."""

    share: float = Field(default=0.15, gt=0, lt=1, description="of the tokens of a row, hidden")
    masked: float = Field(default=0.8, ge=0, le=1, description="of these, become the mask")
    random: float = Field(default=0.1, ge=0, le=1, description="of these, become any token; the rest stays")
    whole_words: bool = Field(default=True, description="whether all pieces of a word are hidden together")

    @model_validator(mode="after")
    def _shares_fit(self) -> MaskingConfig:
        if self.masked + self.random > 1 + 1e-9:
            raise ValueError(
                f"masking.masked = {self.masked} and masking.random = {self.random} are more than all; "
                "use shares that add up to 1 or less"
            )
        return self


class ReadTextConfig(LearningConfig):
    """How a model learns from text that nobody labelled: towards the token itself, with nothing smoothed."""

    smoothing: float = Field(default=0.0, ge=0, lt=1)
    select: Literal["loss"] = "loss"
    validation_tokens: int = Field(default=50_000, ge=1, description="of the development text, looked at each time")


class MaskedTrainingConfig(ReadTextConfig):
    """How a masked model learns."""

    next_sentence: bool = Field(default=False, description="whether it learns what follows what, too")
    next_sentence_weight: float = Field(default=1.0, gt=0, le=1_000, description="of that loss beside the words'")


class MaskedRunConfig(AnyRunConfig):
    """A whole run of a masked model."""

    task = "mlm"

    data: SentencesConfig = SentencesConfig()
    masking: MaskingConfig = MaskingConfig()
    model: EncoderConfig = EncoderConfig()
    training: MaskedTrainingConfig = MaskedTrainingConfig()

    @property
    def optimizer(self) -> OptimizerKind:
        return "muon"

    @model_validator(mode="after")
    def _parts_fit(self) -> MaskedRunConfig:
        if self.model.spelling:
            raise ValueError(
                f"model.spelling = {self.model.spelling} reads words as bags, which no word can be said from; use 0"
            )
        places = self.model.places
        if places is not None and places < self.data.longest:
            raise ValueError(
                f"model.position has {places} places, fewer than data.longest = {self.data.longest}; "
                f"use learned({self.data.longest}), or a smaller data.longest"
            )
        if self.training.next_sentence and self.model.segments < 2:
            raise ValueError(
                f"training.next_sentence tells two segments apart, but model.segments = {self.model.segments}; use 2"
            )
        return self


class ElmoRunConfig(AnyRunConfig):
    """A whole run of two language models."""

    task = "elmo"

    data: SentencesConfig = SentencesConfig()
    model: ElmoConfig = ElmoConfig()
    training: ReadTextConfig = ReadTextConfig()
