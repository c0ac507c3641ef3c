"""Observing a search: the candidates that it kept at every step, told to whoever asks.

An observer is an argument of the search. Nothing is stored on a model, and a search without one does nothing more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """One more token behind a candidate of the step before.

    `parent` is that candidate's place among those that went on, 0 in the first step. The log-probability is that of
    all tokens so far. A candidate that ended said the end mark and goes on no more.
    """

    parent: int
    token: int
    log_probability: float
    ended: bool


@dataclass(frozen=True, slots=True)
class Step:
    """The candidates after one step: first those that go on, in their order, then those that ended in it.

    `length` is the number of their tokens; with 1 a search begins.
    """

    length: int
    candidates: tuple[Candidate, ...]


Observer = Callable[[Step], None]
