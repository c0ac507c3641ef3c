"""The parts of `card.md` that the cards of all tasks share."""

from __future__ import annotations

from collections.abc import Sequence

from mirada.training.checkpoint import Progress
from mirada.training.record import RunRecord
from mirada.training.report import span


def training_part(
    record: RunRecord, progress: Progress, steps: Sequence[int], units: str | None = "tokens"
) -> list[str]:
    """How the model was trained, and which steps' weights it is the mean of; `units` are what a run counts."""
    decided = ", ".join(f"{name} {value}" for name, value in record.decided.items())
    seen = "" if units is None else f", {progress.tokens:,} {units}"
    made = f"{progress.step:,} of {record.budget.steps:,} steps ({record.budget.why}){seen} in {span(progress.seconds)}"
    return [
        "## Training",
        f"{made}; {decided}.",
        f"The weights are the mean of steps {', '.join(map(str, steps))}.",
        "",
    ]
