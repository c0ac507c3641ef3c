"""The best weights of a run: the mean of its best checkpoints, or the best of them alone where the mean is worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor, nn

from mirada.data.stream import AnyBatch
from mirada.models.folder import assign
from mirada.tasks.task import Score, Task
from mirada.training import averaging
from mirada.training.checkpoint import Progress


@dataclass(frozen=True, eq=False)
class Best:
    """The best weights of a run, and what its result says of them."""

    weights: Mapping[str, Tensor]
    development: Score
    parameters: int
    steps: tuple[int, ...]  # whose weights were averaged


def take_best(folder: Path, model: nn.Module, task: Task[AnyBatch], progress: Progress, select: str) -> Best:
    """Find the best weights by what `select` names, and give them to the model, which is then ready to be used."""
    single = max(progress.scores, key=lambda one: (one.measure(select), one.step)).step
    parameters = sum(parameter.numel() for parameter in model.parameters())
    found = []
    for steps in dict.fromkeys(((single,), progress.kept)):
        weights = averaging.mean(folder, steps)
        assign(model, weights, folder)
        found.append(Best(weights, task.validate(progress.step), parameters, steps))
    best = max(found, key=lambda one: one.development.measure(select))
    assign(model, best.weights, folder)
    model.eval()
    return best
