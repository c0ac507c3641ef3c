"""The crew: threads that each compute a part of a training step, and then update a part of the weights.

A product of small matrices gains little from a second thread: on two cores, two threads that each work on half a batch
make 1.2 to 1.3 times the tokens of one that uses both cores for every operation (docs/experiments.md). A model keeps
no state, and torch lets go of Python's lock while it computes, so threads are enough and share the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")

# States whose products, where torch computes them, are large enough for all threads: 1.15 times the tokens of parts
# side by side.
WIDE = 512
FEWEST_TOKENS = 700  # padded, of both sides, that are worth a thread of their own


def parts_for(threads: int, batch_tokens: int, fewest: int = FEWEST_TOKENS) -> int:
    """Into how many parts a step is cut: a divisor of the threads, so that none is idle."""
    most = min(threads, batch_tokens // max(1, fewest))
    return next((parts for parts in range(most, 1, -1) if threads % parts == 0), 1)


class Crew:
    """`count` workers that share `threads`; with one worker, the caller does the work."""

    def __init__(self, count: int, threads: int) -> None:
        self.count = count
        self._pool = None
        if count > 1:
            each = max(1, threads // count)
            # torch's number of threads is that of the calling thread: the others keep theirs.
            self._pool = ThreadPoolExecutor(count, "crew", initializer=torch.set_num_threads, initargs=(each,))

    def map(self, work: Callable[[int, T], R], items: Sequence[T]) -> Iterator[R]:
        """The result of the work for each item with its number, in order, at most `count` held; a failure is raised."""
        for first in range(0, len(items), self.count):
            some = items[first : first + self.count]
            numbers = range(first, first + len(some))
            yield from map(work, numbers, some) if self._pool is None else self._pool.map(work, numbers, some)
