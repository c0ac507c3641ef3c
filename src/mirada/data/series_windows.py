"""Windows of a series: the past that enters and what came after it, in an order that is a function of seed and epoch.

Legend: B windows, N steps of the past, H steps that come, C channels, T steps of the series.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from mirada.corpora.pair import CorpusError
from mirada.data.epochs import Epoch, Epochs, equal_batches


@dataclass(frozen=True, eq=False)
class SeriesBatch:
    """Windows of a series."""

    past: Float[Tensor, "B N C"]
    expected: Float[Tensor, "B H C"]
    tokens: int  # patches that enter

    def to(self, device: torch.device) -> SeriesBatch:
        """The batch on a device."""
        if device.type == "cpu":
            return self
        return SeriesBatch(self.past.to(device), self.expected.to(device), self.tokens)


def starts_in(first: int, last: int, context: int, horizon: int) -> NDArray[np.int64]:
    """Every step from which a window foretells steps `first` to before `last` alone, with a whole past before it."""
    return np.arange(max(first, context), last - horizon + 1)


def windows_at(
    values: Float[Tensor, "T C"], starts: NDArray[np.int64], context: int, horizon: int
) -> tuple[Float[Tensor, "B N C"], Float[Tensor, "B H C"]]:
    """The past before each of these steps, and what came from it on."""
    places = torch.from_numpy(starts)[:, None]
    return values[places + torch.arange(-context, 0)], values[places + torch.arange(horizon)]


class SeriesWindows(Epochs[SeriesBatch]):
    """All windows of the training part, each once in an epoch, as many in a batch as a budget of tokens holds."""

    def __init__(
        self, values: Float[Tensor, "T C"], context: int, horizon: int, tokens_of_one: int, budget: int, seed: int
    ) -> None:
        self._starts = starts_in(0, len(values), context, horizon)
        if not len(self._starts):
            raise CorpusError(
                f"the series has {len(values):,} steps to train on, fewer than one window of model.context = "
                f"{context:,} and data.horizon = {horizon:,}; give a longer series, or use --set "
                f"model.context={max(1, (len(values) - horizon) // 2)} with a model.patch and model.stride that fit"
            )
        if budget < tokens_of_one:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold a window of {tokens_of_one:,} patches; "
                f"use {tokens_of_one} or more"
            )
        self._values, self._context, self._horizon = values, context, horizon
        self._each, self._rows, self._seed = tokens_of_one, budget // tokens_of_one, seed
        self._epoch: tuple[int, NDArray[np.int64]] | None = None

    @property
    def tokens(self) -> int:
        """The patches of all windows."""
        return len(self._starts) * self._each

    def _epoch_of(self, epoch: int) -> Epoch[SeriesBatch]:
        return equal_batches(self.starts(epoch), self._rows, self._batch)

    def starts(self, epoch: int) -> NDArray[np.int64]:
        """Where each window of an epoch begins to foretell, in their order; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            chance = np.random.Generator(np.random.Philox(key=[self._seed, epoch]))
            self._epoch = epoch, chance.permutation(self._starts)
        return self._epoch[1]

    def _batch(self, starts: NDArray[np.int64]) -> SeriesBatch:
        past, expected = windows_at(self._values, starts, self._context, self._horizon)
        return SeriesBatch(past, expected, len(starts) * self._each)
