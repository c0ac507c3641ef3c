"""Batching: the works of many clients, done together by one thread, from a queue that has an end.

A work says what is to be done with its items; those of equal works are joined into one call, up to a limit, in turn
from each client: who sends a hundred texts does not keep the others waiting, and whoever leaves is not worked for.

While one batch is computed the next one gathers by itself. Only where several clients are about does the thread wait
a few milliseconds for the rest of them, which were answered at the same moment and ask again at the same moment.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from mirada.serving.problem import Problem

QUIET_SECONDS = 0.003  # without another request: then those that were about to come have come
GATHERING_SECONDS = 0.03  # at most

Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


@runtime_checkable
class Work(Protocol[Item_contra, Result_co]):
    """What is to be done with items; equal works can be done in one call."""

    def do(self, items: Sequence[Item_contra]) -> Sequence[Result_co]:
        """The result of each item, in order."""


@runtime_checkable
class Gauge(Protocol):
    """Who is told about batches."""

    def waiting(self, count: int) -> None:
        """So many requests wait for their results."""

    def batch(self, size: int, seconds: float) -> None:
        """A batch of so many items was done."""


@dataclass(eq=False, slots=True)
class _Request:
    """What one client asked for: its items, and the results so far."""

    work: Work[Any, Any]
    items: Sequence[Any]
    done: Future[list[Any]]
    results: list[Any] = field(default_factory=list)

    @property
    def left(self) -> int:
        """How many items are still to be done."""
        return len(self.items) - len(self.results)

    def next(self, count: int) -> Sequence[Any]:
        """The next items to do."""
        first = len(self.results)
        return self.items[first : first + count]

    def add(self, results: Sequence[Any]) -> None:
        """Take the results of the next items."""
        self.results += results
        if not self.left and _is_wanted(self.done):
            self.done.set_result(self.results)

    def fail(self, error: Exception) -> None:
        """Say that there will be no results."""
        if _is_wanted(self.done):
            self.done.set_exception(error)


_Share = tuple[_Request, int]  # a request, and how many of its next items are in a batch


class Batcher:
    """A queue of requests and the thread that works through it."""

    def __init__(self, batch: int, queue: int, gauge: Gauge | None = None) -> None:
        self._batch = batch
        self._most = queue
        self._gauge = gauge
        self._requests: list[_Request] = []
        self._changed = threading.Condition()
        self._closed = False
        self._several = False  # whether the last batch was of several requests
        self._thread = threading.Thread(target=self._run, name="mirada batches", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def close(self, seconds: float) -> None:
        """Refuse what is waiting and all that comes, and end after the batch that is being computed."""
        with self._changed:
            self._closed = True
            for request in self._requests:
                request.fail(stopping())
            self._requests = []
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(seconds)

    async def ask(self, work: Work[Item_contra, Result_co], items: Sequence[Item_contra]) -> list[Result_co]:
        """The results of items, once they are there; who is cancelled while waiting is worked for no more."""
        return await asyncio.wrap_future(self.submit(work, items)) if items else []

    def submit(self, work: Work[Item_contra, Result_co], items: Sequence[Item_contra]) -> Future[list[Result_co]]:
        """The results of items, of which there is at least one, as a future."""
        future: Future[list[Result_co]] = Future()
        with self._changed:
            self._forget_done()
            if self._closed:
                raise stopping()
            if len(self._requests) >= self._most:
                raise Problem.full(f"{self._most:,} requests are waiting already; try again in a moment")
            self._requests.append(_Request(work, items, future))
            self._tell_waiting()
            self._changed.notify()
        return future

    def _run(self) -> None:
        while shares := self._next():
            begun = time.perf_counter()
            self._perform(shares)
            if self._gauge is not None:
                self._gauge.batch(sum(count for _, count in shares), time.perf_counter() - begun)

    def _next(self) -> list[_Share]:
        """The next batch; none when the queue is closed."""
        with self._changed:
            while not self._closed:
                self._forget_done()
                if self._requests and self._several:
                    self._gather()
                    self._forget_done()
                self._tell_waiting()
                if self._requests:
                    return self._taken()
                self._changed.wait()
            return []

    def _gather(self) -> None:
        """Wait for the others, as long as they come one behind another."""
        ends = time.monotonic() + GATHERING_SECONDS
        while sum(one.left for one in self._requests) < self._batch and time.monotonic() < ends:
            if not self._changed.wait(QUIET_SECONDS):
                return

    def _taken(self) -> list[_Share]:
        """Items of the first request's work, one from each request in turn until the batch is full."""
        work = self._requests[0].work
        alike = [one for one in self._requests if one.work == work]
        counts = fair([one.left for one in alike], self._batch)
        self._several = len(alike) > 1
        # Those that were served stand behind those that were not, so that no work waits for another without end.
        self._requests = [one for one in self._requests if one not in alike] + alike
        return [(request, count) for request, count in zip(alike, counts, strict=True) if count]

    def _perform(self, shares: list[_Share]) -> None:
        """One call for all; where it fails, one for each, so that only who caused it is told."""
        items = [item for request, count in shares for item in request.next(count)]
        try:
            results = iter(_do(shares[0][0].work, items))
        except Exception as error:  # noqa: BLE001 whatever it was is told to the client, and the thread goes on
            if len(shares) == 1:
                with self._changed:
                    shares[0][0].fail(error)
                return
            for share in shares:
                self._perform([share])
            return
        with self._changed:
            for request, count in shares:
                request.add([next(results) for _ in range(count)])

    def _forget_done(self) -> None:
        """Keep the requests that somebody still waits for."""
        self._requests = [one for one in self._requests if not one.done.done()]

    def _tell_waiting(self) -> None:
        if self._gauge is not None:
            self._gauge.waiting(len(self._requests))


def stopping() -> Problem:
    """What is said while the server stops."""
    return Problem.unavailable("the server is stopping; try again in a moment")


def fair(wanted: Sequence[int], most: int) -> list[int]:
    """How many each gets when `most` are given out one by one, in turn, to those that still want."""
    given = [0] * len(wanted)
    while most > 0 and (hungry := [place for place, want in enumerate(wanted) if given[place] < want]):
        share = max(1, min(most // len(hungry), *(wanted[place] - given[place] for place in hungry)))
        for place in hungry[:most]:
            given[place] += share
            most -= share
    return given


def _do(work: Work[Any, Any], items: Sequence[Any]) -> Sequence[Any]:
    results = work.do(items)
    if len(results) != len(items):
        raise RuntimeError(f"{len(results)} results for {len(items)} items of {work!r}")
    return results


def _is_wanted(done: Future[list[Any]]) -> bool:
    """Whether a future may be settled: its client has not left, and it was not settled before."""
    return not done.done() and done.set_running_or_notify_cancel()
