"""The loop: batch after batch, validated, saved, and stopped where it should.

All chance is a function of (seed, step): the order of batches, the segmentations, the dropout. What must be kept to go
on is `Progress` and the optimizer's state, and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Generic

import torch
from torch import Tensor

from mirada.data.position import Position
from mirada.data.stream import AnyBatch, Batches
from mirada.layers.noise import Noise
from mirada.tasks.task import Score, Task
from mirada.training import averaging, checkpoint, metrics
from mirada.training.checkpoint import Progress
from mirada.training.crew import Crew
from mirada.training.forcing import Chance, Forcing, TeacherForcing
from mirada.training.memory import give_back, keep_memory
from mirada.training.optimizer import Optimizer
from mirada.training.report import Reporter, Tick
from mirada.training.schedule import ScheduleKind, rate_at
from mirada.training.stopping import Stop

Refit = Callable[[Progress], "Course | None"]  # another course from here on, or None to stay on the present one

BAD_STEPS = 3  # in a row, and the run stops
LOG_EVERY = 10  # steps between two lines of metrics


class DivergedError(ValueError):
    """A run whose gradients are no numbers any more."""


@dataclass(frozen=True, slots=True)
class Course:
    """The numbers that a run follows, decided before its first step; one of minutes is fitted to them once more."""

    total: int  # steps
    validate_every: int
    schedule: ScheduleKind
    peak: float
    warmup: int
    width: int
    accumulate: int
    parts: int  # batches of a step that are computed side by side
    clip: float
    smoothing: float
    dropout: float
    seed: int
    select: str
    patience: int
    average: int
    save_seconds: float

    @property
    def batches(self) -> int:
        """How many batches make one step."""
        return self.accumulate * self.parts

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        return rate_at(self.schedule, step, peak=self.peak, warmup=self.warmup, total=self.total, width=self.width)


class Loop(Generic[AnyBatch]):
    """A run from one step to its last, or to where it is stopped."""

    def __init__(
        self,
        task: Task[AnyBatch],
        order: Batches[AnyBatch],
        optimizer: Optimizer,
        course: Course,
        folder: Path,
        reporter: Reporter,
        stop: Stop,
        device: torch.device,
        forcing: Forcing[AnyBatch] | None = None,
    ) -> None:
        self._forcing = TeacherForcing(task) if forcing is None else forcing
        self._task, self._order, self._optimizer, self._course = task, order, optimizer, course
        self._folder, self._reporter, self._stop, self._device = folder, reporter, stop, device
        keep_memory()
        self._crew = Crew(course.parts, torch.get_num_threads())
        optimizer.divide(self._crew)
        self._saved_at = time.monotonic()
        self._saved_kept: tuple[int, ...] = ()

    def run(self, progress: Progress, refit: Refit | None = None) -> Progress:
        """Go on until the budget is used, nothing gets better, or somebody stops the run.

        `refit` is asked after every validation but the last, when the checkpoint of that step is written.
        """
        self._stop.guarding = True  # from here on there is something to save
        metrics.cut_after(self._folder, progress.step)
        self._saved_kept = progress.kept
        batches = self._order.from_position(progress.position)
        while not self.finished(progress):
            course = self._course
            progress = self._step(batches, progress)
            if progress.skipped_in_a_row >= BAD_STEPS:
                self._give_up(progress)
            if progress.step % course.validate_every == 0 or progress.step == course.total:
                progress = self._validate(progress)
                self._save(progress)
                if refit is not None and not self.finished(progress):
                    self._course = refit(progress) or course
            elif self._stop.wanted or time.monotonic() - self._saved_at > course.save_seconds:
                self._save(progress)
            if self._stop.wanted:
                break
        return progress

    def finished(self, progress: Progress) -> bool:
        """Whether the run has nothing left to do."""
        return progress.step >= self._course.total or self._out_of_patience(progress)

    def time_steps(self, seconds: float, fewest: int) -> tuple[float, float]:
        """The mean seconds of a step and its tokens, by making some that are then to be forgotten."""
        batches = self._order.from_position(Position())
        progress = Progress()
        for _ in range(2):  # the first steps allocate and warm up
            progress = self._learn(list(islice(batches, self._course.batches)), progress)[0]
        before, start, count = progress.tokens, time.perf_counter(), 0
        while count < fewest or time.perf_counter() - start < seconds:
            progress = self._learn(list(islice(batches, self._course.batches)), progress)[0]
            count += 1
        return (time.perf_counter() - start) / count, (progress.tokens - before) / count

    def _step(self, batches: Iterator[tuple[AnyBatch, Position]], progress: Progress) -> Progress:
        start = time.perf_counter()
        group = list(islice(batches, self._course.batches))
        before = progress
        progress, loss, norm = self._learn(group, progress)
        after = group[-1][1]
        seconds = progress.seconds + time.perf_counter() - start
        progress = progress.model_copy(update={"epoch": after.epoch, "batch": after.batch, "seconds": seconds})
        rate = (progress.tokens - before.tokens) / max(1e-9, progress.seconds - before.seconds)
        if progress.updates == before.updates:
            self._reporter.say(f"step {progress.step}: the gradient is not finite; the step is skipped")
        self._reporter.step(Tick(progress.step, self._course.total, progress.epoch, loss, rate))
        if progress.step % LOG_EVERY == 0:
            self._log(
                progress,
                "training",
                loss=round(loss, 5),
                gradient=round(norm, 5) if isfinite(norm) else None,
                rate=self._course.rate(progress.step),
                tokens_per_second=round(rate),
            )
        return progress

    def _learn(self, group: list[tuple[AnyBatch, Position]], progress: Progress) -> tuple[Progress, float, float]:
        """One update from a group of batches; the mean loss of their tokens, and the gradient's norm."""
        course, step = self._course, progress.step + 1
        chance = Chance(course.seed, step, course.total)
        expected = sum(len(batch.expected) for batch, _ in group)

        def learn_from(number: int, batch: AnyBatch) -> tuple[float, Tensor]:
            noise = Noise(course.dropout, course.seed, step, self._device, number)
            share = len(batch.expected) / expected
            loss = self._forcing.loss(batch, noise, course.smoothing, chance) * share
            return float(loss.detach()), self._optimizer.gradients(loss)

        total = 0.0
        for loss, gradient in self._crew.map(learn_from, [batch for batch, _ in group]):
            total += loss
            self._optimizer.add(gradient)
        norm = self._optimizer.step(course.rate(step), course.clip)
        self._forcing.step()
        give_back(step)
        good = isfinite(norm)
        return (
            progress.model_copy(
                update={
                    "step": step,
                    "updates": progress.updates + good,
                    "tokens": progress.tokens + sum(batch.tokens for batch, _ in group),
                    "skipped": progress.skipped + (not good),
                    "skipped_in_a_row": 0 if good else progress.skipped_in_a_row + 1,
                }
            ),
            total,
            norm,
        )

    def _validate(self, progress: Progress) -> Progress:
        start = time.perf_counter()
        score = self._task.validate(progress.step)
        best = is_best(score, progress.scores, self._course.select)
        scores = (*progress.scores, score)
        kept = best_steps(scores, self._course.select, self._course.average)
        if score.step in kept:
            averaging.keep(self._folder, score.step, self._optimizer.weights())
        self._reporter.validated(score, best, self._course.select)
        seconds = progress.seconds + time.perf_counter() - start
        self._log(progress, "validation", loss=round(score.loss, 5), **score.values)
        worse = 0 if best else progress.worse + 1
        return progress.model_copy(update={"scores": scores, "kept": kept, "worse": worse, "seconds": seconds})

    def _out_of_patience(self, progress: Progress) -> bool:
        return 0 < self._course.patience <= progress.worse

    def _save(self, progress: Progress) -> None:
        checkpoint.save(self._folder, progress, self._optimizer.state() | self._forcing.state())
        # The checkpoint before this one may still be needed, and with it the weights that it names.
        averaging.drop_others(self._folder, (*progress.kept, *self._saved_kept))
        self._saved_kept = progress.kept
        self._saved_at = time.monotonic()

    def _give_up(self, progress: Progress) -> None:
        """The weights are those of the last good step; going on tries the next batches from there."""
        self._save(progress.model_copy(update={"skipped_in_a_row": 0}))
        raise DivergedError(
            f"{BAD_STEPS} steps in a row, up to step {progress.step}, had a gradient that is not finite; the last "
            f"good weights are saved in {self._folder}. Try a lower training.rate (it is "
            f"{self._course.rate(progress.step):.2g}) or training.clip in a new folder"
        )

    def _log(self, progress: Progress, kind: str, **values: object) -> None:
        facts = {"step": progress.step, "kind": kind, "seconds": round(progress.seconds, 2), "tokens": progress.tokens}
        metrics.append(self._folder, facts | values)


def is_best(score: Score, earlier: tuple[Score, ...], name: str) -> bool:
    """Whether a score is better than all before it."""
    return all(score.measure(name) > other.measure(name) for other in earlier)


def best_steps(scores: tuple[Score, ...], name: str, count: int) -> tuple[int, ...]:
    """The steps of the best scores, in order; of equals, the later ones."""
    best = sorted(scores, key=lambda score: (score.measure(name), score.step), reverse=True)[:count]
    return tuple(sorted(score.step for score in best))
