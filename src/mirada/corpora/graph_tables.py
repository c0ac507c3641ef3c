"""Graphs as two tables: `x.nodes.tsv` with a row for each node, `x.edges.tsv` with one for each edge.

The table of nodes has a header: `id`, `label` (may be empty), `part` (train, dev, test or empty; may be left out), and
every other column is a feature. The table of edges has two columns of ids and no header.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.lines import LINE_BYTES
from mirada.corpora.opening import opened
from mirada.corpora.pair import CorpusError

NODES, EDGES = ".nodes.tsv", ".edges.tsv"
ID, LABEL, PART = "id", "label", "part"
MOST_ROWS = 10_000_000


@dataclass(frozen=True, eq=False)
class Table:
    """What the two tables say; texts as they stand there."""

    names: tuple[str, ...]
    labels: list[str | None]
    parts: list[str]
    features: NDArray[np.float32]
    edges: NDArray[np.int64]


def edges_beside(nodes: Path) -> Path:
    """The table of edges that belongs to a table of nodes."""
    return nodes.with_name(nodes.name.removesuffix(NODES) + EDGES)


def read_tables(nodes: Path) -> Table:
    """A table of nodes, and the table of edges beside it."""
    rows = _rows(nodes)
    header = next(rows, None)
    if header is None or ID not in header or LABEL not in header:
        raise CorpusError(f"{nodes} needs a header with {ID}, {LABEL}, and a column for each feature")
    columns = [number for number, name in enumerate(header) if name not in (ID, LABEL, PART)]
    if not columns:
        raise CorpusError(f"{nodes} has no feature; give each node at least one number")
    names: dict[str, int] = {}
    labels: list[str | None] = []
    parts, numbers = [], []
    for line, row in enumerate(rows, start=2):
        cells = _checked(row, len(header), f"{nodes}:{line}")
        name = cells[header.index(ID)]
        if name in names:
            raise CorpusError(f"{nodes}:{line}: the node {name!r} stands here for the second time; give each once")
        names[name] = len(names)
        labels.append(cells[header.index(LABEL)] or None)
        parts.append(cells[header.index(PART)] if PART in header else "")
        numbers.append(_numbers([cells[number] for number in columns], f"{nodes}:{line}"))
    if not names:
        raise CorpusError(f"{nodes} has no node")
    features = np.stack(numbers)
    return Table(tuple(names), labels, parts, features, _read_edges(edges_beside(nodes), names))


def _read_edges(path: Path, names: dict[str, int]) -> NDArray[np.int64]:
    found = []
    for line, row in enumerate(_rows(path), start=1):
        cells = _checked(row, 2, f"{path}:{line}")
        strange = [cell for cell in cells if cell not in names]
        if strange:
            raise CorpusError(f"{path}:{line}: the node {strange[0]!r} is not in the table of nodes; add it there")
        found.append([names[cell] for cell in cells])
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _rows(path: Path) -> Iterator[list[str]]:
    with opened(path) as stream:
        try:
            lines = (line.decode("utf-8") for line in iter(lambda: stream.readline(LINE_BYTES), b""))
            for number, row in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)):
                if number > MOST_ROWS:
                    raise CorpusError(f"{path} has more than {MOST_ROWS:,} rows; write such a graph as .npz")
                yield row
        except (UnicodeDecodeError, csv.Error) as error:
            raise CorpusError(f"{path} is no table in UTF-8 ({error}); save it as one") from None


def _checked(row: list[str], count: int, place: str) -> list[str]:
    if len(row) != count:
        raise CorpusError(f"{place} has {len(row)} columns, and {count} are expected; divide them by tabs")
    return row


def _numbers(cells: list[str], place: str) -> NDArray[Any]:
    try:
        return np.array(cells, dtype=np.float32)
    except ValueError:
        raise CorpusError(f"{place} has a feature that is no number; write numbers alone") from None
