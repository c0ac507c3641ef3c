"""What a run says while it runs: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Protocol, TextIO, runtime_checkable

from mirada.tasks.task import Score

PLAIN_SECONDS = 30.0  # between two plain lines
LIVE_SECONDS = 0.5  # between two live ones
ENOUGH = 5  # steps before the time left is told
MEMORY = 0.98  # how much of the running mean of speed stays at each step
NAMES = {"chrf": "chrF", "bleu": "BLEU", "loss": "loss", "macro_f1": "macro F1"}


@dataclass(frozen=True, slots=True)
class Tick:
    """One step of a run."""

    step: int
    total: int
    epoch: int
    loss: float
    tokens_per_second: float


@runtime_checkable
class Reporter(Protocol):
    """Who is told about a run."""

    def say(self, text: str) -> None:
        """A sentence."""

    def warn(self, text: str) -> None:
        """A sentence that matters even to those who want to hear nothing."""

    def step(self, tick: Tick) -> None:
        """A step was made."""

    def validated(self, score: Score, best: bool, select: str) -> None:
        """The development set was looked at."""


class ConsoleReporter:
    """Tells a person, on standard error."""

    def __init__(self, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._quiet = quiet
        self._live = self._stream.isatty()
        self._shown = ""
        self._last = time.monotonic()
        self._begun: tuple[int, float] | None = None
        self._loss = self._rate = 0.0
        self._best = ""

    def say(self, text: str) -> None:
        if not self._quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        self._wipe()
        print(text, file=self._stream, flush=True)

    def step(self, tick: Tick) -> None:
        now = time.monotonic()
        if self._begun is None:
            self._begun, self._loss, self._rate = (tick.step - 1, now), tick.loss, tick.tokens_per_second
        self._loss = MEMORY * self._loss + (1 - MEMORY) * tick.loss
        self._rate = MEMORY * self._rate + (1 - MEMORY) * tick.tokens_per_second
        if self._quiet or now - self._last < (LIVE_SECONDS if self._live else PLAIN_SECONDS):
            return
        self._last = now
        line = self._line(tick, now)
        if self._live:
            self._wipe()
            self._stream.write(line)
            self._stream.flush()
            self._shown = line
        else:
            self.say(line)

    def validated(self, score: Score, best: bool, select: str) -> None:
        told = "".join(f", {NAMES.get(name, name)} {value:.1f}" for name, value in score.values.items())
        if best:
            value = score.loss if select == "loss" else score.values[select]
            self._best = f", best {NAMES.get(select, select)} {value:.2f}"
        self.say(f"step {score.step}: development loss {score.loss:.3f}{told}{' (best so far)' if best else ''}")

    def _line(self, tick: Tick, now: float) -> str:
        first, begun = self._begun or (0, now)
        left = (now - begun) / max(1, tick.step - first) * (tick.total - tick.step)
        told = f", {span(left)} left" if tick.step - first >= ENOUGH else ""
        return (
            f"step {tick.step}/{tick.total} ({100 * tick.step // tick.total} %), pass {tick.epoch + 1}, "
            f"loss {self._loss:.3f}, {self._rate:,.0f} tokens/s{told}{self._best}"
        )

    def _wipe(self) -> None:
        if self._shown:
            self._stream.write("\r" + " " * len(self._shown) + "\r")
            self._shown = ""


def span(seconds: float) -> str:
    """A span of time as people read it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
