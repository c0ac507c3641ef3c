"""What bf16 costs: the loss on held-out pairs after the same updates on the same batches, beside a plain fp32 path."""

from __future__ import annotations

from statistics import mean

from beside.bench import Bench
from beside.measures.training import model_of
from beside.report import NONE, Bar, Section, figure
from beside.rounds import Rounds, alternate
from beside.shapes import SMALL

SEEDS = 3
STEPS = 100
BATCH_TOKENS = 2_000
FAST, PLAIN = "bf16, parts side by side", "plain fp32"


def quality(bench: Bench) -> Section:
    """A round is a seed."""
    task = bench.task(SMALL.vocabulary).folder
    asked: dict[str, object] = {
        "model": model_of(SMALL),
        "train": str(task / "train"),
        "held_out": str(task / "val"),
        "steps": STEPS,
    }
    training: dict[str, object] = {"batch_tokens": BATCH_TOKENS, "dropout": 0.1, "select": "loss"}
    sides = [
        bench.ours("our_quality.py", asked | {"training": training | {"precision": "bf16"}}, FAST),
        bench.ours("our_quality.py", asked | {"training": training | {"precision": "fp32"}, "plain": True}, PLAIN),
    ]
    rounds = alternate(sides, SEEDS)
    return Section(
        title=f"Loss on held-out pairs after {STEPS} updates, {SEEDS} seeds: {SMALL}",
        columns=("", "loss of each seed", "tokens", "tokens/s"),
        rows=[_row(rounds, side.name) for side in sides],
        bars=_bars(rounds),
        rounds=rounds,
    )


def _row(rounds: Rounds, side: str) -> tuple[str, ...]:
    losses = ", ".join(f"{loss:.4f}" for loss in rounds.values(side, "loss"))
    return side, losses or NONE, figure(rounds.spread(side, "tokens")), figure(rounds.spread(side, "speed"))


def _bars(rounds: Rounds) -> list[Bar]:
    pairs = list(zip(rounds.values(FAST, "loss"), rounds.values(PLAIN, "loss"), strict=False))
    if not pairs:
        return []
    apart = abs(mean(fast / plain for fast, plain in pairs) - 1)
    return [Bar("mean difference of the losses, bf16 against fp32", 100 * apart, "at most", 0.5, " %")]
