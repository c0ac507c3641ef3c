"""The folder of a forecaster: as that of a translator, with what its numbers mean and the line it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from pydantic import Field, model_validator
from safetensors.torch import save as to_bytes
from torch import Tensor

from mirada.corpora.clock import Clock
from mirada.models.config import Strict
from mirada.models.folder import AnyFolderConfig, FolderError, load_model, read_config_of, read_tensors, save_folder
from mirada.models.forecasting import ForecastModel, build_forecaster
from mirada.models.forecasting_config import LONGEST, ForecastModelConfig

LINEAR = "linear.safetensors"


class Channel(Strict):
    """A column of a series, and how it is scaled: by its mean and deviation in the training part."""

    name: str = Field(max_length=10_000)
    mean: float
    deviation: float = Field(gt=0)


class StepConfig(Strict):
    """How far it is from one step of a series to the next."""

    seconds: int = Field(default=0, ge=0)
    months: int = Field(default=0, ge=0)
    numbers: int = Field(default=0, ge=0)

    @classmethod
    def of(cls, clock: Clock) -> StepConfig:
        """The step of a clock."""
        return cls(seconds=clock.seconds, months=clock.months, numbers=clock.numbers)


class ForecastFolderConfig(AnyFolderConfig):
    """`config.json` of a forecaster."""

    task: Literal["forecast"] = "forecast"
    horizon: int = Field(ge=1, le=LONGEST)
    season: int = Field(ge=1, le=LONGEST)
    step: StepConfig
    channels: tuple[Channel, ...] = Field(min_length=1, max_length=5_000)
    series: str = Field(max_length=100)  # the digest of the one that it learnt from
    test: tuple[int, int]  # the steps of that series that are its test part
    known_until: str = Field(max_length=100)  # the time of the last step before that part
    model: ForecastModelConfig

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the channels."""
        return tuple(channel.name for channel in self.channels)

    @property
    def scale(self) -> tuple[Tensor, Tensor]:
        """The means and the deviations of the channels."""
        rows = [(channel.mean, channel.deviation) for channel in self.channels]
        means, deviations = torch.tensor(rows, dtype=torch.float64).T
        return means, deviations

    @model_validator(mode="after")
    def _parts_fit(self) -> ForecastFolderConfig:
        if not 0 <= self.test[0] <= self.test[1]:
            raise ValueError(f"test = {self.test}: steps from 0 on, the first before the last")
        return self


@dataclass(frozen=True, eq=False)
class LoadedForecaster:
    """A forecaster that is ready to be used, and the weights of the line that it is compared with."""

    config: ForecastFolderConfig
    model: ForecastModel
    linear: Tensor


def save(folder: Path, config: ForecastFolderConfig, tensors: Mapping[str, Tensor], linear: Tensor, card: str) -> None:
    """Write the folder of a forecaster."""
    save_folder(folder, config, tensors, {LINEAR: to_bytes({"weights": linear.contiguous()})}, card)


def load(folder: Path) -> LoadedForecaster:
    """The forecaster of a folder, in float32."""
    config = read_config(folder)
    model = load_model(folder, lambda: build_forecaster(config.model, config.horizon, len(config.channels)))
    linear = read_tensors(folder / LINEAR).get("weights")
    if linear is None or linear.shape != (config.model.context, config.horizon) or not linear.is_floating_point():
        raise FolderError(f"{folder / LINEAR} does not fit the config; copy the whole folder again")
    return LoadedForecaster(config, model, linear)


def read_config(folder: Path) -> ForecastFolderConfig:
    """The config of a folder."""
    return read_config_of(folder, "forecaster", {"forecast": ForecastFolderConfig})
