"""What every kind of prediction is asked, and where it goes."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mirada.cli.failure import FAILED, fail
from mirada.cli.parallel import lines_of
from mirada.cli.saying import detail, say

if TYPE_CHECKING:
    from mirada.corpora.writing import Sink

TOLD = 10  # lines about single rows; all are told with -v
T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """A model, what it is to look at (standard input where no file is named), and where the answers go."""

    model: Path
    given: Path | None
    output: Path | None
    as_json: bool
    columns: tuple[str, ...] = ()
    count: int = 5  # candidates for each gap
    back: int = 0  # steps before the end of a series that a forecast begins
    channels: tuple[str, ...] = ()  # of a forecast that are drawn; none: all
    pictures: tuple[Path, ...] = ()  # the file and all else that was named
    language: str | None = None  # of captions
    beam: int = 5
    wanted: int | None = None  # the return that a policy plays for

    def require_no_output(self) -> None:
        """Refuse a file for what goes to standard output only."""
        if self.output is not None:
            fail(f"--output {self.output} is for labels; gaps are filled on standard output, leave it out")

    @property
    def lines(self) -> Iterator[str]:
        """The lines of the file, or of standard input."""
        return _standard_input() if self.given is None else lines_of(self.given)

    @contextmanager
    def written(self) -> "Iterator[Sink | None]":
        """Where plain answers go; nowhere where JSON is printed and no file was named."""
        from mirada.corpora.writing import replacing

        if self.output is None:
            yield None if self.as_json else sys.stdout.buffer
            return
        with replacing(self.output) as out:
            yield out
        say(f"{self.output} written")


def _standard_input() -> Iterator[str]:
    from mirada.corpora.lines import decoded
    from mirada.corpora.pair import Fault, Place

    for number, raw in enumerate(sys.stdin.buffer, start=1):
        line = decoded(raw.rstrip(b"\r\n"), Place("standard input", number))
        if isinstance(line, Fault):
            fail(f"{line.place}: {line.reason}", FAILED)
        yield line


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items in lists of a size, so that no file is held whole."""
    waiting = iter(items)
    while some := list(islice(waiting, size)):
        yield some


class Remarks:
    """What there is to say of single rows: the first few are said, all of them with -v."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, text: str) -> None:
        """One more."""
        self.count += 1
        (say if self.count <= TOLD else detail)(text)
