"""What enters the decoder while it learns: the true tokens, or more and more of its own, as a config."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, Tag

from mirada.models.config import Strict, by_kind

DecayKind = Literal["linear", "exponential", "inverse_sigmoid"]
STEEPNESS = 5.0  # of the curves that are no lines: e^−5 of the way is left at the end


class TeacherConfig(Strict):
    """Teacher forcing: every token that enters is the true one."""

    kind: Literal["teacher"] = "teacher"


class SamplingConfig(Strict):
    """How likely a token that enters is the model's own: `first` at the first step, `last` at the last."""

    decay: DecayKind = "inverse_sigmoid"
    first: float = Field(default=0.0, ge=0, le=1)
    last: float = Field(default=0.25, ge=0, le=1)

    def probability(self, done: float) -> float:
        """The probability when this share of the run is done (Bengio et al. 2015, 2.4, fitted to the run's length).

        linear: in a line; exponential: 1 − e^−5t, soon; inverse_sigmoid: slowly at both ends, half-way in the middle.
        """
        return self.first + (self.last - self.first) * _risen(self.decay, min(1.0, max(0.0, done)))


def _risen(kind: DecayKind, done: float) -> float:
    """From 0 to 1 as `done` goes from 0 to 1."""
    match kind:
        case "linear":
            return done
        case "exponential":
            return math.expm1(-STEEPNESS * done) / math.expm1(-STEEPNESS)
        case "inverse_sigmoid":
            low, here = (1 / (1 + math.exp(STEEPNESS * (1 - 2 * place))) for place in (0.0, done))
            return (here - low) / (1 - 2 * low)


class ScheduledConfig(SamplingConfig):
    """Scheduled sampling (Bengio et al. 2015): tokens in turn, each the model's own with a growing probability."""

    kind: Literal["scheduled"] = "scheduled"


class ParallelConfig(SamplingConfig):
    """Parallel scheduled sampling (Duckworth et al. 2019): whole passes instead of steps."""

    kind: Literal["parallel"] = "parallel"
    passes: int = Field(default=1, ge=1, le=100, description="passes that find the model's own tokens")


class ProfessorConfig(Strict):
    """Professor forcing (Lamb et al. 2016): a discriminator tells forced from free-running states."""

    kind: Literal["professor"] = "professor"
    weight: float = Field(default=0.1, ge=0, description="of the discriminator in the loss; 0 is teacher forcing")
    width: int = Field(default=128, ge=2, le=4_096, multiple_of=2, description="of the discriminator's states")
    rate: float = Field(default=1e-3, gt=0, description="the discriminator's learning rate")


ForcingConfig = Annotated[
    Annotated[TeacherConfig, Tag("teacher")]
    | Annotated[ScheduledConfig, Tag("scheduled")]
    | Annotated[ParallelConfig, Tag("parallel")]
    | Annotated[ProfessorConfig, Tag("professor")],
    by_kind("teacher", "scheduled", "parallel", "professor"),
]
