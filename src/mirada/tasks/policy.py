"""A policy as a task: learn what players did from what they came to, and play towards what is asked for.

Legend: B episodes, T steps, A actions.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from mirada.corpora.grid_world import Episodes, World
from mirada.data.episodes import EpisodeBatch, batch_of
from mirada.evaluation.policy import PolicyScore
from mirada.layers.noise import Noise
from mirada.models.policy import DecisionTransformer
from mirada.tasks.task import Score
from mirada.tasks.translation import evaluating

AT_ONCE = 256  # episodes


def policy_loss(model: DecisionTransformer, batch: EpisodeBatch, noise: Noise | None, smoothing: float) -> Tensor:
    """The mean of −log p of the actions."""
    scores = model(batch.returns, batch.states, batch.actions, noise)
    return functional.cross_entropy(scores.flatten(0, 1), batch.expected, label_smoothing=smoothing)


class PolicyTask:
    """A policy that learns; a validation looks at episodes that were set aside."""

    def __init__(
        self, model: DecisionTransformer, episodes: Episodes, world: World, device: torch.device | None = None
    ) -> None:
        self._model, self._episodes, self._world = model, episodes, world
        self._device = torch.device("cpu") if device is None else device

    def loss(self, batch: EpisodeBatch, noise: Noise | None, smoothing: float) -> Tensor:
        return policy_loss(self._model, batch.to(self._device), noise, smoothing)

    def validate(self, step: int) -> Score:
        total, count = 0.0, len(self._episodes)
        with evaluating(self._model), torch.inference_mode():
            for first in range(0, count, AT_ONCE):
                numbers = np.arange(first, min(first + AT_ONCE, count))
                batch = batch_of(self._episodes, numbers, self._world).to(self._device)
                total += float(policy_loss(self._model, batch, None, 0.0)) * len(numbers)
        return Score(step=step, loss=total / max(1, count))


def play_for(model: DecisionTransformer, world: World, asked: NDArray[np.int64], seed: int) -> Episodes:
    """Episodes of a policy, each asked for a return: after each step, for what is still lacking.

    Actions are drawn as the model's probabilities say, a function of the seed.
    """
    chance = np.random.Generator(np.random.Philox(key=[seed, len(asked)]))
    drawing = torch.Generator().manual_seed(int(chance.integers(2**62)))
    cells, lacking = chance.choice(world.starts, len(asked)), asked
    left = np.ones((len(asked), len(world.coins)), dtype=np.bool_)
    actions, game = torch.zeros(len(asked), dtype=torch.int64), None
    told = []
    with evaluating(model), torch.inference_mode():
        for _ in range(world.steps):
            wanted, seen = lacking.astype(np.float32), world.states(cells, left)
            scores, game = model.step(torch.from_numpy(wanted), torch.from_numpy(seen), game, actions)
            actions = torch.multinomial(scores.softmax(-1), 1, generator=drawing)[:, 0]
            after, remaining, rewards = world.move(cells, left, actions.numpy())
            told.append((cells, left, actions.numpy(), rewards))
            cells, left = after, remaining
            lacking = np.maximum(0, lacking - rewards)  # no episode lacked less than nothing
    return Episodes.of_steps(told)


def score_policy(model: DecisionTransformer, world: World, count: int, behaviour: float, seed: int = 0) -> PolicyScore:
    """What a policy reaches for each return from nothing to every coin."""
    asked = np.arange(len(world.coins) + 1)
    returns = play_for(model, world, asked.repeat(count), seed).returns.reshape(len(asked), count)
    errors = np.abs(returns - asked[:, None]).mean(1)
    reached = returns.mean(1)
    return PolicyScore(tuple(asked.tolist()), tuple(reached.tolist()), tuple(errors.tolist()), count, behaviour)
