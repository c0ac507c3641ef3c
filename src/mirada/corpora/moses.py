"""Moses: two plain files, where a line of one translates the same line of the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from mirada.corpora.lines import Line, lines
from mirada.corpora.opening import Meter
from mirada.corpora.pair import CorpusError, Fault, Pair, Place, Unit


def read_moses(source: Path, target: Path, meter: Meter | None = None) -> Iterator[Unit]:
    """The pairs of two files; different counts of lines are an error, found when the shorter file ends."""
    name = str(source)
    left, right = lines(source, meter), lines(target, meter)
    for number, (one, other) in enumerate(zip_longest(left, right), start=1):
        if one is None or other is None:
            raise _uneven(source, target, number, (one, left), (other, right))
        yield _paired(one, other, Place(name, number))


def _paired(one: Line, other: Line, place: Place) -> Unit:
    if isinstance(one, Fault):
        return one
    return other if isinstance(other, Fault) else Pair(one, other, place)


def _uneven(
    source: Path,
    target: Path,
    number: int,
    one: tuple[Line | None, Iterator[Line]],
    other: tuple[Line | None, Iterator[Line]],
) -> CorpusError:
    counts = [number - 1 if line is None else number + sum(1 for _ in rest) for line, rest in (one, other)]
    return CorpusError(
        f"{source} has {counts[0]:,} lines and {target} has {counts[1]:,}; "
        "they must have the same number, line for line; find where one of them lost or gained a line"
    )
