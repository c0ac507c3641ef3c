"""Options of a search: what is asked of any engine that decodes."""

from __future__ import annotations

from dataclasses import dataclass

WIDEST = 1_000


@dataclass(frozen=True)
class Search:
    """How to decode: by beam search (greedy search if `beam` is 1), or by sampling `n_best` times.

    Hypotheses are ranked by log-probability / length^length_penalty: 0 prefers short ones, 1 the best mean.
    """

    beam: int = 5
    n_best: int = 1
    length_penalty: float = 1.0
    sampling: bool = False
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    seed: int = 0
    longest: int | None = None  # most tokens of a translation, however long its source is

    def __post_init__(self) -> None:
        _require(1 <= self.beam <= WIDEST, f"beam = {self.beam}", f"use 1 (greedy) to {WIDEST:,}")
        _require(1 <= self.n_best <= WIDEST, f"n_best = {self.n_best}", f"use 1 to {WIDEST:,}")
        _require(
            self.sampling or self.n_best <= self.beam,
            f"n_best = {self.n_best} is more than beam = {self.beam}",
            f"a beam finds no more hypotheses than it is wide; use beam = {self.n_best}",
        )
        _require(0 <= self.length_penalty <= 10, f"length_penalty = {self.length_penalty}", "use 0 to 10")
        _require(
            0 < self.temperature < float("inf"),
            f"temperature = {self.temperature}",
            "use a number above 0; for the likeliest tokens only, do not sample and set beam = 1",
        )
        _require(self.top_k is None or self.top_k >= 1, f"top_k = {self.top_k}", "use 1 or more, or None for all")
        _require(0 < self.top_p <= 1, f"top_p = {self.top_p}", "use a share above 0, at most 1")
        _require(self.longest is None or self.longest >= 1, f"longest = {self.longest}", "use 1 or more")


def _require(holds: bool, found: str, advice: str) -> None:
    if not holds:
        raise ValueError(f"{found}; {advice}")
