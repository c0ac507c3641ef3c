"""What a run of a language model is made of."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from mirada.models.config import LanguageModelConfig, LearntLanguageConfig, Strict, unset
from mirada.text.units import UnitKind
from mirada.training.config import AnyRunConfig, LearningConfig
from mirada.training.stretches import OptimizerKind

TRANSPOSED = 5  # semitones, up or down: with the key of the piece, all keys but one


class TextConfig(Strict):
    """From text files to tokens."""

    units: UnitKind | None = Field(default=None, description="characters for little text, else subwords; events: music")
    vocabulary: int | None = Field(default=None, ge=300, le=200_000, description="subwords; by the size of the text")
    dev_share: float = Field(default=0.05, ge=0, lt=0.5, description="of each file, before the test's")
    test_share: float = Field(default=0.05, ge=0, lt=0.5, description="of each file, at its end")

    @model_validator(mode="after")
    def _vocabulary_fits(self) -> TextConfig:
        if self.units in ("characters", "events") and self.vocabulary is not None:
            raise ValueError("data.vocabulary counts subwords; leave it out, or use data.units = subwords")
        return self


class LanguageTrainingConfig(LearningConfig):
    """How a language model learns: towards the token itself, with nothing smoothed, since its loss is the measure."""

    smoothing: float = Field(default=0.0, ge=0, lt=1)
    select: Literal["loss"] = "loss"
    transpose: int | None = Field(
        default=None,
        ge=0,
        le=12,
        exclude_if=unset,
        description=f"semitones that music is moved at most, up or down; {TRANSPOSED} where it is passed over often",
    )
    validation_tokens: int = Field(default=50_000, ge=1, description="of the development text, looked at each time")


class LanguageRunConfig(AnyRunConfig):
    """A whole run of a language model."""

    task = "lm"

    data: TextConfig = TextConfig()
    model: LearntLanguageConfig = LanguageModelConfig()
    training: LanguageTrainingConfig = LanguageTrainingConfig()

    @property
    def samples(self) -> bool:
        return self.training.transpose is not None

    def passes_by_heart(self, passes: float, variants: int) -> float:
        if variants > 1:
            return passes / variants  # a piece in another key is as good as another piece
        # Tinyshakespeare after 7 passes, seed 2: loss 1.467 without dropout, 1.490 with 0.1.
        return passes / 2 if self.training.decay and isinstance(self.model, LanguageModelConfig) else passes

    @property
    def optimizer(self) -> OptimizerKind:
        return "muon" if isinstance(self.model, LanguageModelConfig) else "adam"

    @property
    def rate_by_muon(self) -> float:
        return 2.0
