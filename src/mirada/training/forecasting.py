"""Forecasting as a run sees it: from a table and settings to a subject."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from mirada import __version__
from mirada.data.series_windows import SeriesBatch, SeriesWindows
from mirada.evaluation.baselines import Linear
from mirada.evaluation.forecasting import ForecastScores
from mirada.models import forecasting_folder
from mirada.models.folder import MetricRecord
from mirada.models.forecasting import ForecastModel, build_forecaster
from mirada.models.forecasting_folder import ForecastFolderConfig, StepConfig
from mirada.tasks.forecasting import ForecastTask, compare
from mirada.training import curves
from mirada.training.asked import Asked
from mirada.training.best import take_best
from mirada.training.checkpoint import Progress
from mirada.training.forcing import TeacherForcing
from mirada.training.forecasting_card import write_card
from mirada.training.forecasting_config import ForecastRunConfig
from mirada.training.forecasting_preparing import PreparedSeries, prepare_series
from mirada.training.preparing import Say
from mirada.training.record import RunRecord
from mirada.training.result import ForecastResult
from mirada.training.settings import ConfigError, Tree, kind_in, merge, validate_as
from mirada.training.subject import Learner, Ready

VALIDATION_COST = 0.4  # of the time that training on as many patches takes: no backward pass
SKETCHED_CHANNELS = 2
# Layers, width, and inner width of the feed-forward layers.
PRESETS = {"tiny": (1, 16, 32), "small": (2, 32, 64), "base": (3, 64, 128)}
SUITED = "small"


@dataclass(frozen=True, eq=False)
class ForecastFamily(Asked):
    """A forecaster that was asked for."""

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(PRESETS)

    @property
    def started(self) -> ForecastModel | None:
        return None

    def config(self, preset: str) -> ForecastRunConfig:
        if self.start is not None:
            raise ConfigError("--start is not for forecasters, which learn in minutes; leave it out")
        if len(self.files.train) != 1 or self.files.dev or self.files.test:
            raise ConfigError(
                "a forecaster learns from one series, whose later parts are set aside; name one CSV file, and use "
                "--set 'data.split=[0.7, 0.1, 0.2]' in place of --dev and --test"
            )
        below = preset_tree(preset, kind_in(self.settings))
        return validate_as(ForecastRunConfig, merge(below, self.settings), self.where)

    def sketch(self, preset: str) -> ForecastModel:
        config = self.config(preset)
        return build_forecaster(config.model, config.data.horizon, SKETCHED_CHANNELS)

    def prepare(self, preset: str, say: Say) -> Ready:
        config = self.config(preset)
        prepared = prepare_series(self.output, self.files.train[0], config.data, config.model.context, say)

        def subject(name: str) -> ForecastSubject:
            return ForecastSubject(self.output, self.config(name), prepared)

        return Ready(SUITED, subject)


def preset_tree(name: str, kind: str) -> Tree:
    """The model of a preset, of this kind."""
    if name not in PRESETS:
        raise ConfigError(f"--preset {name} is no size of a forecaster; use {', '.join(PRESETS)}")
    layers, width, feed_forward = PRESETS[name]
    stack: Tree = {"encoder": {"layers": layers}} if kind == "forecast_transformer" else {"stack": {"layers": layers}}
    return {"model": {"width": width, "feed_forward": feed_forward, **stack}}


@dataclass(frozen=True, eq=False)
class ForecastSubject:
    """A forecaster with its series and its config."""

    folder: Path
    config: ForecastRunConfig
    prepared: PreparedSeries

    @property
    def variants(self) -> int:
        return 1

    @property
    def largest(self) -> int:
        """The patches of one window."""
        model = self.config.model
        return model.places * (len(self.prepared.channels) if model.channels == "independent" else 1)

    @property
    def held_out(self) -> tuple[float, float]:
        windows = len(self._looked_at()), len(self._starts_of_test())
        return VALIDATION_COST * windows[0] * self.largest, VALIDATION_COST * windows[1] * self.largest

    def batches(self, budget: int, variants: int) -> SeriesWindows:
        config = self.config
        return SeriesWindows(
            self.prepared.training,
            config.model.context,
            config.data.horizon,
            self.largest,
            budget,
            config.training.seed,
        )

    def learner(self, device: torch.device) -> Learner[SeriesBatch]:
        model = self._model(self.config.training.seed)
        model.begin_with_line(torch.from_numpy(self._line.weights))
        task = self._task(model.to(device), device)
        return Learner(model, task, TeacherForcing(task))

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> ForecastResult:
        model = self._model()
        best = take_best(self.folder, model, self._task(model), progress, "loss")
        prepared, linear = self.prepared, self._line
        result = ForecastResult(
            development=best.development,
            parameters=best.parameters,
            steps=best.steps,
            test=compare(model, prepared.values, self._starts_of_test(), prepared.season, linear),
        )
        described = self._described(result)
        card = write_card(described, prepared.facts, record, progress, result, self.folder.name)
        forecasting_folder.save(self.folder, described, best.weights, torch.from_numpy(linear.weights), card)
        curves.tell(self.folder, say)
        return result

    @cached_property
    def _line(self) -> Linear:
        return self.prepared.linear(self.config.model.context, self.config.data.horizon)

    def _model(self, seed: int | None = None) -> ForecastModel:
        config = self.config
        return build_forecaster(config.model, config.data.horizon, len(self.prepared.channels), seed)

    def _task(self, model: ForecastModel, device: torch.device | None = None) -> ForecastTask:
        return ForecastTask(model, self.prepared.values, self._looked_at(), device)

    def _looked_at(self) -> NDArray[np.int64]:
        """Windows of the development part, taken evenly from all."""
        starts = self.prepared.starts("dev", self.config.model.context, self.config.data.horizon)
        most = min(len(starts), self.config.training.validation_windows)
        return starts[np.linspace(0, len(starts) - 1, most).astype(np.int64)]

    def _starts_of_test(self) -> NDArray[np.int64]:
        return self.prepared.starts("test", self.config.model.context, self.config.data.horizon)

    def _described(self, result: ForecastResult) -> ForecastFolderConfig:
        prepared = self.prepared
        return ForecastFolderConfig(
            mirada=__version__,
            horizon=self.config.data.horizon,
            season=prepared.season,
            step=StepConfig.of(prepared.series.clock),
            channels=prepared.channels,
            series=prepared.series.digest,
            test=(prepared.ends[1], prepared.ends[2]),
            known_until=prepared.series.clock.shown(prepared.ends[1] - 1),
            scores=recorded(result.test),
            model=self.config.model,
        )


def recorded(test: ForecastScores) -> dict[str, MetricRecord]:
    """The scores as a folder keeps them."""
    measured = {"mse": test.model.mse, "mae": test.model.mae, "pinball": test.model.pinball}
    measured |= {"naive_mse": test.naive.mse, "linear_mse": test.linear.mse}
    return {
        name: MetricRecord(score=value, signature=test.signature)
        for name, value in measured.items()
        if value is not None
    }
