"""Rounds: every side in turn, again and again, each time in a fresh process; medians, spread and ratios of them.

A machine is never equally fast for long, so that only sides that took turns can be compared: a ratio is the median of
the ratios within a round.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from beside.peers import clean_environment

SIDES = Path(__file__).parent / "sides"

Answer = dict[str, float | str]


class SideError(RuntimeError):
    """A side that gave no answer, and the last that it said."""


@dataclass(frozen=True)
class Spread:
    """The middle, the least and the most of some values."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))


@dataclass(frozen=True)
class Side:
    """A script of `sides` with what it is asked, for the interpreter that has what it needs."""

    name: str
    python: Path
    script: str
    asked: dict[str, object]
    patience: float = 600.0  # seconds

    def answer(self, number: int) -> Answer:
        """What the script says on its last line in a round: a JSON object. It is told the number of the round."""
        command = [str(self.python), str(SIDES / self.script), json.dumps(self.asked | {"round": number})]
        variables = None if self.python == Path(sys.executable) else clean_environment()
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=self.patience, check=False, env=variables
            )
        except subprocess.TimeoutExpired:
            raise SideError(f"no answer in {self.patience:.0f} seconds") from None
        except OSError as error:
            raise SideError(f"{self.python} cannot be run: {error.strerror}") from None
        if done.returncode != 0:
            raise SideError(f"status {done.returncode}: {' / '.join(_last_lines(done.stderr, 3))}")
        try:
            told: Answer = json.loads(_last_lines(done.stdout, 1)[0])
        except ValueError:
            raise SideError(f"its last line is no JSON: {_last_lines(done.stdout, 1)[0][:200]}") from None
        return told


@dataclass(frozen=True)
class Rounds:
    """What the sides answered, round by round; a side that failed has fewer answers, and its failure is kept."""

    answers: list[dict[str, Answer]] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)

    def values(self, side: str, name: str) -> list[float]:
        """One of the numbers that a side told, round by round."""
        told = [answers[side] for answers in self.answers if side in answers]
        return [float(answer[name]) for answer in told if name in answer]

    def spread(self, side: str, name: str) -> Spread | None:
        """The spread of a number that a side told; None where it told none."""
        values = self.values(side, name)
        return Spread.of(values) if values else None

    def ratio(self, one: tuple[str, str], other: tuple[str, str]) -> Spread | None:
        """How many times as much one number, (side, name), is as another of its round; None without such rounds."""
        pairs = [
            (float(answers[one[0]][one[1]]), float(answers[other[0]][other[1]]))
            for answers in self.answers
            if one[1] in answers.get(one[0], {}) and other[1] in answers.get(other[0], {})
        ]
        return Spread.of([first / second for first, second in pairs]) if pairs else None

    def best(self, sides: Iterable[str], name: str) -> str | None:
        """The side whose median is the greatest; None where no side answered."""
        told = [(found.median, side) for side in sides if (found := self.spread(side, name)) is not None]
        return max(told)[1] if told else None


def alternate(sides: Sequence[Side], count: int) -> Rounds:
    """`count` rounds, every second one in reverse order; a side that fails is left out from then on."""
    rounds = Rounds()
    for number in range(count):
        answers: dict[str, Answer] = {}
        for side in sides if number % 2 == 0 else reversed(sides):
            if side.name in rounds.failures:
                continue
            _show(f"round {number + 1} of {count}: {side.name}")
            try:
                answers[side.name] = side.answer(number)
            except SideError as error:
                rounds.failures[side.name] = str(error)
        rounds.answers.append(answers)
    _show("")
    return rounds


def fastest(sides: Sequence[Side], name: str) -> tuple[Side, str]:
    """The side with the greatest number in a trial of one round, or the first, and what the trial found."""
    tried = alternate(sides, 1)
    best = tried.best([side.name for side in sides], name)
    told = [f"{side.name} {found.median:,.0f}" for side in sides if (found := tried.spread(side.name, name))]
    return next((side for side in sides if side.name == best), sides[0]), ", ".join(told)


def threads() -> int:
    """How many threads a side may use: one for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _last_lines(text: str, count: int) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()][-count:] or ["nothing was said"]


def _show(text: str) -> None:
    """A word on where the run is, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
