"""Limits: how long a translation may become, how to tell one that went wrong, and a rein for the second attempt.

Legend: R rows, T vocabulary, N tokens so far, G size of an n-gram, B sentences, S source places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mirada.attention import Padding
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.protocol import Reader, S

LENGTHS, MORE = 2, 20  # a translation has at most 2 · source + 20 tokens: seldom does a good one reach 1.5 times

LONGEST_PERIOD = 12  # tokens of a unit that is repeated in a row
FEWEST_COPIES = 4  # of it; "no, no, no" is language
FEWEST_TOKENS = 10  # of all copies together; "......" and "1000000" are language, too
GRAM = 4  # tokens of the n-grams that are counted, and blocked in a second attempt
MANY_TOKENS = 24  # below this, that n-grams come again means nothing
LEAST_VARIETY = 0.4  # share of different n-grams; ordinary text has more than 0.9
SOURCE_EXCUSES = 1.5  # a translation may repeat itself this much more than its source


class Flag(StrEnum):
    """Why a translation deserves a second look. The value is stable, for programs; `meaning` is for people."""

    CUT = "cut"
    REPEATING = "repeating"
    EMPTY = "empty"
    DIVIDED = "divided"
    SYMBOLS = "symbols"

    @property
    def meaning(self) -> str:
        """What it says, after "flagged: 3"."""
        return _MEANINGS[self]


_MEANINGS = {
    Flag.CUT: "cut at the length limit",
    Flag.REPEATING: "repeating itself",
    Flag.EMPTY: "empty although the source is not",
    Flag.DIVIDED: "with a sentence too long for the model, translated in parts",
    Flag.SYMBOLS: "with placeholders lost or added",
}


def cap(length: int, longest: int | None = None) -> int:
    """The most tokens of the translation of a source with `length` tokens."""
    allowed = LENGTHS * length + MORE
    return allowed if longest is None else min(allowed, longest)


def flags_of(hypothesis: Hypothesis, source: Sequence[int]) -> tuple[Flag, ...]:
    """What is wrong with a translation of a source (its end mark included), as far as its tokens tell."""
    found = []
    if not hypothesis.finished:
        found.append(Flag.CUT)
    if repeats(hypothesis.tokens, source):
        found.append(Flag.REPEATING)
    if not hypothesis.tokens and len(source) > 1:
        found.append(Flag.EMPTY)
    return tuple(found)


def repeats(tokens: Sequence[int], source: Sequence[int] = ()) -> bool:
    """Whether a text is caught in a loop, and its source is not a text like that itself.

    Either a unit of a few tokens stands many times in a row, up to the end or over most of the text; or few of all
    n-grams are different, which finds loops of whole sentences, and those with small changes.
    """
    run = _looping(tokens)
    if run > SOURCE_EXCUSES * _looping(source):
        return True
    return _variety(tokens) < LEAST_VARIETY and SOURCE_EXCUSES * _variety(tokens) < _variety(source)


def _looping(tokens: Sequence[int]) -> int:
    """How many tokens stand in the longest loop that counts as one; 0 if there is none."""
    longest = 0
    for period in range(1, min(LONGEST_PERIOD, len(tokens) // FEWEST_COPIES) + 1):
        run = 0
        for place in range(period, len(tokens)):
            run = run + 1 if tokens[place] == tokens[place - period] else 0
            covered = run + period
            if covered <= longest or covered < max(FEWEST_TOKENS, FEWEST_COPIES * period):
                continue
            if place == len(tokens) - 1 or 2 * covered > len(tokens):
                longest = covered
    return longest


def _variety(tokens: Sequence[int]) -> float:
    """The share of different n-grams among all; 1 for a text too short to tell."""
    if len(tokens) < MANY_TOKENS:
        return 1.0
    grams = [tuple(tokens[place : place + GRAM]) for place in range(len(tokens) - GRAM + 1)]
    return len(set(grams)) / len(grams)


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
        """The log-probabilities of the next token, −∞ for what may not be said."""
        scores, inner = self._model.step(tokens, state.inner)
        said = torch.cat([state.said, tokens[:, None]], 1)
        if said.shape[1] == 1:
            refused = torch.zeros_like(scores, dtype=torch.bool)
            refused[:, self._end] = True
        else:
            refused = _said_before(said, self._size, scores.shape[-1])
        return scores.masked_fill(refused, float("-inf")), ReinedState(inner, said)


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
