"""What the training loop sees of a task: a loss for a batch, and a validation."""

from __future__ import annotations

from math import inf, isnan
from typing import Protocol, TypeVar, runtime_checkable

from pydantic import Field
from torch import Tensor

from mirada.data.stream import Learnable
from mirada.layers.noise import Noise
from mirada.models.config import Strict


class Score(Strict):
    """What a validation found: the mean cross-entropy of a token, and the task's own measures, greater is better."""

    step: int = Field(ge=0)
    loss: float
    values: dict[str, float] = Field(default_factory=dict)

    def measure(self, name: str) -> float:
        """One of the measures, or the loss turned round, so that greater is better; what is no number is worst."""
        found = -self.loss if name == "loss" else self.values[name]
        return -inf if isnan(found) else found


Taken_contra = TypeVar("Taken_contra", bound=Learnable, contravariant=True)


@runtime_checkable
class Task(Protocol[Taken_contra]):
    """A task holds its model and its development set."""

    def loss(self, batch: Taken_contra, noise: Noise | None, smoothing: float) -> Tensor:
        """The mean loss of a batch's expected tokens."""

    def validate(self, step: int) -> Score:
        """The score of the model as it is now, on the development set."""
