"""Professor forcing: the states of free running made like those of teacher forcing (Lamb et al. 2016).

Legend: B batch, N target places, W model width.

A discriminator D reads the decoder's states and tells whether the tokens that entered were the true ones or the
model's own. It learns to tell them apart; the model learns its task and, with a weight, to look forced when free:

    loss = cross-entropy − weight · log D(free states)          D's: −log D(forced) − log (1 − D(free))
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Padding
from mirada.data.batch import Batch
from mirada.layers.noise import Noise
from mirada.layers.recurrent import RecurrentEncoder
from mirada.models.drawn import drawn_from
from mirada.models.encoder_decoder import TranslationModel
from mirada.tasks.task import Task
from mirada.tasks.translation import evaluating
from mirada.training.forcing import Chance, TeacherForcing, entered_in_turn
from mirada.training.forcing_config import ProfessorConfig
from mirada.training.optimizer import Optimizer
from mirada.training.stretches import Settings

PREFIX, UPDATES = "forcing.", "updates"
CLIP = 1.0
ADAM = Settings(betas=(0.5, 0.9))  # little momentum: the two chase each other


class Discriminator(nn.Module):
    """A bidirectional GRU over states, its two last ones, and a layer: the log-odds that a row was forced."""

    def __init__(self, entered: int, width: int) -> None:
        super().__init__()
        self.encoder = RecurrentEncoder("gru", entered, width)
        self.output_map = nn.Linear(width, 1)

    def forward(self, states: Float[Tensor, "B N W"], padding: Padding | None) -> Float[Tensor, "B"]:
        return self.output_map(self.encoder(states, padding)[1])[:, 0]


class ProfessorForcing(TeacherForcing[Batch]):
    """Teacher forcing beside a discriminator of free-running states; both are scored on the same places."""

    def __init__(
        self, task: Task[Batch], model: TranslationModel, config: ProfessorConfig, seed: int, device: torch.device
    ) -> None:
        super().__init__(task)
        self._model, self._config, self._device = model, config, device
        with drawn_from(seed):
            self.discriminator = Discriminator(model.embedding.width, config.width).to(device)
        self._optimizer = Optimizer(self.discriminator, ADAM, torch.float32)
        self._updates = 0

    def loss(self, batch: Batch, noise: Noise, smoothing: float, chance: Chance) -> Tensor:
        loss = super().loss(batch, noise, smoothing, chance)
        if self._config.weight == 0:
            return loss
        batch = batch.to(self._device)
        padding = batch.target_padding
        with torch.no_grad():
            forced = self._states(batch, batch.target)
        free = self._states(batch, self._freed(batch))
        self._teach(forced, free.detach(), padding)
        fooled = functional.softplus(-self.discriminator(free, padding)).mean()
        return loss + self._config.weight * fooled

    def step(self) -> None:
        if self._config.weight > 0:
            self._updates += isfinite(self._optimizer.step(self._config.rate, CLIP))

    def state(self) -> dict[str, Tensor]:
        if self._config.weight == 0:
            return {}
        kept = {f"{PREFIX}{name}": tensor for name, tensor in self._optimizer.state().items()}
        return kept | {f"{PREFIX}{UPDATES}": torch.tensor(float(self._updates))}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        kept = {name.removeprefix(PREFIX): tensor for name, tensor in state.items() if name.startswith(PREFIX)}
        if kept:
            self._updates = int(kept.pop(UPDATES))
            self._optimizer.restore(kept, self._updates)

    def _states(self, batch: Batch, entered: Int[Tensor, "B N"]) -> Float[Tensor, "B N W"]:
        """The decoder's states, in the discriminator's precision, and without dropout, which would give them away."""
        with evaluating(self._model):
            states = self._model(batch.source, batch.source_padding, entered, batch.target_padding)
        return states.float()

    def _freed(self, batch: Batch) -> Int[Tensor, "B N"]:
        """The model's own tokens in place of all but the begin mark."""
        own = torch.ones_like(batch.target, dtype=torch.bool)
        with torch.no_grad(), evaluating(self._model):
            return entered_in_turn(self._model, batch, own)

    def _teach(self, forced: Float[Tensor, "B N W"], free: Float[Tensor, "B N W"], padding: Padding) -> None:
        """A gradient for the discriminator from one batch of each kind."""
        told = functional.softplus(-self.discriminator(forced, padding)).mean()
        told = told + functional.softplus(self.discriminator(free, padding)).mean()
        self._optimizer.add(self._optimizer.gradients(told))
