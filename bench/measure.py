"""Measuring: alternating repeats in one run, medians and spread, and the memory of a fresh process."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import torch


@dataclass(frozen=True)
class Times:
    """The seconds of several repeats."""

    seconds: list[float]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        low, high = min(self.seconds), max(self.seconds)
        return f"{self.median * 1e3:.1f} ms ({low * 1e3:.1f}–{high * 1e3:.1f})"


def alternate(works: Mapping[str, Callable[[], object]], repeats: int, warm: int = 1) -> dict[str, Times]:
    """Time each work `repeats` times, in turn, so that a noisy moment of the machine hits all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for repeat in range(warm + repeats):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            if repeat >= warm:
                seconds[name].append(time.perf_counter() - start)
    return {name: Times(found) for name, found in seconds.items()}


def ratio(times: dict[str, Times], one: str, other: str) -> float:
    """How many times as long `one` takes as `other`: the median of the ratios of neighbouring repeats."""
    pairs = zip(times[one].seconds, times[other].seconds, strict=True)
    return statistics.median(first / second for first, second in pairs)


def growth(works: Mapping[str, Callable[[], object]], repeats: int) -> list[float]:
    """The ratio of each work to the one before it."""
    times = alternate(works, repeats)
    names = list(works)
    return [ratio(times, later, earlier) for earlier, later in pairwise(names)]


def peak_memory() -> int:
    """The most bytes this process has held, from the kernel's own count."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def memory_above_start(work: Callable[[], object]) -> int:
    """How many bytes a work holds at its peak above what was held before it."""
    before = peak_memory()
    work()
    return peak_memory() - before


def in_fresh_process(script: str, *arguments: str) -> int:
    """The number that a script prints last, run in a process of its own, where nothing was held before."""
    command = [sys.executable, script, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1])


def multiplies_bfloat16() -> bool:
    """Whether the CPU multiplies bfloat16 in hardware; in software it is many times slower than float32."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # noqa: SLF001 torch asks it by this name too
