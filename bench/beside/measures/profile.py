"""Where the time of a training step goes."""

from __future__ import annotations

from beside.bench import OURS, Bench
from beside.measures.training import model_of, training_of
from beside.report import Section, figure
from beside.rounds import Rounds, alternate
from beside.shapes import SMALL

SHOWN = 15  # operations


def profile(bench: Bench) -> Section:
    """The small shape in bf16, one worker on one thread: what each part of a step does beside the others."""
    asked: dict[str, object] = {
        "model": model_of(SMALL),
        "training": training_of("bf16"),
        "train": str(bench.task(SMALL.vocabulary).folder / "train"),
        "timed": 2,
        "threads": 1,
    }
    rounds = alternate([bench.ours("our_profile.py", asked)], 1)
    return Section(
        title=f"Where a training step spends its time, bf16: {SMALL}",
        columns=("operation", "share of the time"),
        rows=[(name, figure(rounds.spread(OURS, name), ".1%")) for name in _largest(rounds)],
        rounds=rounds,
    )


def _largest(rounds: Rounds) -> list[str]:
    """The operations that take the most time."""
    shares = {name: value for answers in rounds.answers for name, value in answers.get(OURS, {}).items()}
    shares.pop("memory", None)
    return sorted(shares, key=lambda name: float(shares[name]), reverse=True)[:SHOWN]
