"""Examples: texts or rows of numbers with their labels, from tables, JSON lines and plain lines.

The form of a file follows from its name:

- `.csv` and `.tsv` have a header that names a column of labels and one of texts; or `--columns label,text` names the
  columns in their order. Without a column of texts, all others must be numbers: each row is then what is read.
- `.jsonl` has an object on each line, with the same names as keys.
- `something_text.txt` goes with `something_labels.txt` beside it, line by line.
- Any other file has a label, white space and a text on each line (SST-2 and TREC are so; fastText's `__label__` may
  stand before it).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

from mirada.corpora.lines import lines, shown
from mirada.corpora.opening import unpacked_name
from mirada.corpora.pair import CorpusError, Fault, Place
from mirada.corpora.tsv import read_rows

TEXT_WORDS = ("text", "sentence", "question", "review", "tweet", "content", "document")
LABEL_WORDS = ("label", "labels", "class", "category", "target", "sentiment")
FASTTEXT = "__label__"
MOST_COLUMNS = 10_000
Kind = Literal["texts", "rows"]
Entered = str | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """What is read, and its label where it has one."""

    entered: Entered
    label: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Names:
    """How a file names its columns: all of them in order where it has no header, and the two that matter."""

    columns: tuple[str, ...] = ()
    text: str | None = None
    label: str | None = None

    def text_in(self, names: Sequence[str]) -> int | None:
        """Where the texts stand among names."""
        return _place(names, TEXT_WORDS if self.text is None else (self.text,))

    def label_in(self, names: Sequence[str]) -> int | None:
        """Where the labels stand among names."""
        return _place(names, LABEL_WORDS if self.label is None else (self.label,))


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file holds and where: the columns of its texts or numbers, and that of its labels."""

    kind: Kind
    entered: tuple[int, ...]
    label: int | None
    names: tuple[str, ...]  # of all columns
    header: bool = False

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the numbers of a row."""
        return tuple(self.names[place] for place in self.entered) if self.kind == "rows" else ()


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """A file whose form is known."""

    path: Path
    layout: Layout
    labelled: bool  # whether an example without a label is a Fault

    def read(self) -> Iterator[Example | Fault]:
        """The examples in order; what cannot be used is a Fault with its reason."""
        for place, cells in _cells(self.path, self.layout, self.labelled):
            yield cells if isinstance(cells, Fault) else self._example(cells, place)

    def _example(self, cells: Sequence[str], place: Place) -> Example | Fault:
        layout = self.layout
        told = shown("\t".join(cells))
        if len(cells) != len(layout.names):
            return Fault(place, f"{len(cells)} columns, where {len(layout.names)} are expected", told)
        label = None if layout.label is None else cells[layout.label].strip().removeprefix(FASTTEXT)
        if self.labelled and not label:
            return Fault(place, "there is no label", told)
        entered = _entered(layout, cells)
        return Fault(place, entered.reason, told) if isinstance(entered, _Wrong) else Example(entered, label, place)


@dataclass(frozen=True, slots=True)
class _Wrong:
    reason: str


def _entered(layout: Layout, cells: Sequence[str]) -> Entered | _Wrong:
    if layout.kind == "texts":
        text = cells[layout.entered[0]]
        return text if text.strip() else _Wrong("the text is empty")
    numbers = [as_number(cells[place]) for place in layout.entered]
    for place, number in zip(layout.entered, numbers, strict=True):
        if number is None:
            return _Wrong(f"column {layout.names[place]!r} holds {cells[place][:40]!r}, which is no number")
    return tuple(number for number in numbers if number is not None)


def as_number(cell: str) -> float | None:
    """The finite number that a cell holds."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def open_examples(path: Path, names: Names, *, labelled: bool, features: tuple[str, ...] = ()) -> ExampleFile:
    """A file of examples, or a CorpusError that says how its columns can be named; `features` are wanted by name."""
    form = unpacked_name(path).lower()
    if form.endswith((".csv", ".tsv")):
        return ExampleFile(path, _chosen(path, _table_layout(path, names, labelled, features), features), labelled)
    if form.endswith((".jsonl", ".ndjson")):
        return ExampleFile(path, _chosen(path, _object_layout(path, names, labelled), features), labelled)
    two = labelled or labels_beside(path) is not None
    return ExampleFile(path, Layout("texts", (1,), 0, ("label", "text")) if two else PLAIN, labelled)


PLAIN = Layout("texts", (0,), None, ("text",))


def _chosen(path: Path, layout: Layout, features: tuple[str, ...]) -> Layout:
    """The layout with the wanted features in their order; a table without names may have them as its only columns."""
    if not features or layout.kind == "texts" or layout.features == features:
        return layout
    if set(features) <= set(layout.names):
        return replace(layout, entered=tuple(layout.names.index(name) for name in features))
    if not layout.header and len(layout.features) == len(features):
        return layout
    missing = next(name for name in features if name not in layout.names)
    raise CorpusError(f"{path} has no column {missing!r}, which the model was trained on; it has {layout.names[:12]}")


def labels_beside(path: Path) -> Path | None:
    """The file that holds the labels of a file of texts, by its name."""
    for text, label in (("_text", "_labels"), ("_texts", "_labels")):
        stem, found, rest = path.name.rpartition(text + ".")
        if found and (beside := path.with_name(f"{stem}{label}.{rest}")).is_file():
            return beside
    return None


def _cells(path: Path, layout: Layout, labelled: bool) -> Iterator[tuple[Place, Sequence[str] | Fault]]:
    """The cells of every row, whatever the form of the file."""
    name, form = str(path), unpacked_name(path).lower()
    if form.endswith((".csv", ".tsv")):
        rows = read_rows(path)
        if layout.header:
            next(rows, None)
        for number, row in rows:
            yield Place(name, number), row
        return
    beside = labels_beside(path)
    if beside is not None:
        yield from _side_by_side(path, beside)
        return
    for number, line in enumerate(lines(path), start=1):
        place = Place(name, number)
        if isinstance(line, Fault):
            yield place, line
        elif form.endswith((".jsonl", ".ndjson")):
            yield place, _values(line, layout, place, labelled)
        else:
            yield place, ([*line.split(maxsplit=1), "", ""][:2] if labelled else [line])


def _side_by_side(texts: Path, labels: Path) -> Iterator[tuple[Place, Sequence[str] | Fault]]:
    counts = [sum(1 for _ in lines(path)) for path in (texts, labels)]
    if counts[0] != counts[1]:
        raise CorpusError(
            f"{texts} has {counts[0]:,} lines and {labels} has {counts[1]:,}; they must have the same number, line "
            "for line"
        )
    for number, (text, label) in enumerate(zip(lines(texts), lines(labels), strict=True), start=1):
        place = Place(str(texts), number)
        fault = next((one for one in (text, label) if isinstance(one, Fault)), None)
        yield place, fault if fault is not None else [str(label), str(text)]


def _table_layout(path: Path, names: Names, labelled: bool, features: tuple[str, ...]) -> Layout:
    rows = (row for _, row in read_rows(path) if not isinstance(row, Fault))
    first = next(rows, None)
    if first is None:
        raise CorpusError(f"{path} holds no row that can be read")
    cells = tuple(cell.strip() for cell in first)
    folded = [cell.lower() for cell in cells]
    if names.columns:
        header = all(name.lower() in folded for name in names.columns)
    else:
        named = names.text_in(cells) is not None or names.label_in(cells) is not None
        header = named or (bool(features) and set(features) <= set(cells))
    known = cells if header else names.columns or _numbered(cells)
    if len(known) != len(cells):
        raise CorpusError(
            f"{path} has {len(cells)} columns, but --columns names {len(known)}; name all of them, in their order"
        )
    return _layout(path, known, names, next(rows, None) if header else first, header, labelled)


def _numbered(cells: Sequence[str]) -> tuple[str, ...]:
    """Names for columns that nobody has named."""
    return tuple(str(number) for number in range(1, len(cells) + 1))


def _object_layout(path: Path, names: Names, labelled: bool) -> Layout:
    first = next((line for line in lines(path) if isinstance(line, str) and line.strip()), None)
    found = {} if first is None else _object(first)
    if not found:
        raise CorpusError(f'{path} does not begin with a JSON object; write {{"text": "…", "label": "…"}} on each line')
    keys = tuple(found)
    return _layout(path, keys, names, [_cell(value) for value in found.values()], False, labelled)


def _layout(
    path: Path, named: Sequence[str], names: Names, example: Sequence[str] | None, header: bool, labelled: bool
) -> Layout:
    label, text = names.label_in(named), names.text_in(named)
    told = f"{path} has the columns {', '.join(named[:12])}"
    if label is None and labelled:
        raise CorpusError(
            f"{told}, none of which is known to hold labels; name it with --set data.label=NAME, or all columns of a "
            "table without a header with --columns label,text"
        )
    if text is not None:
        return Layout("texts", (text,), label, tuple(named), header)
    rest = tuple(place for place in range(len(named)) if place != label)
    if not rest or len(named) > MOST_COLUMNS:
        raise CorpusError(f"{told}: use a column of texts, or 1 to {MOST_COLUMNS:,} columns of numbers")
    for place in rest:
        if example is not None and place < len(example) and as_number(example[place]) is None:
            raise CorpusError(
                f"{told}; no column is known to hold texts, and {named[place]!r} holds {example[place][:40]!r}, which "
                "is no number: name the column of texts with --set data.text=NAME, or leave other columns out"
            )
    return Layout("rows", rest, label, tuple(named), header)


def _place(names: Sequence[str], words: Sequence[str]) -> int | None:
    folded = [name.strip().lower() for name in names]
    return next((folded.index(word.lower()) for word in words if word.lower() in folded), None)


def _object(line: str) -> dict[str, object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _values(line: str, layout: Layout, place: Place, labelled: bool) -> list[str] | Fault:
    """The values of a JSON object, in the order of the first one's keys; those that nobody asks for may be missing."""
    found = _object(line)
    if not found:
        return Fault(place, "this is no JSON object", shown(line))
    needed = {*layout.entered, *([] if layout.label is None or not labelled else [layout.label])}
    missing = [layout.names[number] for number in sorted(needed) if layout.names[number] not in found]
    if missing:
        return Fault(place, f"there is no {missing[0]!r}", shown(line))
    return [_cell(found.get(name, "")) for name in layout.names]


def _cell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def first_faults(found: Sequence[Fault], most: int = 3) -> Iterator[str]:
    """Some faults in words, and how many more there are."""
    told = (f"{one.place}: {one.reason}: {one.text[:80]}" for one in found[:most])
    return chain(told, [f"and {len(found) - most:,} more"] if len(found) > most else [])
