"""Workers: batches that are decoded side by side, one on each core.

A step of decoding is a chain of small operations, which gain little from a second thread: two batches at a time take
three quarters of the processor time of one that has both cores for every operation (docs/experiments.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")


def workers_on(device: torch.device | str) -> int:
    """How many batches are decoded at once: as many as torch has threads on a CPU, one elsewhere."""
    return torch.get_num_threads() if torch.device(device).type == "cpu" else 1


def side_by_side(work: Callable[[Item], None], items: Sequence[Item], workers: int) -> None:
    """Do the work for every item, `workers` at a time; a failure is raised. One item has all threads to itself."""
    if workers == 1 or len(items) < 2:
        for item in items:
            work(item)
        return
    # torch's number of threads is that of the calling thread: the others keep theirs.
    with ThreadPoolExecutor(min(workers, len(items)), "decode", torch.set_num_threads, (1,)) as pool:
        for _ in pool.map(work, items):
            pass
