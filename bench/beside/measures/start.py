"""How soon a command answers: help, and the first translation of one line from a model's folder or an exported one."""

from __future__ import annotations

from beside.bench import Bench
from beside.models import exported_models, trained_model
from beside.report import Bar, Section, figure
from beside.rounds import alternate

LIMITS = (0.3, 1.0, 3.0)  # seconds
LINE = "A man in an orange hat starring at something.\n"


def start(bench: Bench) -> Section:
    """Whole commands, the interpreter's own start included; files are in the system's cache after the first round."""
    asked = {
        "mirada --help": ["--help"],
        "one line, exported model": ["translate", str(exported_models(bench).usual)],
        "one line, torch": ["translate", str(trained_model(bench)), "--engine", "torch"],
    }
    sides = [bench.ours("our_start.py", {"words": words, "input": LINE}, name) for name, words in asked.items()]
    rounds = alternate(sides, bench.rounds)
    bars = [
        Bar(side.name, found.median, "at most", limit, " s")
        for side, limit in zip(sides, LIMITS, strict=True)
        if (found := rounds.spread(side.name, "seconds")) is not None
    ]
    return Section(
        title="Start of a command",
        columns=("", "seconds"),
        rows=[(side.name, figure(rounds.spread(side.name, "seconds"), ".2f")) for side in sides],
        bars=bars,
        rounds=rounds,
    )
