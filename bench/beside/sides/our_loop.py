"""Our own training loop, as a session of `mirada train` builds it, on a token store that is given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mirada.corpora.store import Store
from mirada.data.batch import Batch
from mirada.data.order import Order
from mirada.layers.noise import Noise
from mirada.models.build import build
from mirada.models.encoder_decoder import TranslationModel
from mirada.tasks.task import Score
from mirada.tasks.translation import batches_of, evaluating, loss_of
from mirada.training.budget import Budget
from mirada.training.decisions import Decisions, decide_parts
from mirada.training.loop import Loop
from mirada.training.optimizer import Optimizer
from mirada.training.precision import choose
from mirada.training.report import ConsoleReporter
from mirada.training.settings import validate
from mirada.training.stopping import Stop
from mirada.training.stretches import Settings

CPU = torch.device("cpu")


@dataclass(frozen=True)
class LossTask:
    """Translation scored by its loss alone: no sentence is decoded."""

    model: TranslationModel
    held_out: Store | None = None

    def loss(self, batch: Batch, noise: Noise | None, smoothing: float) -> Tensor:
        return loss_of(self.model, batch, noise, smoothing)

    def validate(self, step: int) -> Score:
        return Score(step=step, loss=0.0 if self.held_out is None else self._mean_loss(self.held_out))

    def _mean_loss(self, store: Store) -> float:
        batches = batches_of(store, torch.arange(len(store)).numpy())
        with evaluating(self.model), torch.inference_mode():
            total = sum(float(self.loss(batch, None, 0.0)) * len(batch.expected) for batch in batches)
        return total / sum(len(batch.expected) for batch in batches)


def make_loop(asked: dict[str, Any], folder: Path, steps: int) -> Loop[Batch]:
    """The loop that was asked for: `model` and `training` as in a config, `plain` for one part at a time."""
    torch.set_num_threads(asked["threads"])
    config = validate({"model": asked["model"], "training": asked["training"]}, "the benchmark")
    store = Store.open(Path(asked["train"]))
    longest = int(max(store.source_lengths.max(), store.target_lengths.max()))
    parts = decide_parts(config, None, CPU, longest)
    order = Order(store, config.training.batch_tokens // parts, config.training.seed, longest)
    if asked.get("plain", False):  # the same batches, one after another
        training = config.training.model_copy(update={"accumulate": parts})
        config, parts = config.model_copy(update={"training": training}), 1
    budget = Budget(steps=steps, validations=1, epochs=1, why="the benchmark")
    course = Decisions(config, budget, 1, parts, "adam", {}).course  # what the peers learn by
    model = build(config.model, store.vocabulary, config.training.seed).train()
    optimizer = Optimizer(model, Settings(), choose(config.training.precision, CPU)[0])
    held_out = Store.open(Path(asked["held_out"])) if "held_out" in asked else None
    task = LossTask(model, held_out)
    return Loop(task, order, optimizer, course, folder, ConsoleReporter(quiet=True), Stop(), CPU)
