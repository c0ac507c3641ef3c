"""TSV and CSV: a table with a column for each language."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mirada.corpora.languages import best, is_known, normalise, pair_in_name, wrong_languages
from mirada.corpora.lines import LINE_BYTES, lines, shown
from mirada.corpora.opening import Meter, unpacked_name
from mirada.corpora.pair import Blank, CorpusError, Fault, Pair, Place, Unit

CELL_CHARACTERS = LINE_BYTES  # csv's own limit lies higher; an open quotation mark must not swallow the file
SOURCE_WORDS = ("source", "src")
TARGET_WORDS = ("target", "tgt", "trg")
DOCUMENT = "document"

Row = list[str]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the languages stand in a table: the columns counted from 0, and how that is known."""

    source: int
    target: int
    header: bool
    known_from: str
    document: int | None = None  # the column that names the document of a row

    def document_of(self, row: Row) -> str:
        """The document that a row says it belongs to; empty where nothing is said."""
        return "" if self.document is None or len(row) <= self.document else row[self.document].strip()

    def __str__(self) -> str:
        return f"columns {self.source + 1} and {self.target + 1}, {self.known_from}"

    @property
    def width(self) -> int:
        """The fewest columns that a row needs."""
        return max(self.source, self.target) + 1


def is_csv(path: Path) -> bool:
    """Whether the cells of a table may be quoted."""
    return unpacked_name(path).lower().endswith(".csv")


def read_tsv(
    path: Path, source: str, target: str, columns: Sequence[str] | None = None, meter: Meter | None = None
) -> Iterator[Unit]:
    """The pairs of a table; a row with too few or too many columns is a Fault."""
    name = str(path)
    rows = read_rows(path, meter)
    layout: Layout | None = None
    width = 0
    for number, row in rows:
        if isinstance(row, Fault):
            yield row
            continue
        if layout is None:
            layout = find_layout(path, row, source, target, columns)
            width = len(row)
            if layout.header:
                continue
        yield _unit(row, layout, width, Place(name, number))


def table_layout(path: Path, source: str, target: str, columns: Sequence[str] | None = None) -> Layout | None:
    """The layout of a table, from its first row that can be read; None for an empty one."""
    for _, row in read_rows(path):
        if not isinstance(row, Fault):
            return find_layout(path, row, source, target, columns)
    return None


def _unit(row: Row, layout: Layout, width: int, place: Place) -> Unit:
    if len(row) < layout.width or len(row) != width:
        needed = max(width, layout.width)
        kind = Blank if row == [""] else Fault
        return kind(place, f"{len(row)} columns, where {needed} are expected", shown("\t".join(row)))
    return Pair(row[layout.source], row[layout.target], place, document=layout.document_of(row))


def read_rows(path: Path, meter: Meter | None = None) -> Iterator[tuple[int, Row | Fault]]:
    """The rows of a table with the number of the line on which each ends."""
    if is_csv(path):
        yield from _quoted_rows(path, meter)
        return
    for number, line in enumerate(lines(path, meter), start=1):
        yield number, line if isinstance(line, Fault) else line.split("\t")


def _quoted_rows(path: Path, meter: Meter | None) -> Iterator[tuple[int, Row | Fault]]:
    faults: list[Fault] = []
    reader = csv.reader(_texts(lines(path, meter), faults), delimiter=delimiter(path))
    try:
        for row in reader:
            yield from ((fault.place.number, fault) for fault in faults)
            faults.clear()
            if row:
                yield reader.line_num, _checked(row, Place(str(path), reader.line_num))
    except csv.Error as problem:
        raise CorpusError(
            f"{path}, line {reader.line_num}: {problem}; close the quotation mark there, or save as .tsv"
        ) from problem
    yield from ((fault.place.number, fault) for fault in faults)


def _texts(found: Iterator[str | Fault], faults: list[Fault]) -> Iterator[str]:
    """The good lines for the csv reader; the others are put aside. An empty line keeps its count right."""
    for line in found:
        if isinstance(line, Fault):
            faults.append(line)
            yield "\n"
        else:
            yield line + "\n"


def _checked(row: Row, place: Place) -> Row | Fault:
    if any(len(cell) > CELL_CHARACTERS for cell in row):
        return Fault(place, f"a cell is longer than {CELL_CHARACTERS:,} characters", shown(row[0]))
    return [cell.replace("\r\n", "\n") for cell in row]


def delimiter(path: Path) -> str:
    """The sign between cells: what stands most often in the first line. Spreadsheets of half the world write `;`."""
    first = next(lines(path), "")
    text = first if isinstance(first, str) else first.text
    return max(",;\t", key=text.count)


def find_layout(path: Path, first: Row, source: str, target: str, columns: Sequence[str] | None) -> Layout:
    """Where the languages stand: by --columns, the header, the file's name, or the order --from, --to."""
    if columns:
        return _layout_by_columns(path, first, source, target, columns)
    header = [cell.strip() for cell in first]
    found = _positions(header, source, target)
    if found is not None:
        return Layout(*found, True, "named by the header", document_column(header))
    if len(header) > 1 and len(set(header)) == len(header) and all(is_known(cell) for cell in header):
        raise wrong_languages(path, header, source, target)
    named = pair_in_name(path, (source, target))
    if named is None:
        return Layout(0, 1, False, f"in the order {source}, {target}")
    positions = _positions(list(named), source, target)
    if positions is None:
        raise wrong_languages(path, named, source, target)
    return Layout(*positions, False, "named by the file's name")


def document_column(header: Sequence[str]) -> int | None:
    """The column of a header that names documents."""
    names = [cell.strip().lower() for cell in header]
    return names.index(DOCUMENT) if DOCUMENT in names else None


def _positions(names: Sequence[str], source: str, target: str) -> tuple[int, int] | None:
    """The columns of the two languages among names, if both are there and differ."""
    left, right = best(source, names), best(target, names)
    if not left and not right:
        lower = [name.lower() for name in names]
        left = [names[lower.index(word)] for word in SOURCE_WORDS if word in lower]
        right = [names[lower.index(word)] for word in TARGET_WORDS if word in lower]
    if not left or not right or left[0] == right[0]:
        return None
    return names.index(left[0]), names.index(right[0])


def _layout_by_columns(path: Path, first: Row, source: str, target: str, columns: Sequence[str]) -> Layout:
    names = [name.strip() for name in columns]
    positions = _positions(names, source, target)
    if positions is None and len(names) == 2 and not any(is_known(name) for name in names):
        positions = (0, 1)  # names such as question,answer: in the order --from, --to
    if positions is None:
        raise wrong_languages(path, names, source, target)
    cells = [_folded(cell) for cell in first]
    wanted = [_folded(names[position]) for position in positions]
    if all(word in cells for word in wanted):
        named = "named by --columns and the header"
        return Layout(cells.index(wanted[0]), cells.index(wanted[1]), True, named, document_column(first))
    return Layout(*positions, False, "named by --columns")


def _folded(cell: str) -> str:
    try:
        return normalise(cell)
    except ValueError:
        return cell.strip().lower()
