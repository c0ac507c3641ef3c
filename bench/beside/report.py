"""The report: what a measure found as a Markdown table with its bars, and all measures as one JSON file."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from beside.rounds import Rounds, Spread

PACKAGES = ("torch", "numpy", "ctranslate2")
NONE = "–"  # where there is no figure


@dataclass(frozen=True)
class Bar:
    """What a figure should be, and what it is."""

    what: str
    found: float
    kind: Literal["at least", "at most"]
    bound: float
    unit: str = ""

    @property
    def holds(self) -> bool:
        """Whether the figure is what it should be."""
        return self.found >= self.bound if self.kind == "at least" else self.found <= self.bound

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "MISSED"
        return f"{verdict}: {self.what}: {self.found:.4g}{self.unit}, {self.kind} {self.bound:g}{self.unit}"


@dataclass(frozen=True)
class Section:
    """What one measure found."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    bars: list[Bar] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rounds: Rounds = field(default_factory=Rounds)  # every answer of every side

    def __str__(self) -> str:
        lines = [f"### {self.title}", ""]
        if self.rows:
            lines += [*table(self.columns, self.rows), ""]
        lines += [f"- {bar}" for bar in self.bars]
        lines += [f"- {note}" for note in self.notes]
        lines += [f"- {side} failed: {why}" for side, why in self.rounds.failures.items()]
        return "\n".join(lines).rstrip() + "\n"

    def as_json(self) -> dict[str, object]:
        """For programs; the bars with their verdicts."""
        return asdict(self) | {"bars": [asdict(bar) | {"holds": bar.holds} for bar in self.bars]}


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table, its columns aligned for those who read it as it is."""
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    lines = [columns, ["-" * width for width in widths], *rows]
    return [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]


def figure(spread: Spread | None, form: str = ",.0f", scale: float = 1.0) -> str:
    """A median with (least–most), if they differ; a dash where there is none."""
    if spread is None:
        return NONE
    median, low, high = (format(value * scale, form) for value in (spread.median, spread.low, spread.high))
    return median if low == high else f"{median} ({low}–{high})"


def machine() -> dict[str, object]:
    """Where a run was made, and how busy it was there before."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
        "load": os.getloadavg()[0],
    }


def write(path: Path, about: dict[str, object], sections: dict[str, Section]) -> None:
    """All that was found, as JSON; written after each measure, so that a run that is cut short is not lost."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found = about | {"measures": {name: section.as_json() for name, section in sections.items()}}
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
