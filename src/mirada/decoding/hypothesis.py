"""A hypothesis: one decoded sequence with its score."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hypothesis:
    """Tokens without the end mark, their log-probability, and whether the end mark was reached in time."""

    tokens: list[int]
    log_probability: float
    finished: bool

    def score(self, penalty: float) -> float:
        """log-probability / length^penalty, the end mark counted: 0 prefers short ones, 1 is the mean of a token."""
        return self.log_probability / max(1, len(self.tokens) + int(self.finished)) ** penalty


# What a search finds whose every candidate is impossible: under the rein, or by weights that are no numbers.
NOTHING = Hypothesis([], float("-inf"), finished=False)
