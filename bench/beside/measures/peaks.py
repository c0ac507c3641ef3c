"""What the machine can do at best, in the shapes that training has."""

from __future__ import annotations

from beside.bench import Bench
from beside.report import Section, figure
from beside.rounds import Rounds, alternate

PRODUCTS = ((4_096, 256, 1_024), (4_096, 1_024, 256), (4_096, 256, 256), (4_096, 256, 8_000), (2_048, 2_048, 2_048))
PRECISIONS = ("fp32", "bf16")
MACHINE = "the machine"


def peaks(bench: Bench) -> Section:
    """Matrix products in both precisions, and copying."""
    asked: dict[str, object] = {"precisions": PRECISIONS, "products": PRODUCTS, "copying": True}
    rounds = alternate([bench.ours("peaks.py", asked, MACHINE)], bench.rounds)
    names = [f"{rows} × {inner} × {columns}" for rows, inner, columns in PRODUCTS]
    copied = figure(rounds.spread(MACHINE, "copy"), ",.1f", 1e-9)
    return Section(
        title=f"Matrix products, {bench.threads} threads, GFLOP/s",
        columns=("rows × inner × columns", *PRECISIONS),
        rows=[(name, *(_figure(rounds, f"{precision} {name}") for precision in PRECISIONS)) for name in names],
        notes=[f"copying reads and writes {copied} GB/s"],
        rounds=rounds,
    )


def _figure(rounds: Rounds, name: str) -> str:
    return figure(rounds.spread(MACHINE, name), ",.0f", 1e-9)
