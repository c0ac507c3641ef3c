"""Series: tables of numbers with a row for each step of time, read from CSV or TSV, compressed or not.

Steps are all alike. A cell without a number and a row that is missing are told and filled with the last number before
them; times that are no multiple of the step, or that run backwards, are refused with their line.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from math import isfinite, nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.clock import Clock, Moment, clock_of, read_moment
from mirada.corpora.lines import shown
from mirada.corpora.pair import CorpusError, Fault
from mirada.corpora.tsv import delimiter, is_csv, read_rows

MOST_VALUES, MOST_COLUMNS = 50_000_000, 5_000
MOST_MISSING = 0.5  # of a column, or of all rows
TIME_WORDS = ("step", "date", "time", "datetime", "timestamp", "ds", "day", "month", "year", "fecha", "data", "datum")
MISSING = frozenset(("", "nan", "na", "n/a", "null", "none", "?", "-", "#n/a"))

Row = list[str]


@dataclass(frozen=True, eq=False)
class Series:
    """Numbers in columns that have names, one row for each step of a clock, and none missing."""

    names: tuple[str, ...]
    values: NDArray[np.float64]  # steps × columns
    clock: Clock
    time: str | None  # the name of the column that tells the time
    remarks: tuple[str, ...] = field(default=())  # what a user should know of how it was read

    def __len__(self) -> int:
        return len(self.values)

    @property
    def digest(self) -> str:
        """What tells this series from others: its names, its first time and its numbers."""
        head = "\n".join((*self.names, self.clock.shown(0), self.clock.step))
        return sha256(head.encode() + np.ascontiguousarray(self.values).tobytes()).hexdigest()


@dataclass(eq=False)
class _Table:
    """The cells of a file as they are read."""

    names: list[str]
    time: int | None  # the column that tells it
    commas: bool  # whether 3,14 is a number
    moments: list[Moment] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))
    cells: array[float] = field(default_factory=lambda: array("d"))
    strange: dict[int, tuple[int, str, int]] = field(default_factory=dict)  # first cell of a column that is no number

    def add(self, row: Row, line: int, path: Path) -> None:
        """Take a row."""
        if len(row) != len(self.names):
            raise CorpusError(
                f"{path}, line {line}: {len(row)} columns, where the header has {len(self.names)}; correct that line"
            )
        if self.time is not None:
            moment = read_moment(row[self.time])
            if moment is None:
                raise CorpusError(
                    f"{path}, line {line}: {shown(row[self.time])!r} in column {self.names[self.time]} is no time; "
                    "write it as 2024-05-01 13:00:00"
                )
            self.moments.append(moment)
        self.lines.append(line)
        self.cells.extend(self._number(column, cell, line) for column, cell in enumerate(row))
        if len(self.cells) > MOST_VALUES:
            raise CorpusError(f"{path} has more than {MOST_VALUES:,} cells; give fewer columns or steps")

    def _number(self, column: int, cell: str, line: int) -> float:
        text = cell.strip()
        if column == self.time or text.lower() in MISSING:
            return nan
        try:
            found = float(text.replace(",", ".") if self.commas else text)
        except ValueError:
            first = self.strange.get(column, (line, cell, 0))
            self.strange[column] = first[0], first[1], first[2] + 1
            return nan
        return found if isfinite(found) else nan


def read_series(path: Path, wanted: Sequence[str] | None = None) -> Series:
    """The series of a file: its columns of numbers, or those that are wanted."""
    table = _read_table(path)
    remarks: list[str] = []
    values = np.array(table.cells).reshape(len(table.lines), len(table.names))
    clock, values = _placed(table, values, path, remarks)
    kept = _columns(table, values, wanted, path, remarks)
    filled = _filled(values[:, kept], remarks)
    time = None if table.time is None else table.names[table.time]
    return Series(tuple(table.names[column] for column in kept), filled, clock, time, tuple(remarks))


def _read_table(path: Path) -> _Table:
    rows = _good_rows(path)
    first = next(rows, None)
    second = next(rows, None)
    if first is None or second is None:
        raise CorpusError(f"{path} holds no series; name a CSV file with a header and a row for each step")
    if len(first[1]) > MOST_COLUMNS:
        raise CorpusError(f"{path} has {len(first[1]):,} columns; at most {MOST_COLUMNS:,} are read")
    headed = not any(_is_number(cell) for cell in first[1])
    names = [cell.strip() or f"column {number}" for number, cell in enumerate(first[1], 1)]
    if not headed:
        names = [f"column {number}" for number in range(1, len(names) + 1)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CorpusError(f"{path} has two columns named {twice}; give each a name of its own")
    table = _Table(names, _time_column(names, second[1]), is_csv(path) and delimiter(path) == ";")
    for line, row in chain([second] if headed else [first, second], rows):
        table.add(row, line, path)
    return table


def _good_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The rows of a file; one that cannot be read ends it, since no step may be missing unseen."""
    for line, row in read_rows(path):
        if isinstance(row, Fault):
            raise CorpusError(f"{row.place}: {row.reason}; correct that line")
        if any(row):
            yield line, row


def _is_number(cell: str) -> bool:
    try:
        return isfinite(float(cell))
    except ValueError:
        return False


def _time_column(names: Sequence[str], row: Row) -> int | None:
    """The column that tells the time: one that is named so, else the first that holds dates."""
    cells = dict(enumerate(row[: len(names)]))
    named = [column for column, name in enumerate(names) if name.lower() in TIME_WORDS]
    for column in (*named, *cells):
        moment = read_moment(cells.get(column, ""))
        if moment is not None and (column in named or not isinstance(moment, int)):
            return column
    return None


def _placed(
    table: _Table, values: NDArray[np.float64], path: Path, remarks: list[str]
) -> tuple[Clock, NDArray[np.float64]]:
    """The clock of a table, and its rows at their steps; those of missing rows hold no numbers."""
    if table.time is None:
        remarks.append("No column tells the time: rows are taken as steps that are all alike.")
        return Clock(0, numbers=1), values
    name = table.names[table.time]
    clock = clock_of(table.moments)
    if clock is None:
        raise CorpusError(
            f"{path}: the times in column {name} do not go forward; sort the rows by time, one for each step"
        )
    places = np.array([clock.step_of(moment) for moment in table.moments])
    _require_steps(places, table, clock, path)
    steps = places.astype(np.int64)
    count = int(steps[-1]) + 1
    if count > len(values) / MOST_MISSING or count * values.shape[1] > MOST_VALUES:
        raise CorpusError(
            f"{path}: {len(values):,} rows stand for {count:,} steps of one {clock.step}, so most are missing; give a "
            "series whose steps are alike"
        )
    if count > len(values):
        remarks.append(f"{count - len(values):,} of {count:,} steps have no row; each repeats the step before it.")
    placed = np.full((count, values.shape[1]), nan)
    placed[steps] = values
    return clock, placed


def _require_steps(places: NDArray[np.float64], table: _Table, clock: Clock, path: Path) -> None:
    """Every time is a later multiple of the step."""
    for wrong, what in ((places != np.floor(places), "is no step"), (np.diff(places, prepend=-1) <= 0, "is not later")):
        if wrong.any():
            number = int(np.flatnonzero(wrong)[0])
            raise CorpusError(
                f"{path}, line {table.lines[number]}: {table.moments[number]} {what} after {clock.shown(0)} in steps "
                f"of one {clock.step}; sort the rows, keep one for each step, and put odd times in their places"
            )


def _columns(
    table: _Table, values: NDArray[np.float64], wanted: Sequence[str] | None, path: Path, remarks: list[str]
) -> list[int]:
    """The columns that are read: all that hold numbers, or those that are wanted, in their order."""
    lacking = np.isnan(values).mean(0)
    if wanted is not None:
        unknown = [name for name in wanted if name not in table.names]
        if unknown:
            raise CorpusError(
                f"{path} has no column {unknown[0]}; this model needs {', '.join(wanted[:20])}, and the file has "
                f"{', '.join(table.names[:20])}"
            )
        kept = [table.names.index(name) for name in wanted]
        for column in kept:
            _require_numbers(table, column, path)
        return kept
    kept = []
    for column, name in enumerate(table.names):
        if column == table.time:
            continue
        if lacking[column] > MOST_MISSING:
            remarks.append(f"Column {name} is left out: {lacking[column]:.0%} of it are no numbers.")
        else:
            _require_numbers(table, column, path)
            kept.append(column)
    if not kept:
        raise CorpusError(f"{path} has no column of numbers beside its times; name a table that has some")
    return kept


def _require_numbers(table: _Table, column: int, path: Path) -> None:
    if column in table.strange:
        line, cell, count = table.strange[column]
        raise CorpusError(
            f"{path}, line {line}: {shown(cell)!r} in column {table.names[column]} is no number ({count:,} such); "
            "correct it, or leave the cell empty where nothing was measured"
        )


def _filled(values: NDArray[np.float64], remarks: list[str]) -> NDArray[np.float64]:
    """No gap: each repeats the last number before it, at the beginning the first after it."""
    known = ~np.isnan(values)
    missing = int(values.size - np.count_nonzero(known))
    if not missing:
        return np.ascontiguousarray(values)
    if not known.any(0).all():
        raise CorpusError("a column of the series holds no number at all; leave it out")
    last = np.maximum.accumulate(np.where(known, np.arange(len(values))[:, None], -1), axis=0)
    source = np.where(last < 0, known.argmax(0), last)
    remarks.append(f"{missing:,} of {values.size:,} numbers are missing; each repeats the last one before it.")
    return np.take_along_axis(values, source, 0)
