"""What a run of a forecaster is made of."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from mirada.models.config import Strict
from mirada.models.forecasting_config import LONGEST, ForecasterConfig, ForecastModelConfig
from mirada.training.config import AnyRunConfig, BudgetConfig, LearningConfig

Parts = tuple[float, float, float]


class SeriesConfig(Strict):
    """From a table to windows."""

    horizon: int = Field(default=24, ge=1, le=LONGEST, description="steps that are foretold")
    season: int | None = Field(default=None, ge=1, le=LONGEST, description="steps after which it repeats; by its step")
    columns: tuple[str, ...] | None = Field(default=None, min_length=1, description="all that hold numbers")
    split: Literal["ett"] | Parts = Field(
        default=(0.7, 0.1, 0.2),
        description="train, dev, test in this order of time: shares, or steps; ett: 12, 4 and 4 months of 30 days",
    )

    @field_validator("split")
    @classmethod
    def _is_a_split(cls, value: Literal["ett"] | Parts) -> Literal["ett"] | Parts:
        if value == "ett":
            return value
        if min(value) <= 0 or (max(value) < 1 < sum(value) - 1e-9):
            raise ValueError(f"data.split = {list(value)}; use shares such as [0.7, 0.1, 0.2], or numbers of steps")
        if max(value) >= 1 and any(part != int(part) for part in value):
            raise ValueError(f"data.split = {list(value)} mixes shares and steps; use one kind")
        return value


class ForecastTrainingConfig(LearningConfig):
    """How a forecaster learns: few passes, since windows overlap, and in float32, since numbers need their digits."""

    budget: BudgetConfig = BudgetConfig(epochs=6)
    batch_tokens: int = Field(default=6_400, ge=1, description="patches of all channels in a batch")
    rate: float | None = Field(default=3e-3, gt=0, description="the highest learning rate")
    dropout: float | None = Field(default=0.3, ge=0, lt=1)
    smoothing: float = Field(default=0.0, ge=0, le=0)
    precision: Literal["fp32"] = "fp32"
    select: Literal["loss"] = "loss"
    validation_windows: int = Field(default=1_000, ge=1, description="of the development part, looked at each time")


class ForecastRunConfig(AnyRunConfig):
    """A whole run of a forecaster."""

    task = "forecast"

    data: SeriesConfig = SeriesConfig()
    model: ForecastModelConfig = ForecasterConfig()
    training: ForecastTrainingConfig = ForecastTrainingConfig()
