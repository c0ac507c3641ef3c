"""A session: one stretch of a run, from where its folder stands to its end or to where it is stopped."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Generic

import torch
from torch import nn

from mirada.data.stream import AnyBatch, Batches
from mirada.models import folder as model_folder
from mirada.models.folder import FolderError
from mirada.operations.choice import why_not
from mirada.training import budget as budgets
from mirada.training import checkpoint
from mirada.training import record as records
from mirada.training.checkpoint import Progress
from mirada.training.decisions import Decisions, Pass, decide_budget, decide_optimizer, decide_parts
from mirada.training.loop import Course, Loop, Refit
from mirada.training.optimizer import Optimizer
from mirada.training.pace import Pace
from mirada.training.precision import choose, choose_device
from mirada.training.preparing import Files
from mirada.training.record import RunRecord
from mirada.training.report import Reporter
from mirada.training.result import Reached
from mirada.training.stopping import Stop
from mirada.training.stretches import Settings
from mirada.training.subject import Subject
from mirada.training.vectors_start import EMBEDDING, begin_with_vectors

TO_MEASURE = budgets.Budget(steps=1_000, validations=1, epochs=1, why="to measure")


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    finished: bool
    step: int
    total: int
    result: Reached | None  # None where it was stopped


class _Plan:
    """What was decided about a run, as it stands in the run's record."""

    def __init__(
        self, folder: Path, decisions: Decisions, identity: dict[str, object], preset: str, precision: torch.dtype
    ) -> None:
        self._folder, self._decisions = folder, decisions
        self._identity, self._preset, self._precision = identity, preset, precision
        self.record = self._write()

    def change(self, budget: budgets.Budget) -> Course:
        """Another length from here on; what a run keeps when it goes on is kept here as well."""
        self._decisions = replace(self._decisions, budget=budget, earlier=self.record.decided)
        self.record = self._write()
        return self._decisions.course

    def _write(self) -> RunRecord:
        record = self._decisions.record(self._identity, self._preset, self._precision)
        records.write(self._folder, record)
        return record


class Session(Generic[AnyBatch]):
    """A run whose data and config are known."""

    def __init__(
        self,
        files: Files,
        folder: Path,
        subject: Subject[AnyBatch],
        started: nn.Module | None,
        reporter: Reporter,
        stop: Stop,
        begun: float,
    ) -> None:
        self._files, self._folder, self._subject, self._started = files, folder, subject, started
        self._config = subject.config
        self._reporter, self._stop, self._begun = reporter, stop, begun
        training = self._config.training
        self._device = choose_device(training.device)
        self._type, self._why = choose(training.precision, self._device)
        if training.threads is not None:
            torch.set_num_threads(training.threads)
        self._before = records.read(folder)
        self._parts = decide_parts(self._config, self._before, self._device, subject.largest)
        self._optimizer = decide_optimizer(self._config, self._before)
        self._order = self._order_of(1)
        self._pass = Pass(self._order.batches_in(0) / (training.accumulate * self._parts), self._order.tokens)

    @cached_property
    def parameters(self) -> int:
        """How many numbers the model learns, but for its embedding."""
        model = self._subject.learner(self._device).model
        return sum(one.numel() for name, one in model.named_parameters() if not name.endswith(EMBEDDING))

    @cached_property
    def _timing(self) -> tuple[float, float]:
        """The seconds and the tokens of a step, measured."""
        share = budgets.MEASURE_SHARE * 60 * (self._config.training.budget.minutes or 1)
        least, most = budgets.MEASURE_SECONDS
        loop = self._loop(self._decisions(TO_MEASURE), None)
        return loop.time_steps(min(max(share, least), most), budgets.MEASURE_STEPS)

    def tokens_in(self, minutes: float) -> float:
        """How many tokens the model can be shown in this time."""
        seconds, tokens = self._timing
        return 60 * minutes / seconds * tokens

    def train(self, preset: str = "") -> Outcome:
        """Go on where the folder stands, or begin. The name of the preset is kept for when the run goes on."""
        before = self._before
        found = checkpoint.load(self._folder, self._reporter.warn)
        if before is None and found is not None:
            raise FolderError(f"{self._folder} has a checkpoint but no {records.NAME}; train into another folder")
        progress = found[0] if found else Progress()
        decisions = self._decisions(decide_budget(self._config.training, before, self._pass, self._within))
        budget = decisions.budget
        if before is not None and self._is_done(before, budget):
            self._reporter.say(
                f"{self._folder} is finished: {progress.step:,} steps. A larger budget would go on from there."
            )
            return Outcome(True, progress.step, before.budget.steps, before.result)
        if budget.steps < progress.step:
            raise FolderError(
                f"{self._folder} has made {progress.step:,} steps already, more than the {budget.steps:,} of this "
                "budget; give a larger one, or another --output"
            )
        if found is not None and before is not None and budget.steps > before.budget.steps:
            progress = progress.model_copy(update={"worse": 0})  # who gives more time wants it to be used
            checkpoint.save(self._folder, progress, found[1])
        identity = records.identity_of(self._files, self._config, self._started)
        plan = _Plan(self._folder, decisions, identity, preset, self._type)
        loop = self._loop(decisions, found)
        self._announce(plan.record, progress)
        progress = loop.run(progress, self._refit(plan, progress))
        total = plan.record.budget.steps
        if not loop.finished(progress):
            return Outcome(False, progress.step, total, None)
        if progress.step < total:
            self._reporter.say(f"Stopped early: nothing got better in the last {progress.worse} validations.")
        result = self._finish(plan.record, progress)
        return Outcome(True, progress.step, total, result)

    def _refit(self, plan: _Plan, start: Progress) -> Refit | None:
        """What fits a run of minutes to them at its first validation."""
        minutes = self._config.training.budget.minutes
        if minutes is None:
            return None
        pace = Pace(minutes, self._subject.held_out, start)

        def refit(progress: Progress) -> Course | None:
            before = plan.record.budget
            if before.settled:
                return None
            budget = pace.settle(before, progress)
            if budget.steps != before.steps:
                self._reporter.say(f"{budget.steps:,} steps fit into the time, not {before.steps:,} ({budget.why}).")
            return plan.change(budget)

        return refit

    def _finish(self, record: RunRecord, progress: Progress) -> Reached:
        result = self._subject.finish(record, progress, self._reporter.say)
        records.write(self._folder, record.model_copy(update={"status": "finished", "result": result}))
        return result

    def _is_done(self, before: RunRecord, budget: budgets.Budget) -> bool:
        if before.status != "finished" or not (self._folder / model_folder.WEIGHTS).exists():
            return False
        return budget.steps <= before.budget.steps

    def _decisions(self, budget: budgets.Budget) -> Decisions:
        earlier = {} if self._before is None else self._before.decided
        return Decisions(self._config, budget, self._subject.variants, self._parts, self._optimizer, earlier)

    def _within(self, minutes: float) -> budgets.Budget:
        """What fits into these minutes, by the measured time of a step."""
        timing, held_out = self._timing, self._subject.held_out
        spent = time.monotonic() - self._begun
        validations = self._config.training.validations
        return budgets.by_time(minutes, spent, timing, self._pass.steps, validations, held_out)

    def _loop(self, decisions: Decisions, found: tuple[Progress, dict[str, torch.Tensor]] | None) -> Loop[AnyBatch]:
        """A loop over a model that is fresh, or as a checkpoint left it."""
        training = self._config.training
        learner = self._subject.learner(self._device)
        fresh = found is None and self._started is None and decisions.budget is not TO_MEASURE
        if fresh and training.vectors is not None:
            self._reporter.say(begin_with_vectors(learner.model, self._folder, training.vectors))
        betas = training.beta_first, training.beta_second
        settings = Settings(self._optimizer, betas, decay=training.decay)
        optimizer = Optimizer(learner.model.train(), settings, self._type)
        if found is not None:
            optimizer.restore(found[1], found[0].updates)
            learner.forcing.restore(found[1])
        shown, course = decisions.segmentations, decisions.course
        order = self._order if shown == 1 else self._order_of(shown)
        return Loop(
            learner.task,
            order,
            optimizer,
            course,
            self._folder,
            self._reporter,
            self._stop,
            self._device,
            learner.forcing,
        )

    def _order_of(self, variants: int) -> Batches[AnyBatch]:
        return self._subject.batches(self._config.training.batch_tokens // self._parts, variants)

    def _missing(self) -> str:
        """Why what was compiled with mirada, and computes faster than torch, does not; nothing where it does."""
        reason = why_not(self._type) if self._device.type == "cpu" else None
        return "" if reason is None else f"; our own library, which is faster than torch, is not used: {reason}"

    def _announce(self, record: RunRecord, progress: Progress) -> None:
        model, say = self._config.model, self._reporter.say
        for remark in self._order.remarks:
            say(remark)
        say(
            f"Model {record.decided['preset']} ({model.kind}): {model.size}, "
            f"in {record.decided['precision']} ({self._why}{self._missing()})."
        )
        variants = int(str(record.decided["segmentations"]))
        say(
            f"{record.budget.steps:,} steps, {record.budget.epochs:g} passes ({record.budget.why}); rate "
            f"{record.decided['rate']} ({record.decided['schedule']}, {record.decided['optimizer']}), "
            f"dropout {record.decided['dropout']}{f', {variants} variants of the data' if variants > 1 else ''}."
        )
        if progress.step:
            say(f"Going on from step {progress.step:,}.")
