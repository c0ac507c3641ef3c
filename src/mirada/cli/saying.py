"""How loud a verb is: results go to standard output, all that is said about them to standard error."""

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from typing import Annotated

import typer

from mirada.cli.failure import fail

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but results and errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say more, and show where an error comes from.")]


class Level(IntEnum):
    """How much is said."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


class _Voice:
    """The level of this process: what was asked before the verb, and what holds now."""

    def __init__(self) -> None:
        self.root = (False, False)
        self.level = Level.NORMAL


_voice = _Voice()


def set_from_root(quiet: bool, verbose: bool) -> None:
    """Remember what stood before the verb: `mirada -q check`. The command's callback calls it before every verb."""
    _voice.root = (quiet, verbose)
    _voice.level = _level(quiet, verbose)


def begin(quiet: bool, verbose: bool) -> None:
    """Set the level of a verb from its own -q and -v and from those before it; every verb calls it first."""
    _voice.level = _level(quiet or _voice.root[0], verbose or _voice.root[1])


def _level(quiet: bool, verbose: bool) -> Level:
    if quiet and verbose:
        fail("--quiet and --verbose were both given; use one of them")
    return Level.QUIET if quiet else Level.VERBOSE if verbose else Level.NORMAL


def is_quiet() -> bool:
    """Whether only results and errors are wanted."""
    return _voice.level == Level.QUIET


def is_verbose() -> bool:
    """Whether details are wanted, too."""
    return _voice.level == Level.VERBOSE


def say(text: str) -> None:
    """Write a line for people on standard error, unless quiet."""
    if not is_quiet():
        typer.echo(text, err=True)


def detail(text: str) -> None:
    """Write a line on standard error for those who asked for more."""
    if is_verbose():
        typer.echo(text, err=True)


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to call with how much is done: a bar with the time left on a terminal, elsewhere or quiet nothing."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    # Markup off: a file may be called [red].
    look = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*look, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, completed=done)


def print_json(mapping: Mapping[str, object]) -> None:
    """Print the one JSON object of a verb on standard output."""
    typer.echo(json.dumps(_finite(mapping), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(value: object) -> object:
    """The value with null for the numbers that JSON does not know: NaN and the infinities."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {key: _finite(held) for key, held in value.items()}
        case list() | tuple():
            return [_finite(held) for held in value]
        case _:
            return value
