"""Stopping: Ctrl-C and SIGTERM end a run after its current step, with everything saved."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPED = 128  # plus the number of the signal is the status, as shells count it


class Stop:
    """Whether somebody wants the run to stop, and by which signal."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.guarding = False  # before a run has begun there is nothing to save, and a signal ends the program

    @property
    def wanted(self) -> bool:
        """Whether to stop after this step."""
        return self.signal is not None


@contextmanager
def listening() -> Iterator[Stop]:
    """A `Stop` that the two signals set; a second Ctrl-C ends the program at once, as usual."""
    stop = Stop()

    def hear(number: int, frame: FrameType | None) -> None:
        if not stop.guarding:
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(STOPPED + number)
        stop.signal = number
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
