"""How well hidden or neighbouring words are told: losses, accuracies and perplexities of models that read."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf


def perplexity(loss: float) -> float:
    """exp(loss): among how many tokens, all alike, the choice would be as hard."""
    return exp(loss) if loss < 700 else inf


@dataclass(frozen=True, slots=True)
class MaskedScore:
    """The mean loss of hidden tokens in nats, and the percentage that was told right, each hidden once.

    The tokens of a row are hidden in so many rounds, some words in each, as in training: exp(loss) is a
    pseudo-perplexity (Salazar et al. 2020, who hide one at a time). It compares models with the same units only.
    """

    loss: float
    accuracy: float
    tokens: int
    rounds: int
    next_accuracy: float | None = None  # percentage, of what follows what
    pairs: int = 0  # that this is the share of

    @property
    def pseudo_perplexity(self) -> float:
        """exp(loss)."""
        return perplexity(self.loss)

    @property
    def signature(self) -> str:
        """How it was computed."""
        return f"rounds:{self.rounds}|tokens:{self.tokens}|pairs:{self.pairs}"

    @property
    def measures(self) -> dict[str, float]:
        """All that was measured, by name."""
        found = {"loss": self.loss, "pseudo_perplexity": self.pseudo_perplexity, "accuracy": self.accuracy}
        return found if self.next_accuracy is None else found | {"next_sentence_accuracy": self.next_accuracy}

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        return {**self.measures, "tokens": self.tokens, "signature": self.signature}


@dataclass(frozen=True, slots=True)
class BothScore:
    """The mean loss of a token, told from those before it and from those after it, in nats."""

    forward: float
    backward: float
    tokens: int  # of each direction

    @property
    def loss(self) -> float:
        """The mean of both directions."""
        return (self.forward + self.backward) / 2

    @property
    def signature(self) -> str:
        """How it was computed."""
        return f"rows|tokens:{self.tokens}"

    @property
    def measures(self) -> dict[str, float]:
        """All that was measured, by name."""
        both = {"forward_perplexity": perplexity(self.forward), "backward_perplexity": perplexity(self.backward)}
        return {"loss": self.loss, **both}

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        return {**self.measures, "tokens": self.tokens, "signature": self.signature}
