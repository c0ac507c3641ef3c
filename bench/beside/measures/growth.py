"""How the cost of training grows with the width, the length of sentences and the vocabulary, and where it bends."""

from __future__ import annotations

from dataclasses import replace

from beside.bench import Bench
from beside.measures.training import model_of, training_of
from beside.report import Section, figure
from beside.rounds import Rounds, Side, alternate
from beside.shapes import SMALL, Shape
from beside.task import synthetic

WIDTHS = (128, 256, 512)
LENGTHS = (16, 32, 64, 128, 256, 512, 1_024)
VOCABULARIES = (4_000, 8_000, 16_000, 32_000)
USUAL = 32  # tokens of a side
TOKENS = 8 * 8_192  # of a store: more steps than are made begin again
Point = tuple[str, Shape, int]


def growth(bench: Bench) -> Section:
    """Drawn tokens, so that every length has the same work; two fifths of the rounds, since nobody is compared."""
    points = _points()
    rounds = alternate([_side(bench, point) for point in points], max(1, 2 * bench.rounds // 5))
    return Section(
        title=f"Training as work grows, bf16 where it is fast: 3 + 3 layers, batches of {2 * 4_096:,} tokens",
        columns=("", "tokens/s", "GFLOP/s in weights", "peak memory, GB"),
        rows=[_row(rounds, point) for point in points],
        notes=[f"where not said otherwise: {SMALL}, sides of {USUAL} tokens"],
        rounds=rounds,
    )


def _points() -> list[Point]:
    """What grows, one thing at a time; heads are 64 wide."""
    widths = [replace(SMALL, width=width, feed_forward=4 * width, heads=width // 64) for width in WIDTHS]
    points: list[Point] = [(f"width {shape.width}", shape, USUAL) for shape in widths]
    points += [(f"length {length:,}", SMALL, length) for length in LENGTHS]
    return points + [(f"vocabulary {size:,}", replace(SMALL, vocabulary=size), USUAL) for size in VOCABULARIES]


def _side(bench: Bench, point: Point) -> Side:
    name, shape, length = point
    asked: dict[str, object] = {
        "model": model_of(shape),
        "training": training_of("auto"),
        "train": str(synthetic(bench.home, length, shape.vocabulary, TOKENS)),
        "timed": 2,
    }
    return bench.ours("our_training.py", asked, name)


def _row(rounds: Rounds, point: Point) -> tuple[str, ...]:
    name, shape, _ = point
    speed = rounds.spread(name, "speed")
    return (
        name,
        figure(speed),
        figure(speed, ",.0f", shape.flops(0.5) / 1e9),
        figure(rounds.spread(name, "memory"), ".2f", 1e-9),
    )
