"""The rein: what holds a model back from saying the same again, for the second attempt at a translation.

Legend: R rows, T vocabulary, N tokens so far, G size of an n-gram, B sentences, S source places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.attention import Padding
from mirada.decoding.limits import GRAM
from mirada.decoding.protocol import Reader, S


@dataclass(frozen=True, eq=False)
class ReinedState(Generic[S]):
    """A model's state and the tokens that led to it."""

    inner: S
    said: Int[Tensor, "R N"]

    def select(self, rows: Int[Tensor, "R2"]) -> ReinedState[S]:
        """The state of these rows, in this order."""
        return ReinedState(self.inner.select(rows), self.said[rows])


class Reined(Generic[S]):
    """A model that may say no n-gram twice and may not end before it has said something.

    For the second attempt only: good translations do repeat n-grams now and then, but none can loop that may not.
    It wraps any model, so that every search can use it.
    """

    def __init__(self, model: Reader[S], end: int, size: int = GRAM) -> None:
        self._model = model
        self._end = end
        self._size = size

    def start(self, source: Int[Tensor, "B S"], padding: Padding | None) -> ReinedState[S]:
        """The state before the first step."""
        return ReinedState(self._model.start(source, padding), source.new_empty((len(source), 0)))

    def step(self, tokens: Int[Tensor, "R"], state: ReinedState[S]) -> tuple[Float[Tensor, "R T"], ReinedState[S]]:
        """The log-probabilities of the next token among those that may be said, −∞ for the others."""
        scores, inner = self._model.step(tokens, state.inner)
        said = torch.cat([state.said, tokens[:, None]], 1)
        if said.shape[1] == 1:
            refused = torch.zeros_like(scores, dtype=torch.bool)
            refused[:, self._end] = True
        else:
            refused = _said_before(said, self._size, scores.shape[-1])
        allowed = scores.masked_fill(refused, float("-inf"))
        rest = allowed.logsumexp(-1, keepdim=True)
        return allowed - rest.masked_fill(rest.isinf(), 0), ReinedState(inner, said)


def _said_before(said: Int[Tensor, "R N"], size: int, vocabulary: int) -> Bool[Tensor, "R T"]:
    """The tokens that would complete an n-gram for the second time."""
    refused = torch.zeros(len(said), vocabulary, dtype=torch.bool, device=said.device)
    if said.shape[1] < size:
        return refused
    grams = said.unfold(1, size, 1)  # [R, N - G + 1, G]
    begins = (grams[..., :-1] == said[:, None, said.shape[1] - size + 1 :]).all(-1)
    rows, places = torch.nonzero(begins, as_tuple=True)
    refused[rows, grams[rows, places, -1]] = True
    return refused
