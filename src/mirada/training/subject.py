"""A subject: what a run learns, as its session sees it once the data is ready and the config is decided.

The loop, the optimizer, the budget, checkpoints and averaging are the same for every task. What differs stands here:
the batches, the model with its loss and its score, and what a finished folder holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, runtime_checkable

import torch
from torch import nn

from mirada.data.stream import AnyBatch, Batches
from mirada.tasks.task import Task
from mirada.training.checkpoint import Progress
from mirada.training.config import AnyRunConfig
from mirada.training.forcing import Forcing
from mirada.training.preparing import Say
from mirada.training.record import RunRecord
from mirada.training.result import Reached


@dataclass(frozen=True, eq=False)
class Learner(Generic[AnyBatch]):
    """A model as it is before the first step, its task, and the way it is trained."""

    model: nn.Module
    task: Task[AnyBatch]
    forcing: Forcing[AnyBatch]


@runtime_checkable
class Subject(Protocol[AnyBatch]):
    """One task with its data and its config."""

    @property
    def config(self) -> AnyRunConfig:
        """What was decided about the run."""

    @property
    def variants(self) -> int:
        """How many variants of the data there are: segmentations of each text, keys of each piece."""

    @property
    def largest(self) -> int:
        """The most tokens of a row of a batch: no batch may be smaller."""

    @property
    def held_out(self) -> tuple[float, float]:
        """How many tokens could be trained on in the time of a validation, and in that of the test at the end."""

    def batches(self, budget: int, variants: int) -> Batches[AnyBatch]:
        """The training data in batches of so many tokens, shown in so many variants."""

    def learner(self, device: torch.device) -> Learner[AnyBatch]:
        """A fresh model: the same numbers at every call."""

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> Reached:
        """Write the finished folder."""


SKETCHED = 300  # tokens of the vocabulary of a sketch


@dataclass(frozen=True, eq=False)
class Ready:
    """Data that is ready: the preset that suits it, and the subject of a run with a preset of this name."""

    suited: str
    subject: Callable[[str], Subject[Any]]


@runtime_checkable
class Family(Protocol):
    """One task and what was asked of it, before its data is read."""

    @property
    def presets(self) -> tuple[str, ...]:
        """The sizes of models that are chosen by the data, from the smallest."""

    @property
    def started(self) -> nn.Module | None:
        """The trained model that the run begins from."""

    def config(self, preset: str) -> AnyRunConfig:
        """The whole config of a run that begins with this preset."""

    def sketch(self, preset: str) -> nn.Module:
        """A model of this preset with the smallest vocabulary: what cannot be built is told before hours are spent."""

    def prepare(self, preset: str, say: Say) -> Ready:
        """The data, made ready now or earlier; presets differ in models, not in how data is prepared."""
