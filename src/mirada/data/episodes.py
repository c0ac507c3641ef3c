"""Episodes in batches, in an order that is a function of seed and epoch.

Legend: B episodes, T steps, F features of a state, M = B · T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from mirada.corpora.grid_world import Episodes, World
from mirada.corpora.pair import CorpusError
from mirada.data.epochs import Epoch, Epochs, equal_batches

TOKENS = 3  # of a step: return-to-go, state, action


@dataclass(frozen=True, eq=False)
class EpisodeBatch:
    """Whole episodes: what was still to come, what was seen, and what was done."""

    returns: Float[Tensor, "B T"]
    states: Float[Tensor, "B T F"]
    actions: Int[Tensor, "B T"]

    @property
    def expected(self) -> Int[Tensor, "M"]:
        """The actions, one for each step."""
        return self.actions.flatten()

    @property
    def tokens(self) -> int:
        """How many tokens enter."""
        return TOKENS * self.actions.numel()

    def to(self, device: torch.device) -> EpisodeBatch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        return EpisodeBatch(self.returns.to(device), self.states.to(device), self.actions.to(device))


def batch_of(episodes: Episodes, numbers: NDArray[np.int64], world: World) -> EpisodeBatch:
    """These episodes as a batch."""
    return EpisodeBatch(
        torch.from_numpy(episodes.returns_to_go[numbers].astype(np.float32)),
        torch.from_numpy(world.states(episodes.cells[numbers], episodes.left[numbers])),
        torch.from_numpy(episodes.actions[numbers]),
    )


class EpisodeOrder(Epochs[EpisodeBatch]):
    """All episodes, each once in an epoch, as many in a batch as a budget of tokens holds."""

    def __init__(self, episodes: Episodes, world: World, budget: int, seed: int) -> None:
        each = TOKENS * world.steps
        if budget < each:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold an episode of {each} tokens; use {each} or more"
            )
        self._episodes, self._world, self._rows, self._seed = episodes, world, budget // each, seed

    @property
    def tokens(self) -> int:
        """The tokens of all episodes."""
        return TOKENS * self._episodes.actions.size

    def _epoch_of(self, epoch: int) -> Epoch[EpisodeBatch]:
        order = np.random.Generator(np.random.Philox(key=[self._seed, epoch])).permutation(len(self._episodes))
        return equal_batches(order, self._rows, lambda numbers: batch_of(self._episodes, numbers, self._world))
