"""Forcing: what enters the decoder while it learns, and the loss that follows from it.

Legend: B batch, N target places, M target tokens that count, W model width.

Which tokens enter is decided first, without a gradient, by the same steps that decode or by whole passes; the loss is
then that of teacher forcing with those tokens. So every kind serves every model, and where no token is replaced it is
teacher forcing to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Generic, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.data.batch import Batch
from mirada.data.stream import AnyBatch
from mirada.layers.noise import Noise
from mirada.models.encoder_decoder import TranslationModel
from mirada.tasks.task import Taken_contra, Task
from mirada.tasks.translation import evaluating
from mirada.training.forcing_config import ParallelConfig, ScheduledConfig

ROWS = 512  # places whose next tokens are found at once


@runtime_checkable
class Forcing(Protocol[Taken_contra]):
    """A way to train."""

    def loss(self, batch: Taken_contra, noise: Noise, smoothing: float, chance: Chance) -> Tensor:
        """The loss of a batch, for the gradient of the model."""

    def step(self) -> None:
        """After an update of the model: an update of what the way to train has learnt itself."""

    def state(self) -> dict[str, Tensor]:
        """What must be kept to go on."""

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go back to a state that `state` gave."""


class Chance:
    """The decisions of one step: a function of (seed, step), drawn in turn, and how much of the run is done."""

    def __init__(self, seed: int, step: int, total: int) -> None:
        self.done = (step - 1) / max(1, total - 1)
        self._generator = torch.Generator()
        # Other constants than those of the dropout, so that the two are strangers.
        self._generator.manual_seed((seed * 0xD1B54A32D192ED03 + step * 0x8CB92BA72F3D8DD7) % 2**63)

    def happens(self, probability: float, like: Int[Tensor, "B N"]) -> Bool[Tensor, "B N"]:
        """Where it happens, for each place by itself."""
        return (torch.rand(like.shape, generator=self._generator) < probability).to(like.device)


class TeacherForcing(Generic[AnyBatch]):
    """Every token that enters is the true one."""

    def __init__(self, task: Task[AnyBatch]) -> None:
        self.task = task

    def loss(self, batch: AnyBatch, noise: Noise, smoothing: float, chance: Chance) -> Tensor:
        return self.task.loss(batch, noise, smoothing)

    def step(self) -> None:
        """Nothing is learnt beside the model."""

    def state(self) -> dict[str, Tensor]:
        return {}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Nothing was kept."""


class Sampling(TeacherForcing[Batch]):
    """Scheduled sampling: some of the tokens that enter are those that the model would have said."""

    def __init__(
        self,
        task: Task[Batch],
        model: TranslationModel,
        config: ScheduledConfig | ParallelConfig,
        device: torch.device,
    ) -> None:
        super().__init__(task)
        self._model, self._config, self._device = model, config, device

    def loss(self, batch: Batch, noise: Noise, smoothing: float, chance: Chance) -> Tensor:
        probability = self._config.probability(chance.done)
        if probability > 0:
            batch = batch.to(self._device)
            own = chance.happens(probability, batch.target)
            batch = replace(batch, target=self._entered(batch, own))
        return super().loss(batch, noise, smoothing, chance)

    def _entered(self, batch: Batch, own: Bool[Tensor, "B N"]) -> Int[Tensor, "B N"]:
        with torch.no_grad(), evaluating(self._model):
            if isinstance(self._config, ScheduledConfig):
                return entered_in_turn(self._model, batch, own)
            return entered_in_passes(self._model, batch, own, self._config.passes)


def entered_in_turn(model: TranslationModel, batch: Batch, own: Bool[Tensor, "B N"]) -> Int[Tensor, "B N"]:
    """The target with the model's own tokens where `own` says so, each said after all those that entered before."""
    entered = [batch.target[:, 0]]
    state = model.start(batch.source, batch.source_padding)
    for place in range(1, batch.target.shape[1]):
        scores, state = model.step(entered[-1], state)
        entered.append(torch.where(own[:, place], scores.argmax(-1), batch.target[:, place]))
    return _padded(torch.stack(entered, 1), batch)


def entered_in_passes(
    model: TranslationModel, batch: Batch, own: Bool[Tensor, "B N"], passes: int
) -> Int[Tensor, "B N"]:
    """The same by whole passes: each says every token after what entered in the pass before."""
    entered = batch.target
    for _ in range(passes):
        states = model(batch.source, batch.source_padding, entered, batch.target_padding)
        said = best_tokens(model, states)
        entered = torch.cat([batch.target[:, :1], torch.where(own[:, 1:], said[:, :-1], batch.target[:, 1:])], 1)
    return _padded(entered, batch)


def best_tokens(model: TranslationModel, states: Float[Tensor, "B N W"]) -> Int[Tensor, "B N"]:
    """The likeliest next token at every place; the scores of all places never exist at once."""
    chunks = states.flatten(0, 1).split(ROWS)
    return torch.cat([model.output.scores(chunk).argmax(-1) for chunk in chunks]).view(states.shape[:2])


def _padded(entered: Int[Tensor, "B N"], batch: Batch) -> Int[Tensor, "B N"]:
    """Padding stays padding."""
    return torch.where(batch.target_padding.real, entered, batch.target)
