"""A run, from files to a finished folder; called again with the same request, it goes on where it stopped."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

import torch

from mirada import __version__
from mirada.data.order import Order
from mirada.models import folder as model_folder
from mirada.models.build import build
from mirada.models.folder import FolderConfig, FolderError, Loaded
from mirada.models.transformer import Transformer
from mirada.tasks.translation import Development, TranslationTask
from mirada.training import budget as budgets
from mirada.training import checkpoint, finishing
from mirada.training import record as records
from mirada.training.checkpoint import Progress
from mirada.training.config import RunConfig, TrainingConfig
from mirada.training.loop import Course, Loop
from mirada.training.optimizer import AdamSettings, Optimizer
from mirada.training.precision import choose, choose_device
from mirada.training.preparing import Files, Prepared, prepare_data
from mirada.training.record import RunRecord
from mirada.training.report import Reporter
from mirada.training.settings import Tree, merge, preset_tree, validate
from mirada.training.stopping import Stop

RATE_AT_256 = 1.5e-3  # the highest rate of a model of width 256; wider ones bear less
WARMUP_SHARE, LONGEST_WARMUP = 0.08, 4_000
NOAM_WARMUP_SHARE = 0.3  # its peak falls as the warm-up grows
# How often the data is passed over, and the dropout that suits: what is seen often is soon known by heart.
DROPOUT = ((8.0, 0.1), (20.0, 0.2), (float("inf"), 0.3))
# What does not make a run another one: how long it is, how often it saves, and on how many cores it runs.
INCIDENTAL = {"budget", "save_minutes", "threads", "device"}


@dataclass(frozen=True)
class Request:
    """What the user wants trained, on what, and where it goes."""

    files: Files
    output: Path
    preset: str | None = None
    settings: Tree = field(default_factory=dict)  # from a file and the command line
    where: str = "the settings"  # for errors
    start: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    finished: bool
    step: int
    total: int
    result: finishing.Result | None  # None where it was stopped, or was finished before


def train(request: Request, reporter: Reporter, stop: Stop) -> Outcome:
    """Train, or go on training, until the budget is used or the run is stopped."""
    begun = time.monotonic()
    early = validate(merge(preset_tree(request.preset or "small"), request.settings), request.where)
    budgets.asked(early.training.budget)
    started = None if request.start is None else model_folder.load(request.start)
    _require_own_folder(request.output)
    request.output.mkdir(parents=True, exist_ok=True)
    prepared = prepare_data(
        request.output,
        request.files,
        early.data,
        early.training.seed,
        None if started is None else started.subwords,
        early.training.validation_sentences,
        reporter.say,
    )
    config = _complete(request, prepared, started)
    return _Run(request, config, prepared, started, reporter, stop, begun).train()


def _require_own_folder(output: Path) -> None:
    """A folder that holds something else is not written to."""
    if output.exists() and not output.is_dir():
        raise FolderError(f"--output {output} is a file; name a folder")
    known = {"data", model_folder.CONFIG, model_folder.SUBWORDS, records.NAME, "drops.tsv", "checkpoints"}
    if output.is_dir() and any(output.iterdir()) and not any((output / name).exists() for name in known):
        raise FolderError(f"--output {output} holds other files; name a new folder, or that of an earlier run")


def _complete(request: Request, prepared: Prepared, started: Loaded | None) -> RunConfig:
    """The whole config, now that the data is known."""
    if started is not None:
        below: Tree = {"model": started.config.model.model_dump(mode="json")}
    else:
        below = preset_tree(request.preset or prepared.facts.preset)
    config = validate(merge(below, request.settings), request.where)
    if started is not None and config.model != started.config.model:
        raise ValueError(
            f"--start {request.start} brings its own model; leave out --preset and the settings of [model], "
            "or train a new one without --start"
        )
    return config


class _Run:
    """A run whose data and config are known."""

    def __init__(
        self,
        request: Request,
        config: RunConfig,
        prepared: Prepared,
        started: Loaded | None,
        reporter: Reporter,
        stop: Stop,
        begun: float,
    ) -> None:
        self._request, self._config, self._prepared, self._started = request, config, prepared, started
        self._reporter, self._stop, self._begun = reporter, stop, begun
        training = config.training
        self._device = choose_device(training.device)
        self._type, self._why = choose(training.precision, self._device)
        if training.threads is not None:
            torch.set_num_threads(training.threads)
        self._order = Order(prepared.train, training.batch_tokens, training.seed, config.data.longest)
        self._steps_in_epoch = self._order.batches_in(0) / training.accumulate
        self._folder = request.output

    def train(self) -> Outcome:
        """Go on where the folder stands, or begin."""
        identity = self._identity()
        before = records.read(self._folder)
        if before is not None:
            self._require_same(before, identity)
        found = checkpoint.load(self._folder, self._reporter.say)
        progress = found[0] if found else Progress()
        budget = self._budget(before)
        record = self._record(identity, budget)
        if self._is_done(before, progress, budget):
            self._reporter.say(
                f"{self._folder} is finished: {progress.step:,} steps. A larger budget would go on from there."
            )
            return Outcome(True, progress.step, budget.steps, None)
        records.write(self._folder, record)
        loop = self._loop(budget, found)
        self._announce(record, progress)
        progress = loop.run(progress)
        if not loop.finished(progress):
            return Outcome(False, progress.step, budget.steps, None)
        if progress.step < budget.steps:
            self._reporter.say(f"Stopped early: nothing got better in the last {progress.worse} validations.")
        result = self._finish(record, progress)
        return Outcome(True, progress.step, budget.steps, result)

    def _finish(self, record: RunRecord, progress: Progress) -> finishing.Result:
        result = finishing.finish(
            self._folder,
            FolderConfig(
                mirada=__version__,
                source=self._request.files.source,
                target=self._request.files.target,
                vocabulary=self._prepared.subwords.size,
                longest=self._config.data.longest,
                model=self._config.model,
            ),
            self._prepared,
            record,
            progress,
            self._config.training.select,
            self._reporter.say,
        )
        records.write(self._folder, record.model_copy(update={"status": "finished"}))
        return result

    def _is_done(self, before: RunRecord | None, progress: Progress, budget: budgets.Budget) -> bool:
        if before is None or before.status != "finished" or not (self._folder / model_folder.WEIGHTS).exists():
            return False
        return budget.steps <= before.budget.steps

    def _identity(self) -> dict[str, object]:
        dumped = self._config.model_dump(mode="json")
        for name in INCIDENTAL:
            dumped["training"].pop(name)
        start = None
        if self._started is not None:
            start = checkpoint.digest(model_folder.tensors_of(self._started.model))
        return {"data": self._request.files.identities(), "settings": dumped, "start": start}

    def _require_same(self, before: RunRecord, identity: dict[str, object]) -> None:
        different = records.differences(before.identity, identity)
        if different:
            told = "\n  ".join(different)
            raise FolderError(
                f"{self._folder} holds another run; these differ:\n  {told}\n"
                "Give the command of that run to go on, or another --output for a new one"
            )

    def _budget(self, before: RunRecord | None) -> budgets.Budget:
        asked, training = self._config.training.budget, self._config.training
        if before is not None:
            if asked == before.asked:
                return before.budget
            if asked.minutes is not None and before.asked.minutes is not None:
                return self._scaled(before.budget, asked.minutes / before.asked.minutes)
        if asked.minutes is None:
            return budgets.by_count(asked, self._steps_in_epoch, self._order.tokens, training.validations)
        loop = self._loop(budgets.Budget(steps=1_000, validations=1, epochs=1, why="to measure"), None)
        share = budgets.MEASURE_SHARE * 60 * asked.minutes
        least, most = budgets.MEASURE_SECONDS
        timing = loop.time_steps(min(max(share, least), most), budgets.MEASURE_STEPS)
        held_out = self._held_out_tokens()
        spent = time.monotonic() - self._begun
        return budgets.by_time(asked.minutes, spent, timing, self._steps_in_epoch, training.validations, held_out)

    def _scaled(self, budget: budgets.Budget, share: float) -> budgets.Budget:
        steps = max(1, round(budget.steps * share))
        return budget.model_copy(update={"steps": steps, "epochs": round(steps / self._steps_in_epoch, 3)})

    def _held_out_tokens(self) -> tuple[int, int]:
        """The tokens of the development sample, and about those of the test set."""
        dev = self._prepared.dev
        tokens = int(dev.source_lengths.sum() + dev.target_lengths.sum())
        return tokens, round(tokens / max(1, len(dev)) * len(self._prepared.test_pairs))

    def _loop(self, budget: budgets.Budget, found: tuple[Progress, dict[str, torch.Tensor]] | None) -> Loop:
        """A loop over a model that is fresh, or as a checkpoint left it."""
        training = self._config.training
        model = self._model()
        settings = AdamSettings((training.beta_first, training.beta_second), decay=training.decay)
        optimizer = Optimizer(model.to(self._device).train(), settings, self._type)
        if found is not None:
            optimizer.restore(found[1], found[0].updates)
        references = tuple(target for _, target in self._prepared.dev_pairs)
        development = Development(self._prepared.dev, references)
        task = TranslationTask(model, development, self._prepared.subwords, self._request.files.target, self._device)
        course = self._course(budget)
        return Loop(task, self._order, optimizer, course, self._folder, self._reporter, self._stop, self._device)

    def _model(self) -> Transformer:
        model = build(self._config.model, self._prepared.subwords.size, self._config.training.seed)
        if self._started is not None:
            model_folder.assign(model, model_folder.tensors_of(self._started.model), self._folder)
        return model

    def _course(self, budget: budgets.Budget) -> Course:
        training, width = self._config.training, self._config.model.width
        return Course(
            total=budget.steps,
            validate_every=ceil(budget.steps / budget.validations),
            schedule=training.schedule,
            peak=training.rate or RATE_AT_256 * (256 / width) ** 0.5,
            warmup=training.warmup or default_warmup(training, budget.steps),
            width=width,
            accumulate=training.accumulate,
            clip=training.clip,
            smoothing=training.smoothing,
            dropout=default_dropout(budget.epochs) if training.dropout is None else training.dropout,
            seed=training.seed,
            select=training.select,
            patience=training.patience,
            average=training.average,
            save_seconds=60 * training.save_minutes,
        )

    def _record(self, identity: dict[str, object], budget: budgets.Budget) -> RunRecord:
        course = self._course(budget)
        decided: dict[str, object] = {
            "schedule": course.schedule,
            "rate": round(max(course.rate(course.warmup), course.rate(1)), 6),
            "warmup": course.warmup,
            "dropout": course.dropout,
            "precision": str(self._type).removeprefix("torch."),
            "threads": torch.get_num_threads(),
        }
        return RunRecord(identity=identity, asked=self._config.training.budget, budget=budget, decided=decided)

    def _announce(self, record: RunRecord, progress: Progress) -> None:
        model, say = self._config.model, self._reporter.say
        if self._order.left_out:
            say(f"{self._order.left_out:,} pairs have more than {self._config.data.longest} tokens and are left out.")
        say(
            f"Model: {model.encoder.layers} + {model.decoder.layers} layers, width {model.width}, "
            f"{model.encoder.heads} heads, computed in {record.decided['precision']} ({self._why})."
        )
        say(
            f"{record.budget.steps:,} steps, {record.budget.epochs:g} passes ({record.budget.why}); rate "
            f"{record.decided['rate']} ({record.decided['schedule']}), dropout {record.decided['dropout']}."
        )
        if progress.step:
            say(f"Going on from step {progress.step:,}.")


def default_warmup(training: TrainingConfig, steps: int) -> int:
    """How many steps the rate rises."""
    share = NOAM_WARMUP_SHARE if training.schedule == "noam" else WARMUP_SHARE
    return max(1, min(LONGEST_WARMUP, round(share * steps)))


def default_dropout(epochs: float) -> float:
    """The dropout that suits so many passes over the data."""
    return next(rate for most, rate in DROPOUT if epochs <= most)
