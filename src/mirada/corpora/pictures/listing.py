"""Listings: which files are pictures and what is said of them, by a folder's names or by the rows of a table.

folder/label/x.png            a folder for each label; a folder within is a clip, its pictures the frames
picture  label                a table (TSV, CSV, JSONL) for labels; `group` may say what belongs together
picture  text  language       captions, the language in a column of its own …
picture  en  es  ru           … or a column for each language
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mirada.corpora.languages import is_known, normalise
from mirada.corpora.lines import lines, shown
from mirada.corpora.opening import unpacked_name
from mirada.corpora.pair import CorpusError, Fault, Place
from mirada.corpora.pictures.decoding import is_picture
from mirada.corpora.tsv import read_rows

PICTURE = ("picture", "image", "file", "filename", "path")
LABEL = ("label", "class", "category")
TEXT = ("text", "caption")
LANGUAGE = ("language", "lang")
GROUP = "group"
TABLES = (".tsv", ".csv", ".jsonl")
MOST_CHARACTERS = 10_000  # of a label or a caption


@dataclass(frozen=True, slots=True)
class Listed:
    """A picture that is somewhere, and what is said of it."""

    path: Path
    place: Place
    label: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    group: str = ""


def is_table(path: Path) -> bool:
    """Whether a file is named as a table is."""
    return unpacked_name(path).lower().endswith(TABLES)


def list_folder(folder: Path) -> Iterator[Listed]:
    """The pictures of a folder: those of its folders have their names as labels, those in it have none."""
    number = 0
    for entry in sorted(folder.iterdir()):
        inside = _pictures(entry) if entry.is_dir() and not entry.name.startswith(".") else [entry]
        for path in inside:
            if path.is_dir() or is_picture(path):
                number += 1
                yield Listed(path, Place(str(path), number), entry.name if entry.is_dir() else "")
    if not number:
        raise CorpusError(f"{folder} holds no pictures; a folder holds one folder for each label, with pictures in it")


def _pictures(folder: Path) -> list[Path]:
    """The pictures and the clips of a label's folder."""
    return [path for path in sorted(folder.iterdir()) if is_picture(path) or (path.is_dir() and path.name[0] != ".")]


def list_table(path: Path, group: str = GROUP) -> Iterator[Listed | Fault]:
    """The pictures that the rows of a table name, relative to the table's own folder."""
    header: Header | None = None
    for number, row in _rows(path):
        place = Place(str(path), number)
        if isinstance(row, Fault):
            yield row
        elif header is None and not isinstance(row, dict):
            header = Header.of(path, row, group)
        elif isinstance(row, dict):
            yield Header.of(path, list(row), group).listed(list(row.values()), place, path.parent)
        elif header is not None and len(row) != header.width:
            yield Fault(place, f"{len(row)} columns, where {header.width} are expected", shown("\t".join(row)))
        elif header is not None:
            yield header.listed(row, place, path.parent)


def _rows(path: Path) -> Iterator[tuple[int, Sequence[str] | dict[str, str] | Fault]]:
    if not unpacked_name(path).lower().endswith(".jsonl"):
        yield from read_rows(path)
        return
    for number, line in enumerate(lines(path), start=1):
        yield number, line if isinstance(line, Fault) else _object(line, Place(str(path), number))


def _object(line: str, place: Place) -> dict[str, str] | Fault:
    """The values of a JSON object as text."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return Fault(place, "no JSON", shown(line))
    if not isinstance(found, dict) or not found:
        return Fault(place, "no JSON object with values", shown(line))
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in found.items()}


@dataclass(frozen=True, slots=True)
class Header:
    """Where a table keeps what."""

    width: int
    picture: int
    label: int | None
    text: int | None
    language: int | None
    languages: Mapping[int, str]
    group: int | None

    @classmethod
    def of(cls, path: Path, names: Sequence[str], group: str) -> Header:
        """The header of a table, whose columns are known by their names."""
        lower = [name.strip().lower() for name in names]

        def column(words: Sequence[str]) -> int | None:
            return next((lower.index(word) for word in words if word in lower), None)

        picture = column(PICTURE)
        if picture is None:
            raise CorpusError(
                f"{path} has the columns {', '.join(names)[:200]}; one named picture must say where each picture is, "
                "and label, text or languages (en, es) what it shows"
            )
        languages = (
            {}
            if column(TEXT) is not None
            else {number: normalise(name) for number, name in enumerate(lower) if is_known(name)}
        )
        return cls(
            len(names), picture, column(LABEL), column(TEXT), column(LANGUAGE), languages, column((group.lower(),))
        )

    def listed(self, row: Sequence[str], place: Place, folder: Path) -> Listed | Fault:
        """What a row says, or why it says nothing."""
        name = row[self.picture].strip()
        if not name or "\0" in name:
            return Fault(place, "it names no picture", shown("\t".join(row)))
        if any(len(cell) > MOST_CHARACTERS for cell in row):
            return Fault(place, f"a cell has more than {MOST_CHARACTERS:,} characters", shown(name))
        return Listed(folder / name, place, self._cell(row, self.label), self._texts(row), self._cell(row, self.group))

    def _texts(self, row: Sequence[str]) -> dict[str, str]:
        texts = {language: row[number].strip() for number, language in self.languages.items()}
        if self.text is not None:
            texts[_language(self._cell(row, self.language))] = row[self.text].strip()
        return {language: text for language, text in texts.items() if text}

    @staticmethod
    def _cell(row: Sequence[str], number: int | None) -> str:
        return "" if number is None else row[number].strip()


def _language(word: str) -> str:
    """A language as it is written everywhere; a word that is no tag stays as it is."""
    try:
        return normalise(word) if word else ""
    except ValueError:
        return word
