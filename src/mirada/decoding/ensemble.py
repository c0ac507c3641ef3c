"""Ensembles: several models that say the next token with one voice.

Legend: R rows, T vocabulary, B sentences, S source places, M members.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.attention import Padding
from mirada.decoding.protocol import Reader

Mean = Literal["probabilities", "logs"]


@dataclass(frozen=True, eq=False)
class EnsembleState:
    """What every member remembers."""

    members: tuple[Any, ...]

    def select(self, rows: Int[Tensor, "R2"]) -> EnsembleState:
        """The state of these rows, in this order."""
        return EnsembleState(tuple(member.select(rows) for member in self.members))


class Ensemble:
    """The mean of models that share a vocabulary, whatever else they are.

    probabilities: p = 1/M · Σ_m p_m, so that what one member is sure of stays possible
    logs:          p ∝ (Π_m p_m)^(1/M), so that what one member excludes is excluded

    It is a model itself, so that every search can use it.
    """

    def __init__(self, members: Sequence[Reader[Any]], mean: Mean = "probabilities") -> None:
        self._members = tuple(members)
        self._mean = mean

    def start(self, source: Int[Tensor, "B S"], padding: Padding | None) -> EnsembleState:
        """The state before the first step."""
        return EnsembleState(tuple(member.start(source, padding) for member in self._members))

    def step(self, tokens: Int[Tensor, "R"], state: EnsembleState) -> tuple[Float[Tensor, "R T"], EnsembleState]:
        """The log-probabilities of the next token after these, and the state after them."""
        pairs = zip(self._members, state.members, strict=True)
        scores, states = zip(*(member.step(tokens, own) for member, own in pairs), strict=True)
        return self._mean_of(torch.stack(scores)), EnsembleState(states)

    def _mean_of(self, scores: Float[Tensor, "M R T"]) -> Float[Tensor, "R T"]:
        if self._mean == "logs":
            return scores.mean(0).log_softmax(-1)
        return scores.logsumexp(0) - math.log(len(scores))
