"""How well a language model foretells a text: loss, perplexity, and bits for each character."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log
from typing import Literal


@dataclass(frozen=True, slots=True)
class TextScore:
    """The mean loss −log p of a token, in nats, over so many tokens that stand for so many characters.

    Losses and perplexities compare models with the same units only; bits per character compare all.
    """

    loss: float
    tokens: int
    characters: int
    context: int  # tokens that the model saw at most
    stride: int  # tokens between two windows: with the context's own length, a token sees half of it on average
    counted: Literal["characters", "steps"] = "characters"  # what `characters` are: of music, steps of time

    @property
    def perplexity(self) -> float:
        """exp(loss): among how many tokens, all alike, the choice would be as hard."""
        return exp(self.loss) if self.loss < 700 else inf

    @property
    def bits_per_character(self) -> float:
        """loss · tokens / characters / log 2."""
        return self.loss * self.tokens / max(1, self.characters) / log(2)

    @property
    def nats_per_step(self) -> float:
        """loss · tokens / steps: −log p of all that sounds in a step of time, the ends of steps and pieces included.

        A step has one spelling, so this bounds the negative log-likelihood of a frame from above, as the papers on
        chorales state it (Boulanger-Lewandowski et al. 2012).
        """
        return self.loss * self.tokens / max(1, self.characters)

    @property
    def rate(self) -> tuple[str, float]:
        """The measure that compares models with different units, and its name."""
        if self.counted == "steps":
            return "nats per step", self.nats_per_step
        return "bits per character", self.bits_per_character

    @property
    def signature(self) -> str:
        """How it was computed."""
        return f"context:{self.context}|stride:{self.stride}|tokens:{self.tokens}|{self.counted}:{self.characters}"

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        return {
            "loss": self.loss,
            "perplexity": self.perplexity,
            self.rate[0].replace(" ", "_"): self.rate[1],
            "tokens": self.tokens,
            self.counted: self.characters,
            "signature": self.signature,
        }
