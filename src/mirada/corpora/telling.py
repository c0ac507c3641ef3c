"""Telling: how far a long work has come, as a share from 0 to 1, to whoever wants to know."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")
Tell = Callable[[float], None]

EVERY = 1_024  # items between two words
SECONDS = 1.0  # between two words of a clock


def silent(share: float) -> None:
    """Who tells nobody."""


def counted(items: Iterable[T], total: int, tell: Tell) -> Iterator[T]:
    """The items as they come, with a word now and then on how many of `total` have come."""
    for number, item in enumerate(items):
        if number % EVERY == 0:
            tell(number / max(1, total))
        yield item


@contextmanager
def clock(seconds: float, tell: Tell) -> Iterator[None]:
    """A word every second on how much of the expected time is over, for a work that cannot tell itself.

    A share above 1 says that it takes longer.
    """
    done, begun = Event(), time.monotonic()

    def run() -> None:
        while not done.wait(SECONDS):
            tell((time.monotonic() - begun) / seconds)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
