"""Curves: how a training goes, from the lines that it writes, while it writes them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from mirada.serving.messages import Curves, Point
from mirada.training import metrics

POINTS = 600  # of a curve: more than a page has pixels for
MOST_LINES = 200_000
LARGEST_RECORD = 1_000_000  # bytes
FACTS = frozenset({"step", "kind", "seconds", "tokens", "loss"})  # what is no score of a validation

_Status = Literal["running", "finished", "unknown"]


def read_curves(folder: Path) -> Curves:
    """The curves of a run's folder; empty ones where it has only begun."""
    training, development = [], []
    scores: dict[str, list[Point]] = {}
    for _, line in zip(range(MOST_LINES), metrics.read(folder), strict=False):
        if line.get("kind") == "training":
            training += _points(line, "loss")
        elif line.get("kind") == "validation":
            development += _points(line, "loss")
            for name in line.keys() - FACTS:
                scores.setdefault(name, []).extend(_points(line, name))
    return Curves(
        name=folder.resolve().name,
        status=_status(folder),
        training=thinned(training),
        development=thinned(development),
        scores={name: thinned(points) for name, points in sorted(scores.items()) if points},
    )


def _points(line: dict[str, object], name: str) -> list[Point]:
    step, value = line.get("step"), line.get(name)
    if isinstance(step, int) and isinstance(value, int | float) and math.isfinite(value):
        return [Point(step=step, value=value)]
    return []


def thinned(points: Sequence[Point]) -> list[Point]:
    """At most `POINTS` points: the means of neighbours, and the last one as it is."""
    if len(points) <= POINTS:
        return list(points)
    earlier, every = points[:-1], -(-(len(points) - 1) // (POINTS - 1))
    groups = [earlier[first : first + every] for first in range(0, len(earlier), every)]
    means = [Point(step=group[-1].step, value=sum(one.value for one in group) / len(group)) for group in groups]
    return [*means, points[-1]]


def _status(folder: Path) -> _Status:
    path = folder / "training.json"
    try:
        if path.stat().st_size > LARGEST_RECORD:
            return "unknown"
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return "unknown"
    match record.get("status") if isinstance(record, dict) else None:
        case "running":
            return "running"
        case "finished":
            return "finished"
    return "unknown"
