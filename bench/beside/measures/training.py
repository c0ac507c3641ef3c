"""Training a Transformer beside its peers: tokens a second, peak memory, and the share of what the machine can do."""

from __future__ import annotations

from dataclasses import dataclass, replace

from beside.bench import OURS, Bench
from beside.peers import EOLE, TRANSFORMERS, Peer
from beside.report import Bar, Section, figure
from beside.rounds import Rounds, Side, Spread, alternate, fastest
from beside.shapes import BASE, SMALL, Shape

BATCH_TOKENS = 4_096  # padded, on each side
PEAK = "matrix products"
ATTENTIONS = ("eager", "sdpa")  # of transformers; which is faster depends on precision and length


@dataclass(frozen=True)
class Plan:
    """One pair of a shape and a precision, and how long each side works on it."""

    shape: Shape
    precision: str
    peers: tuple[Peer, ...]
    warm: int  # steps of a peer that are not counted; ours makes two
    timed: int
    ratio: float  # the bar
    memory: float | None = None  # bytes, the bar


BF16 = Plan(SMALL, "bf16", (TRANSFORMERS, EOLE), warm=3, timed=10, ratio=2.0, memory=1.3e9)
FP32 = Plan(SMALL, "fp32", (TRANSFORMERS, EOLE), warm=3, timed=8, ratio=1.3)
LARGER = Plan(BASE, "bf16", (TRANSFORMERS,), warm=2, timed=6, ratio=1.7)


def small_bf16(bench: Bench) -> Section:
    """The small shape in bf16."""
    return _measure(bench, BF16)


def small_fp32(bench: Bench) -> Section:
    """The small shape in fp32."""
    return _measure(bench, FP32)


def base_bf16(bench: Bench) -> Section:
    """The base shape in bf16."""
    return _measure(bench, LARGER)


def model_of(shape: Shape) -> dict[str, object]:
    """The shape as a config of ours."""
    look = {"heads": shape.heads}
    stack = look | {"layers": shape.layers}
    sizes = {"width": shape.width, "feed_forward": shape.feed_forward}
    return sizes | {"encoder": stack, "decoder": stack, "cross": look}


def training_of(precision: str) -> dict[str, object]:
    """How ours trains: a batch counts both sides."""
    return {"batch_tokens": 2 * BATCH_TOKENS, "precision": precision, "dropout": 0.1}


def _measure(bench: Bench, plan: Plan) -> Section:
    sides, notes = _sides(bench, plan)
    rounds = alternate([*sides, _peak(bench, plan)], bench.rounds)
    peers = [side.name for side in sides if side.name != OURS]
    flops = plan.shape.flops(bench.task(plan.shape.vocabulary).source_share)
    rows = [_row(rounds, side.name, plan, flops) for side in sides]
    peak = figure(rounds.spread(PEAK, plan.precision), ",.0f", 1e-9)
    notes.append(f"matrix products: {peak} GFLOP/s; a token takes {flops / 1e6:.1f} MFLOP in products with weights")
    return Section(
        title=f"Training, {plan.precision}: {plan.shape}; batches of about {BATCH_TOKENS:,} target tokens",
        columns=("", "tokens/s", "ours against it", "share of the peak", "peak memory, GB"),
        rows=rows,
        bars=_bars(rounds, plan, rounds.best(peers, "speed")),
        notes=notes + bench.notes_on(*plan.peers),
        rounds=rounds,
    )


def _sides(bench: Bench, plan: Plan) -> tuple[list[Side], list[str]]:
    """Ours, and each peer that can be had, at its best setting; how that was found."""
    task = bench.task(plan.shape.vocabulary).folder
    steps: dict[str, object] = {"warm": plan.warm, "timed": plan.timed}
    config: dict[str, object] = {"model": model_of(plan.shape), "training": training_of(plan.precision)}
    ours = bench.ours("our_training.py", steps | config | {"train": str(task / "train")})
    asked: dict[str, object] = {
        "task": str(task),
        "shape": plan.shape.as_json(),
        "precision": plan.precision,
        "batch_tokens": BATCH_TOKENS,
    }
    sides, notes = [ours], []
    if TRANSFORMERS in plan.peers:
        found, note = _best_attention(bench, asked | steps)
        sides += found
        notes += note
    if EOLE in plan.peers:
        sides += bench.theirs(EOLE, "eole_training.py", asked | steps)
    return sides, notes


def _best_attention(bench: Bench, asked: dict[str, object]) -> tuple[list[Side], list[str]]:
    """transformers with the attention that is faster in a trial as long as a round."""
    tried = [
        side
        for attention in ATTENTIONS
        for side in bench.theirs(TRANSFORMERS, "transformers_training.py", asked | {"attention": attention}, attention)
    ]
    if not tried:
        return [], []
    best, told = fastest(tried, "speed")
    name = f"{TRANSFORMERS.title}, {best.name}"
    return [replace(best, name=name)], [f"attention of {TRANSFORMERS.title} in a trial, tokens/s: {told}"]


def _peak(bench: Bench, plan: Plan) -> Side:
    """The products of the shape, in the same rounds."""
    width, wide = plan.shape.width, plan.shape.feed_forward
    products = [(BATCH_TOKENS, width, wide), (BATCH_TOKENS, wide, width), (BATCH_TOKENS, width, plan.shape.vocabulary)]
    return bench.ours("peaks.py", {"precisions": [plan.precision], "products": products, "copying": False}, PEAK)


def _row(rounds: Rounds, side: str, plan: Plan, flops: float) -> tuple[str, ...]:
    return (
        side,
        figure(rounds.spread(side, "speed")),
        "" if side == OURS else figure(rounds.ratio((OURS, "speed"), (side, "speed")), ".2f"),
        figure(rounds.ratio((side, "speed"), (PEAK, plan.precision)), ".0%", flops),
        figure(rounds.spread(side, "memory"), ".2f", 1e-9),
    )


def _bars(rounds: Rounds, plan: Plan, rival: str | None) -> list[Bar]:
    bars = []
    ratio: Spread | None = rounds.ratio((OURS, "speed"), (rival, "speed")) if rival is not None else None
    if ratio is not None:
        bars.append(Bar(f"tokens/s against the fastest peer, {rival}", ratio.median, "at least", plan.ratio, " ×"))
    memory = rounds.spread(OURS, "memory")
    if memory is not None and plan.memory is not None:
        bars.append(Bar("peak memory", memory.median / 1e9, "at most", plan.memory / 1e9, " GB"))
    return bars
