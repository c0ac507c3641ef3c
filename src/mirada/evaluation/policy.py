"""How near a policy comes to the return that it is asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PolicyScore:
    """What was reached on average for each return that was asked for, beside the players that were learnt from."""

    asked: tuple[int, ...]
    reached: tuple[float, ...]  # the mean of the episodes of each
    errors: tuple[float, ...]  # the mean of |asked − reached| of each
    episodes: int  # of each
    behaviour: float  # the mean return of the players

    @property
    def error(self) -> float:
        """The mean of |asked − reached| over all that was asked for."""
        return sum(self.errors) / len(self.errors)

    @property
    def behaviour_error(self) -> float:
        """The error of always reaching what the players reach on average."""
        return sum(abs(one - self.behaviour) for one in self.asked) / len(self.asked)

    @property
    def signature(self) -> str:
        """How it was computed."""
        return f"asked:{self.asked[0]}–{self.asked[-1]}|episodes:{self.episodes}|world:coins"

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        rows = zip(self.asked, self.reached, self.errors, strict=True)
        return {
            "returns": [{"asked": asked, "reached": reached, "error": error} for asked, reached, error in rows],
            "error": self.error,
            "behaviour": self.behaviour,
            "behaviour_error": self.behaviour_error,
            "signature": self.signature,
        }
