"""How well a series is foretold: squared and absolute errors, and how honest the quantiles are.

Legend: B windows, H steps that come, C channels, Q quantiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

Numbers = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class ForecastScore:
    """Mean errors over all windows, steps and channels, in units of each channel's deviation in training.

    Of quantiles that were said, the squared error is that of their mean and the absolute one that of the median: no
    other number that stands for what may come has less.
    """

    mse: float
    mae: float
    windows: int
    pinball: float | None = None  # the mean over all quantiles; of none, nothing
    below: tuple[tuple[float, float], ...] = ()  # each quantile, and the share of truths that were not above it

    @property
    def band(self) -> tuple[float, float] | None:
        """The share that should lie between the outer quantiles, and the share that did."""
        if len(self.below) < 2:
            return None
        (lowest, under), (highest, within) = self.below[0], self.below[-1]
        return highest - lowest, within - under

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        told: dict[str, object] = {"mse": self.mse, "mae": self.mae, "windows": self.windows}
        if self.pinball is not None:
            told["pinball"] = self.pinball
            told["below"] = {f"{quantile:g}": share for quantile, share in self.below}
        if self.band is not None:
            told["band"] = {"wanted": round(self.band[0], 10), "found": self.band[1]}
        return told


@dataclass(frozen=True, slots=True)
class ForecastScores:
    """A forecaster beside what it must beat, on the same windows."""

    model: ForecastScore
    naive: ForecastScore  # the last season once more
    linear: ForecastScore  # a line through the past
    horizon: int
    context: int
    season: int
    channels: int

    @property
    def named(self) -> dict[str, ForecastScore]:
        """The scores by the names that people are told."""
        return {"model": self.model, "seasonal naive": self.naive, "linear": self.linear}

    @property
    def signature(self) -> str:
        """How they were computed."""
        read = f"horizon:{self.horizon}|context:{self.context}|season:{self.season}"
        counted = f"channels:{self.channels}|windows:{self.model.windows}"
        return f"{read}|{counted}|standardised|squared:mean|absolute:median"

    def as_json(self) -> dict[str, object]:
        """The scores for programs."""
        beside = {"seasonal_naive": self.naive.as_json(), "linear": self.linear.as_json()}
        return {**self.model.as_json(), **beside, "horizon": self.horizon, "signature": self.signature}


def shares_of(quantiles: Sequence[float]) -> Float[np.ndarray, "Q"]:
    """How much of all that may come each quantile stands for: what lies nearer to it than to its neighbours."""
    if not quantiles:
        return np.ones(1)
    said = np.array(quantiles)
    return np.diff(np.concatenate([[0.0], (said[1:] + said[:-1]) / 2, [1.0]]))


class Tally:
    """Errors as they are met, window after window."""

    def __init__(self, quantiles: Sequence[float], middle: int) -> None:
        self._quantiles, self._middle = np.array(quantiles), middle
        self._shares = shares_of(quantiles)
        self._squared = self._absolute = self._pinball = 0.0
        self._below = np.zeros(len(quantiles))
        self._count = self._windows = 0

    def add(self, said: Float[np.ndarray, "B H C Q"], truth: Float[np.ndarray, "B H C"]) -> None:
        """Count some windows; of several quantiles that were said, they rise."""
        error = truth.astype(np.float64)[..., None] - said
        point = error[..., self._middle]
        self._squared += float(np.square(error @ self._shares).sum())
        self._absolute += float(np.abs(point).sum())
        if len(self._quantiles):
            self._pinball += float(np.maximum(self._quantiles * error, (self._quantiles - 1) * error).sum())
            self._below += (error <= 0).sum((0, 1, 2))
        self._count += truth.size
        self._windows += len(truth)

    def score(self) -> ForecastScore:
        """What was met so far."""
        count = max(1, self._count)
        shares = zip(self._quantiles.tolist(), (self._below / count).tolist(), strict=True)
        pinball = self._pinball / count / len(self._quantiles) if len(self._quantiles) else None
        return ForecastScore(self._squared / count, self._absolute / count, self._windows, pinball, tuple(shares))
