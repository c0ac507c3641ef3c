"""Phrases: beam search for the likeliest translation that contains what it must.

Grid beam search (Hokamp and Liu 2017, algorithm 1) compares only candidates that have said as much of their phrases.
Its many beams share one by dynamic allocation (Post and Vilar 2018, section 3), so that all sentences of a batch take
their steps together, whatever is demanded of each.

Legend: S sentences, N beam width, R = S · N rows, T vocabulary, K candidates, C tokens to go on with, P source places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.attention import Padding
from mirada.decoding.progress import NONE, Progress
from mirada.decoding.protocol import Reader, S

LAST = 1 << 60  # behind every candidate that is possible


@dataclass(frozen=True, eq=False)
class PhrasedState(Generic[S]):
    """A model's state, the progress of each row, and how many tokens it may still say, the end mark included."""

    inner: S
    progress: Progress
    room: Int[Tensor, "R"]

    def select(self, rows: Int[Tensor, "R2"]) -> PhrasedState[S]:
        """The state of these rows, in this order."""
        return PhrasedState(self.inner.select(rows), self.progress.select(rows), self.room[rows])


class Phrased(Generic[S]):
    """A model that may not end before it has said its phrases, and begins them before it is too late.

    A token is refused where the room behind it would be too small for what is then still to be said. What is left
    keeps the model's own log-probability. Together with `allot` a beam finds its way to the phrases.
    """

    def __init__(self, model: Reader[S], end: int, limits: Int[Tensor, "S"], progress: Progress) -> None:
        self._model = model
        self._end = end
        self._limits = limits
        self._progress = progress

    def start(self, source: Int[Tensor, "S P"], padding: Padding | None) -> PhrasedState[S]:
        """The state before the first step."""
        return PhrasedState(self._model.start(source, padding), self._progress, self._limits)

    def step(self, tokens: Int[Tensor, "R"], state: PhrasedState[S]) -> tuple[Float[Tensor, "R T"], PhrasedState[S]]:
        """The log-probabilities of the next token, −∞ for one that would lose a phrase."""
        scores, inner = self._model.step(tokens, state.inner)
        progress, room = state.progress.after(tokens), state.room - 1
        refused = _too_late(progress, room)
        refused[:, self._end] = progress.waiting > 0
        return scores.masked_fill(refused, float("-inf")), PhrasedState(inner, progress, room)


def _too_late(progress: Progress, room: Int[Tensor, "R"]) -> Bool[Tensor, "R T"]:
    """The tokens behind which there is too little room for the phrases."""
    waiting, unmet = (progress.waiting > room)[:, None], (progress.unmet > room)[:, None]
    if not bool(unmet.any()):
        return unmet.expand(-1, len(progress.begins)).clone()
    late = torch.where(progress.joined(), unmet, waiting)
    following = progress.following()
    rows, places = torch.nonzero(following != NONE, as_tuple=True)
    tokens = following[rows, places]
    late[rows, tokens] = progress.needed_after(rows, tokens) > room[rows]
    return late


def allot(
    logs: Float[Tensor, "S N"], scores: Float[Tensor, "S N T"], state: PhrasedState[S]
) -> tuple[Float[Tensor, "S K"], Int[Tensor, "S K"]]:
    """The candidates of a beam by turns: the best that needs no more, the best that needs one token, two, and so on.

    Then come the second best of each, and so on: each kind has an equal share of the beam, and leaves what it cannot
    use. Candidates are the likeliest of all, the two likeliest of each row, since one may be the end, and those that go
    on with a phrase. Where nothing is demanded all need nothing, and the likeliest come first, as in `by_total`.
    """
    count, width, size = scores.shape
    totals = logs[..., None] + scores
    places = _places(totals, state.progress.following())
    logs = totals.flatten(1).gather(1, places).masked_fill(_repeated(places), float("-inf"))
    logs, order = logs.sort(dim=-1, descending=True, stable=True)
    places = places.gather(1, order)
    rows = places // size + torch.arange(count, device=places.device)[:, None] * width
    needed = state.progress.needed_after(rows.flatten(), (places % size).flatten()).view_as(places)
    turns = (_rank(needed) * (needed.amax(1, keepdim=True) + 1) + needed).masked_fill(logs == float("-inf"), LAST)
    chosen = turns.sort(dim=-1, stable=True).indices[:, : 2 * width]
    return logs.gather(1, chosen), places.gather(1, chosen)


def _places(totals: Float[Tensor, "S N T"], following: Int[Tensor, "R C"]) -> Int[Tensor, "S K"]:
    """The candidates as places among all tokens of all rows of a sentence, some of them twice."""
    count, width, size = totals.shape
    likeliest = totals.flatten(1).topk(min(2 * width, width * size), -1).indices
    own = totals.topk(min(2, size), -1).indices
    following = following.view(count, width, -1)
    going_on = torch.where(following == NONE, own[..., :1], following)
    begins = torch.arange(width, device=totals.device)[:, None] * size
    return torch.cat([likeliest, (own + begins).flatten(1), (going_on + begins).flatten(1)], 1)


def _repeated(places: Int[Tensor, "S K"]) -> Bool[Tensor, "S K"]:
    """Which candidates stand before, too."""
    ordered, order = places.sort(dim=-1, stable=True)
    same = torch.zeros_like(ordered, dtype=torch.bool)
    same[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    return torch.zeros_like(same).scatter(1, order, same)


def _rank(kinds: Int[Tensor, "S K"]) -> Int[Tensor, "S K"]:
    """How many of the same kind stand before each."""
    return (kinds[:, :, None] == kinds[:, None, :]).tril(-1).sum(-1)
