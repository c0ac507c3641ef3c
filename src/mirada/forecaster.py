"""The façade of forecasters: foretells a series, and says how well it would have foretold one.

Legend: H steps that come, C channels, Q quantiles, K steps that are known.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray

from mirada.corpora.clock import read_moment
from mirada.corpora.pair import CorpusError
from mirada.corpora.series import Series, read_series
from mirada.data.series_windows import starts_in
from mirada.evaluation.baselines import Linear
from mirada.evaluation.forecasting import ForecastScores
from mirada.models.forecasting_folder import LoadedForecaster, StepConfig, load
from mirada.tasks.forecasting import compare


@dataclass(frozen=True, eq=False)
class Forecast:
    """What a model says of the steps after the past, in the series' own units, and what came where that is known."""

    names: tuple[str, ...]
    time: str
    times: tuple[str, ...]
    quantiles: tuple[float, ...]  # none: the mean alone was said
    middle: int
    said: Float[np.ndarray, "H C Q"]
    past: Float[np.ndarray, "K C"]
    truth: Float[np.ndarray, "K2 C"]

    @property
    def point(self) -> Float[np.ndarray, "H C"]:
        """The median, or the mean."""
        return self.said[..., self.middle]

    def table(self) -> list[list[str]]:
        """A header and a row for each step: its time, then each channel's point forecast and its quantiles."""
        header, rows = [self.time], [[time] for time in self.times]
        for channel, name in enumerate(self.names):
            header += [name, *(f"{name} q{quantile:g}" for quantile in self.quantiles)]
            for row, point, said in zip(rows, self.point[:, channel], self.said[:, channel], strict=True):
                row += [_number(point), *(map(_number, said) if self.quantiles else ())]
        return [header, *rows]

    def as_csv(self) -> str:
        """The table as text."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(self.table())
        return out.getvalue()

    def as_json(self) -> dict[str, object]:
        """The forecast for programs."""
        channels = {
            name: {
                "forecast": self.point[:, channel].tolist(),
                "quantiles": {f"{q:g}": self.said[:, channel, k].tolist() for k, q in enumerate(self.quantiles)},
                "truth": self.truth[:, channel].tolist(),
            }
            for channel, name in enumerate(self.names)
        }
        return {"times": list(self.times), "channels": channels}


@dataclass(frozen=True, eq=False)
class Forecaster:
    """A forecaster that is ready to be used."""

    loaded: LoadedForecaster

    @classmethod
    def load(cls, folder: Path | str) -> Forecaster:
        """The forecaster of a folder."""
        return cls(load(Path(folder)))

    def read(self, path: Path) -> Series:
        """A series that has this model's channels and its step."""
        config = self.loaded.config
        series = read_series(path, config.names)
        if StepConfig.of(series.clock) != config.step:
            raise CorpusError(
                f"{path} has steps of one {series.clock.step}, but the model learnt from others "
                f"({config.step.model_dump_json(exclude_defaults=True)}); give a series with its step"
            )
        return series

    def forecast(self, series: Series, back: int = 0) -> Forecast:
        """What comes after the series, or after all of it but its last `back` steps."""
        config, end = self.loaded.config, len(series) - back
        context, horizon = config.model.context, config.horizon
        if back < 0 or end < context:
            raise CorpusError(
                f"the series has {max(0, end):,} steps before the forecast, and the model reads {context:,}; "
                "give a longer one"
            )
        past = self._scaled(series.values[end - context : end])
        with torch.inference_mode():
            said = self.loaded.model(past[None])[0].sort(-1).values.double()
        means, deviations = (one[:, None] for one in config.scale)
        return Forecast(
            config.names,
            series.time or "step",
            tuple(series.clock.shown(end + ahead) for ahead in range(horizon)),
            config.model.quantiles,
            config.model.middle,
            (said * deviations + means).numpy(),
            series.values[end - context : end],
            series.values[end : end + horizon],
        )

    def score(self, series: Series) -> tuple[ForecastScores, str]:
        """How well the model foretells a series, beside simpler ways, and which part of it was scored."""
        config = self.loaded.config
        first, last, which = self._unseen(series)
        context = max(config.model.context, config.season)
        starts = starts_in(first, last, context, config.horizon)
        if not len(starts):
            raise CorpusError(
                f"no window of {context:,} steps and {config.horizon:,} after it lies in {which}; give a longer one"
            )
        linear = Linear(self.loaded.linear.double().numpy())
        values = self._scaled(series.values)
        return compare(self.loaded.model, values, starts, config.season, linear), which

    def _unseen(self, series: Series) -> tuple[int, int, str]:
        """The steps that a score may be of: none that the model has learnt from or was chosen by."""
        config = self.loaded.config
        if series.digest == config.series:
            return *config.test, "the test part of the series that it learnt from"
        known = read_moment(config.known_until)
        if not isinstance(known, datetime) or not isinstance(series.clock.first, datetime):
            return 0, len(series), "the whole series"
        first = max(0, int(np.floor(series.clock.step_of(known))) + 1)
        return first, len(series), "the whole series" if first == 0 else f"the part after {config.known_until}"

    def _scaled(self, values: NDArray[np.float64]) -> torch.Tensor:
        means, deviations = self.loaded.config.scale
        return ((torch.from_numpy(values) - means) / deviations).float()


def _number(value: float) -> str:
    return f"{value:.6g}"
