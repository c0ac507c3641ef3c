"""Forecasting as a task: learn quantiles of what comes from the past, by the pinball loss, or the mean by squares.

Legend: B windows, N steps of the past, H steps that come, C channels, Q quantiles, T steps of the series.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from mirada.data.series_windows import SeriesBatch, windows_at
from mirada.evaluation.baselines import Linear, seasonal_naive
from mirada.evaluation.forecasting import ForecastScore, ForecastScores, Tally
from mirada.layers.noise import Noise
from mirada.models.forecasting import ForecastModel
from mirada.tasks.task import Score
from mirada.tasks.translation import evaluating

AT_ONCE = 16_384  # patches of a batch that is scored


def forecast_loss(
    said: Float[Tensor, "B H C Q"], truth: Float[Tensor, "B H C"], quantiles: Float[Tensor, "K"]
) -> Float[Tensor, ""]:
    """Mean of max(q · e, (q − 1) · e), e = truth − said (Koenker and Bassett 1978); of the mean alone, of e²."""
    error = truth[..., None] - said
    if not len(quantiles):
        return error.square().mean()
    return torch.maximum(quantiles * error, (quantiles - 1) * error).mean()


def forecasts(
    model: ForecastModel,
    values: Float[Tensor, "T C"],
    starts: NDArray[np.int64],
    device: torch.device | str = "cpu",
) -> Iterator[tuple[Float[Tensor, "B H C Q"], Float[Tensor, "B H C"]]]:
    """What a model says of windows, some at a time, and what came; quantiles that crossed are put in order.

    Sorting never makes a forecast worse: no quantile is further from the truth in the mean of all (Chernozhukov et al.
    2010).
    """
    shape = model.config
    rows = max(1, AT_ONCE // (shape.places * (model.channels if shape.channels == "independent" else 1)))
    with evaluating(model), torch.inference_mode():
        for first in range(0, len(starts), rows):
            past, truth = windows_at(values, starts[first : first + rows], shape.context, model.horizon)
            yield model(past.to(device)).sort(-1).values.cpu(), truth


def score_windows(
    model: ForecastModel, values: Float[Tensor, "T C"], starts: NDArray[np.int64], device: torch.device | str = "cpu"
) -> ForecastScore:
    """The errors of a model over windows of a series."""
    tally = Tally(model.config.quantiles, model.config.middle)
    for said, truth in forecasts(model, values, starts, device):
        tally.add(said.numpy(), truth.numpy())
    return tally.score()


def compare(
    model: ForecastModel,
    values: Float[Tensor, "T C"],
    starts: NDArray[np.int64],
    season: int,
    linear: Linear,
) -> ForecastScores:
    """A model beside the last season and a line through the past, on the same windows."""
    numbers = values.numpy()
    naive, line = Tally((), 0), Tally((), 0)
    rows = max(1, AT_ONCE // values.shape[1])
    for first in range(0, len(starts), rows):
        some = starts[first : first + rows]
        truth = numbers[some[:, None] + np.arange(model.horizon)]
        naive.add(seasonal_naive(numbers, some, model.horizon, season)[..., None], truth)
        line.add(linear(numbers, some)[..., None], truth)
    return ForecastScores(
        score_windows(model, values, starts),
        naive.score(),
        line.score(),
        model.horizon,
        model.config.context,
        season,
        model.channels,
    )


class ForecastTask:
    """A forecaster that learns; a validation looks at windows of the development part."""

    def __init__(
        self,
        model: ForecastModel,
        values: Float[Tensor, "T C"],
        starts: NDArray[np.int64],
        device: torch.device | None = None,
    ) -> None:
        self._model, self._values, self._starts = model, values, starts
        self._device = torch.device("cpu") if device is None else device
        self._quantiles = torch.tensor(model.config.quantiles, device=self._device)

    def loss(self, batch: SeriesBatch, noise: Noise | None, smoothing: float) -> Tensor:
        batch = batch.to(self._device)
        return forecast_loss(self._model(batch.past, noise), batch.expected, self._quantiles)

    def validate(self, step: int) -> Score:
        found = score_windows(self._model, self._values, self._starts, self._device)
        return Score(step=step, loss=found.mse if found.pinball is None else found.pinball)
