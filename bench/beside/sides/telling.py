"""What every side shares, in any environment: what it was asked, its clock, and its answer. No torch here."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

T = TypeVar("T")


def asked() -> dict[str, Any]:
    """What the side was asked: the JSON object that is its argument."""
    return json.loads(sys.argv[1])


def read_lines(path: str) -> list[str]:
    """The lines of a text; what other programs take for the end of a line is none here."""
    return Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")


def write_lines(path: str, lines: list[str]) -> None:
    """Write a text, line by line."""
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def peak_memory() -> int:
    """The most bytes that this process has held, from the kernel's own count."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


PASSES = 3  # over a test set: one takes half a second, in which anything that the machine does besides shows


def passes(count: int, work: Callable[[], T]) -> tuple[T, float]:
    """What a pass over so many texts gives, and how many texts a second it takes: the median of some passes."""
    made, seconds = [], []
    for _ in range(PASSES):
        start = time.perf_counter()
        made.append(work())
        seconds.append(time.perf_counter() - start)
    return made[-1], count / median(seconds)


def tell(**answer: float | str) -> None:
    """Give the answer, with the peak memory, as the last line."""
    print(json.dumps({"memory": peak_memory()} | answer), flush=True)


class Stopwatch:
    """Counts tokens between two updates, and ends the process with its answer after the last one that is wanted.

    For tools that own their loop: `count` is called with the tokens of each batch, `stepped` after each update.
    """

    def __init__(self, warm: int, timed: int) -> None:
        self._warm, self._timed = warm, timed
        self._steps = self._tokens = 0
        self._begun = time.perf_counter()

    def count(self, tokens: int) -> None:
        """Some more tokens were seen: pieces of both sides and one end mark for each."""
        self._tokens += tokens

    def stepped(self, *_: object) -> None:
        """An update was made."""
        self._steps += 1
        if self._steps == self._warm:
            self._tokens, self._begun = 0, time.perf_counter()
        elif self._steps == self._warm + self._timed:
            seconds = time.perf_counter() - self._begun
            tell(speed=self._tokens / seconds, tokens=self._tokens / self._timed, seconds=seconds)
            os._exit(0)  # the tool would now write checkpoints, which nobody wants
