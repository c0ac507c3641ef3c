"""Windows: a running text in batches, in an order that is a function of seed and epoch.

Each epoch lays windows side by side over the text, from a beginning of its own, and shuffles them: every token is seen
once, but for a window's worth at the ends, and another epoch cuts the text at other places.

Legend: B batch, N places, M = B · N.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from mirada.corpora.pair import CorpusError
from mirada.data.epochs import Epoch, Epochs, equal_batches


@dataclass(frozen=True, eq=False)
class TextBatch:
    """Windows of a text as they enter, and what should be said at each place: what stands one place later."""

    entered: Int[Tensor, "B N"]
    expected: Int[Tensor, "M"]  # row by row

    @property
    def tokens(self) -> int:
        """How many tokens enter."""
        return self.entered.numel()

    def to(self, device: torch.device) -> TextBatch:
        """The batch on a device."""
        return self if device.type == "cpu" else TextBatch(self.entered.to(device), self.expected.to(device))


# Windows, and a number from 0 to 1 for each that was drawn for this epoch, to windows that mean about the same.
Vary = Callable[[NDArray[np.int64], NDArray[np.float64]], NDArray[np.int64]]


class Windows(Epochs[TextBatch]):
    """The windows of a text, `context` tokens each, as many in a batch as a budget of tokens holds."""

    def __init__(self, text: NDArray[Any], context: int, budget: int, seed: int, vary: Vary | None = None) -> None:
        if len(text) <= context:
            raise CorpusError(
                f"the text to train on has {len(text):,} tokens, too few for model.context = {context:,}; "
                f"give more text, or use --set model.context={max(2, (len(text) - 1) // 2)}"
            )
        if budget < context:
            raise CorpusError(
                f"training.batch_tokens = {budget} cannot hold a window of model.context = {context}; "
                f"use {context} or more"
            )
        self._text, self._context, self._rows, self._seed, self._vary = text, context, budget // context, seed, vary
        self._epoch: tuple[int, NDArray[np.int64], NDArray[np.float64]] | None = None

    @property
    def tokens(self) -> int:
        """The tokens of the text."""
        return len(self._text)

    def starts(self, epoch: int) -> NDArray[np.int64]:
        """Where each window of an epoch begins, in their order."""
        return self._drawn(epoch)[0]

    def _epoch_of(self, epoch: int) -> Epoch[TextBatch]:
        starts, chances = self._drawn(epoch)
        return equal_batches(
            np.arange(len(starts)), self._rows, lambda chosen: self._batch(starts[chosen], chances[chosen])
        )

    def _drawn(self, epoch: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Where each window of an epoch begins, and its chance; the last epoch asked for is kept."""
        if self._epoch is None or self._epoch[0] != epoch:
            chance = np.random.Generator(np.random.Philox(key=[self._seed, epoch]))
            beginning = chance.integers(min(self._context, len(self._text) - self._context))
            count = (len(self._text) - 1 - beginning) // self._context
            self._epoch = epoch, beginning + self._context * chance.permutation(count), chance.random(count)
        return self._epoch[1:]

    def _batch(self, starts: NDArray[np.int64], chances: NDArray[np.float64]) -> TextBatch:
        rows = self._text[starts[:, None] + np.arange(self._context + 1)].astype(np.int64)
        if self._vary is not None:
            rows = self._vary(rows, chances)
        return TextBatch(torch.from_numpy(rows[:, :-1].copy()), torch.from_numpy(rows[:, 1:].flatten()))
