"""A forced prefix: a model that begins with what it is told to say.

Legend: R rows, T vocabulary, P tokens of the longest prefix, B sentences, S source places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention import Padding
from mirada.decoding.protocol import Reader, S

FREE = -1  # in place of a token: the row may say what it likes


@dataclass(frozen=True, eq=False)
class PrefixedState(Generic[S]):
    """A model's state, the tokens that each row must say, and how many it has said."""

    inner: S
    due: Int[Tensor, "R P"]
    said: int

    def select(self, rows: Int[Tensor, "R2"]) -> PrefixedState[S]:
        """The state of these rows, in this order."""
        return PrefixedState(self.inner.select(rows), self.due[rows], self.said)


class Prefixed(Generic[S]):
    """A model whose row b says `prefixes[b]` first, whatever it would say itself.

    A token that is due has the probability 1, so that a hypothesis has the log-probability of what follows, given its
    prefix, as in CTranslate2. It wraps any model, so that every search can use it.
    """

    def __init__(self, model: Reader[S], prefixes: Sequence[Sequence[int]]) -> None:
        self._model = model
        longest = max(map(len, prefixes), default=0)
        rows = [[*prefix, *[FREE] * (longest - len(prefix))] for prefix in prefixes]
        self._due = torch.tensor(rows, dtype=torch.int64).view(len(prefixes), longest)

    def start(self, source: Int[Tensor, "B S"], padding: Padding | None) -> PrefixedState[S]:
        """The state before the first step."""
        return PrefixedState(self._model.start(source, padding), self._due.to(source.device), 0)

    def step(self, tokens: Int[Tensor, "R"], state: PrefixedState[S]) -> tuple[Float[Tensor, "R T"], PrefixedState[S]]:
        """The log-probabilities of the next token: 0 for the one that is due and −∞ for the others, while one is."""
        scores, inner = self._model.step(tokens, state.inner)
        after = PrefixedState(inner, state.due, state.said + 1)
        if state.said >= state.due.shape[1]:
            return scores, after
        due = state.due[:, state.said, None]
        forced = torch.full_like(scores, float("-inf")).scatter_(1, due.clamp_min(0), 0.0)
        return torch.where(due == FREE, scores, forced), after
