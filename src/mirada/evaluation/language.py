"""How well a language model foretells a text: loss, perplexity, and bits for each character."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log


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

    @property
    def perplexity(self) -> float:
        """exp(loss): among how many tokens, all alike, the choice would be as hard."""
        return exp(self.loss) if self.loss < 700 else inf

    @property
    def bits_per_character(self) -> float:
        """loss · tokens / characters / log 2."""
        return self.loss * self.tokens / max(1, self.characters) / log(2)

    @property
    def signature(self) -> str:
        """How it was computed."""
        return f"context:{self.context}|stride:{self.stride}|tokens:{self.tokens}|characters:{self.characters}"

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        return {
            "loss": self.loss,
            "perplexity": self.perplexity,
            "bits_per_character": self.bits_per_character,
            "tokens": self.tokens,
            "characters": self.characters,
            "signature": self.signature,
        }
