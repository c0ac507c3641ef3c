"""What a run decides before its first step: how long it is, how it learns, and which segmentations it is shown.

Each decision is the user's where one was given, else that of the session that began the run, else a default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil

import torch

from mirada.operations.choice import why_not
from mirada.training import budget as budgets
from mirada.training.budget import Budget
from mirada.training.config import AnyRunConfig, LearningConfig
from mirada.training.crew import FEWEST_TOKENS, WIDE, parts_for
from mirada.training.defaults import SAMPLED_AFTER, default_dropout, default_rate, default_warmup
from mirada.training.loop import Course
from mirada.training.precision import choose
from mirada.training.record import RunRecord
from mirada.training.stretches import OptimizerKind


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over the data: how many steps it takes, and its tokens."""

    steps: float
    tokens: int


def decide_budget(
    training: LearningConfig, before: RunRecord | None, one: Pass, within: Callable[[float], Budget]
) -> Budget:
    """The budget that was asked for; a run that goes on keeps its own, or its share of other minutes.

    `within` measures how much fits into some minutes, and is asked only where nothing else tells.
    """
    asked = training.budget
    if before is not None:
        if asked == before.asked:
            return before.budget
        if asked.minutes is not None and before.asked.minutes is not None:
            return _scaled(before.budget, asked.minutes / before.asked.minutes, one)
    if asked.minutes is None:
        return budgets.by_count(asked, one.steps, one.tokens, training.validations)
    return within(asked.minutes)


def decide_parts(config: AnyRunConfig, before: RunRecord | None, device: torch.device, largest: int) -> int:
    """Into how many parts a step is cut. Sums are rounded, so a run that goes on keeps to what it began with."""
    if before is not None:
        return int(str(before.decided.get("parts", 1)))
    if device.type != "cpu" or config.whole_batches:
        return 1
    if config.model.width >= WIDE and not _compiled(config, device):
        return 1
    # A part must hold the largest row of a batch.
    return parts_for(torch.get_num_threads(), config.training.batch_tokens, max(FEWEST_TOKENS, largest))


def _compiled(config: AnyRunConfig, device: torch.device) -> bool:
    """Whether a compiled library serves, each of whose operations is the work of one thread."""
    return why_not(choose(config.training.precision, device)[0]) is None


def decide_optimizer(config: AnyRunConfig, before: RunRecord | None) -> OptimizerKind:
    """By what the weights learn; a run that goes on keeps to what it began with."""
    if config.training.optimizer is not None:
        return config.training.optimizer
    if before is not None:
        return "muon" if before.decided.get("optimizer") == "muon" else "adam"
    return config.optimizer


def _scaled(budget: Budget, share: float, one: Pass) -> Budget:
    steps = max(1, round(budget.steps * share))
    return budget.model_copy(update={"steps": steps, "epochs": round(steps / one.steps, 3)})


@dataclass(frozen=True)
class Decisions:
    """What was decided about a run with this config and budget."""

    config: AnyRunConfig
    budget: Budget
    stored: int  # variants of the data that there are
    parts: int  # of a step, computed side by side
    optimizer: OptimizerKind
    earlier: Mapping[str, object]  # what the session that began the run has decided

    @property
    def dropout(self) -> float:
        """The dropout of the run; it does not change when the run goes on with another budget."""
        if self.config.training.dropout is not None:
            return self.config.training.dropout
        passes = self.config.passes_by_heart(self.budget.epochs, self.segmentations)
        return float(str(self.earlier.get("dropout", default_dropout(passes))))

    @property
    def segmentations(self) -> int:
        """How many variants of the data are shown; a run that goes on keeps to what it began with."""
        if "segmentations" in self.earlier:
            return int(str(self.earlier["segmentations"]))
        sampled = self.config.samples or self.budget.epochs > SAMPLED_AFTER
        return self.stored if sampled else 1

    @property
    def course(self) -> Course:
        """The numbers that the loop follows."""
        training, width, steps = self.config.training, self.config.model.width, self.budget.steps
        return Course(
            total=steps,
            validate_every=ceil(steps / self.budget.validations),
            schedule=training.schedule,
            peak=training.rate or default_rate(width) * (self.config.rate_by_muon if self.optimizer == "muon" else 1),
            warmup=training.warmup or default_warmup(training, steps),
            width=width,
            accumulate=training.accumulate,
            parts=self.parts,
            clip=training.clip,
            smoothing=training.smoothing,
            dropout=self.dropout,
            seed=training.seed,
            select=training.select,
            patience=training.patience,
            average=training.average,
            save_seconds=60 * training.save_minutes,
        )

    def record(self, identity: dict[str, object], preset: str, precision: torch.dtype) -> RunRecord:
        """What is written down, for whoever reads it and for when the run goes on."""
        course = self.course
        decided: dict[str, object] = {
            "preset": preset,
            "schedule": course.schedule,
            "optimizer": self.optimizer,
            "rate": round(max(course.rate(course.warmup), course.rate(1)), 6),
            "warmup": course.warmup,
            "dropout": course.dropout,
            "segmentations": self.segmentations,
            "parts": self.parts,
            "precision": str(precision).removeprefix("torch."),
            "threads": torch.get_num_threads(),
        }
        return RunRecord(
            task=self.config.task,
            identity=identity,
            asked=self.config.training.budget,
            budget=self.budget,
            decided=decided,
        )
