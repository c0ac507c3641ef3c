"""The crew: threads that each compute a part of a training step.

A product of small matrices gains little from a second thread: on two cores, two threads that each work on half a batch
make 1.2 to 1.3 times the tokens of one that uses both cores for every operation (docs/experiments.md). A model keeps
no state, and torch lets go of Python's lock while it computes, so threads are enough and share the weights.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")

LOOKED_AT = 8  # steps together, before it is decided how to go on
SLOWER = 1.1  # times the processors' work: clearly more than one part after the other takes
APART = 200  # steps one part after the other, before it is tried together again
FEWEST_TOKENS = 700  # padded, of both sides, that are worth a thread of their own


def parts_for(threads: int, batch_tokens: int, fewest: int = FEWEST_TOKENS) -> int:
    """Into how many parts a step is cut: a divisor of the threads, so that none is idle."""
    most = min(threads, batch_tokens // max(1, fewest))
    return next((parts for parts in range(most, 1, -1) if threads % parts == 0), 1)


class Crew:
    """`count` workers that share `threads`; with one worker, the caller does the work.

    Workers help while they run at the same time. Where other programs hold a core, one that must wait may hold Python's
    lock or the step's end, and both together take longer than the two parts one after the other: then that is what is
    done for a while. It changes no bit, because a part is computed by a worker with the same number of threads.
    """

    def __init__(self, count: int, threads: int) -> None:
        self._count = count
        self._pool = None
        self._pace = Pace()
        if count > 1:
            each = max(1, threads // count)
            # torch's number of threads is that of the calling thread: the others keep theirs.
            self._pool = ThreadPoolExecutor(count, "crew", initializer=torch.set_num_threads, initargs=(each,))

    def map(self, work: Callable[[int, T], R], items: Sequence[T]) -> Iterator[R]:
        """The result of the work for each item with its number, in order, at most `count` held; a failure is raised."""
        for first in range(0, len(items), self._count):
            some = items[first : first + self._count]
            numbers = range(first, first + len(some))
            if self._pool is None:
                yield from map(work, numbers, some)
            elif self._pace.together:
                yield from self._together(self._pool, work, numbers, some)
            else:
                self._pace.note_apart()
                yield from (self._pool.submit(work, *one).result() for one in zip(numbers, some, strict=True))

    def _together(
        self, pool: ThreadPoolExecutor, work: Callable[[int, T], R], numbers: Sequence[int], items: Sequence[T]
    ) -> Iterator[R]:
        start = time.perf_counter()
        done = list(pool.map(partial(_timed, work), numbers, items))
        self._pace.note_together(time.perf_counter() - start, sum(seconds for _, seconds in done))
        return iter([result for result, _ in done])


def _timed(work: Callable[[int, T], R], number: int, item: T) -> tuple[R, float]:
    """The work's result, and how long a processor worked for it, waiting left out."""
    start = time.thread_time()
    return work(number, item), time.thread_time() - start


class Pace:
    """Whether parts are worth computing together: while that takes less time than their processors work in sum.

    One after the other they would take that sum at least, so a machine that has its cores to itself never tries it.
    """

    def __init__(self) -> None:
        self.together = True
        self._elapsed: list[float] = []
        self._worked: list[float] = []
        self._apart = 0

    def note_together(self, elapsed: float, worked: float) -> None:
        """Parts took this long together, and their processors worked so long in sum."""
        self._elapsed.append(elapsed)
        self._worked.append(worked)
        if len(self._elapsed) == LOOKED_AT:
            self.together = sum(self._elapsed) <= SLOWER * sum(self._worked)
            self._elapsed, self._worked = [], []

    def note_apart(self) -> None:
        """Parts were computed one after the other; after a while it is tried together again."""
        self._apart += 1
        if self._apart == APART:
            self.together, self._apart = True, 0
