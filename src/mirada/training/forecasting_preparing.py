"""Preparing a series: read, divided by time, and scaled by what its training part tells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from mirada.corpora.clock import DAY, Clock
from mirada.corpora.pair import CorpusError
from mirada.corpora.series import Series, read_series
from mirada.data.series_windows import starts_in
from mirada.evaluation.baselines import Linear, fit_linear
from mirada.models.folder import write_file
from mirada.models.forecasting_folder import Channel
from mirada.training.facts import PreparedFacts
from mirada.training.forecasting_config import Parts, SeriesConfig
from mirada.training.preparing import DATA, FACTS, Say

ETT_MONTHS, MONTH = (12, 4, 4), 30 * DAY  # the split of Zhou et al. (2021), whose months have 30 days
STANDS_STILL = 1e-12  # a deviation below this, beside the numbers' size, is none


class SeriesFacts(PreparedFacts):
    """What a preparation found."""

    series: str  # the digest of its numbers
    channels: tuple[str, ...]
    step: str
    season: int
    train: int  # steps
    dev: int
    test: int
    remarks: tuple[str, ...]

    def told(self) -> str:
        parts = f"{self.train:,} steps trained on, {self.dev:,} looked at, {self.test:,} to test with"
        return f"{len(self.channels):,} channels in steps of one {self.step}: {parts}"


@dataclass(frozen=True, eq=False)
class PreparedSeries:
    """A series that is ready to train on."""

    series: Series
    channels: tuple[Channel, ...]
    season: int
    ends: tuple[int, int, int]  # of train, dev and test

    @cached_property
    def values(self) -> Float[Tensor, "T C"]:
        """The numbers, each channel with mean 0 and deviation 1 in the training part."""
        return standardised(self.series.values, self.channels)

    @property
    def training(self) -> Float[Tensor, "T C"]:
        """The training part."""
        return self.values[: self.ends[0]]

    def starts(self, part: Literal["train", "dev", "test"], context: int, horizon: int) -> NDArray[np.int64]:
        """Where windows begin to foretell so that they foretell this part alone; their past may lie before it."""
        first, last = {"train": (0, 0), "dev": (0, 1), "test": (1, 2)}[part]
        return starts_in(0 if part == "train" else self.ends[first], self.ends[last], context, horizon)

    def linear(self, context: int, horizon: int) -> Linear:
        """The line that fits the training part best."""
        return fit_linear(
            self.training.numpy().astype(np.float64), self.starts("train", context, horizon), context, horizon
        )

    @property
    def facts(self) -> SeriesFacts:
        """What was found, for people and programs."""
        train, dev, test = self.ends
        return SeriesFacts(
            series=self.series.digest,
            channels=self.series.names,
            step=self.series.clock.step,
            season=self.season,
            train=train,
            dev=dev - train,
            test=test - dev,
            remarks=self.series.remarks,
        )


def standardised(values: NDArray[np.float64], channels: tuple[Channel, ...]) -> Float[Tensor, "T C"]:
    """(x − mean) / deviation of each channel, in float32."""
    means = np.array([channel.mean for channel in channels])
    deviations = np.array([channel.deviation for channel in channels])
    return torch.from_numpy(((values - means) / deviations).astype(np.float32))


def prepare_series(folder: Path, path: Path, config: SeriesConfig, context: int, say: Say) -> PreparedSeries:
    """Read a series, tell what was found, and keep the facts in the run's folder."""
    series = read_series(path, config.columns)
    ends = divide(len(series), config.split, series.clock)
    prepared = PreparedSeries(series, _channels(series, ends[0]), config.season or series.clock.season, ends)
    _require_parts(prepared, context, config.horizon)
    for remark in series.remarks:
        say(remark)
    facts = prepared.facts
    say(
        f"{len(facts.channels):,} channels in steps of one {facts.step}: {facts.train:,} steps to train on, then "
        f"{facts.dev:,} to look at, then {facts.test:,} to test with; season {facts.season:,}."
    )
    (folder / DATA).mkdir(exist_ok=True)
    write_file(folder / DATA / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())
    return prepared


def divide(steps: int, split: Literal["ett"] | Parts, clock: Clock) -> tuple[int, int, int]:
    """Where the training, development and test parts of a series end; each lies later than the one before it."""
    if split == "ett":
        if not clock.seconds or MONTH % clock.seconds:
            raise CorpusError(f"data.split = ett is for steps of hours or minutes, not of one {clock.step}; use shares")
        counts = [float(months * MONTH // clock.seconds) for months in ETT_MONTHS]
    else:
        counts = [part * steps for part in split] if max(split) < 1 else list(split)
    ends = np.floor(np.cumsum(counts) + 1e-6).astype(np.int64).tolist()
    if ends[2] > steps:
        raise CorpusError(f"data.split asks for {ends[2]:,} steps, but the series has {steps:,}; use smaller parts")
    return ends[0], ends[1], ends[2]


def _channels(series: Series, end: int) -> tuple[Channel, ...]:
    """How each channel is scaled; one that stands still in training is only shifted."""
    known = series.values[:end]
    means, deviations = known.mean(0), known.std(0)
    still = deviations <= STANDS_STILL * np.maximum(1.0, np.abs(means))
    rows = zip(series.names, means.tolist(), np.where(still, 1.0, deviations).tolist(), strict=True)
    return tuple(Channel(name=name, mean=mean, deviation=deviation) for name, mean, deviation in rows)


def _require_parts(prepared: PreparedSeries, context: int, horizon: int) -> None:
    train, dev, test = prepared.ends
    if train < context + horizon:
        raise CorpusError(
            f"{train:,} steps to train on are fewer than a window of model.context = {context:,} and data.horizon = "
            f"{horizon:,}; give a longer series, or use --set model.context={max(1, (train - horizon) // 2)} "
            "with a model.patch and a model.stride that fit"
        )
    for name, steps in (("development", dev - train), ("test", test - dev)):
        if steps < horizon:
            raise CorpusError(
                f"the {name} part has {steps:,} steps, fewer than data.horizon = {horizon:,}; use another data.split, "
                "a shorter horizon, or a longer series"
            )
    if prepared.season > train:
        raise CorpusError(f"data.season = {prepared.season:,} is longer than the {train:,} steps to train on; use less")
