"""Pronouns with two names that they could mean: GAP (Webster et al. 2018) and XWINO (Tikhonov and Ryabinin 2021).

Both are tables. GAP gives the text with the places of its pronoun and of the names A and B; XWINO gives a sentence of
words. Only what has exactly one right answer is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mirada.corpora.pair import Fault, Place
from mirada.corpora.treebank import Words
from mirada.corpora.tsv import read_rows

GAP = ["ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref"]
WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Antecedents:
    """A pronoun, two names that it could mean, and which of them it does."""

    words: Words
    pronoun: int  # the number of its word
    names: tuple[range, range]  # their words
    right: int  # 0 or 1


def read_antecedents(path: Path) -> Iterator[Antecedents | Fault]:
    """The questions of a file, whichever of the two kinds it is; what has no answer, or two, is left out."""
    read = _xwino
    for number, row in read_rows(path):
        if isinstance(row, Fault):
            yield row
        elif row[: len(GAP)] == GAP:
            read = _gap
        else:
            try:
                found = read(row)
            except (ValueError, IndexError, TypeError, KeyError, RecursionError):
                yield Fault(Place(str(path), number), "no row of GAP or XWINO", "\t".join(row)[:200])
                continue
            if found is not None:
                yield found


def _gap(row: Sequence[str]) -> Antecedents | None:
    text, right = row[1], [row[6].upper() == "TRUE", row[9].upper() == "TRUE"]
    if sum(right) != 1:
        return None
    found = [(one.start(), one.end()) for one in WORD.finditer(text)]
    forms = tuple(text[start:end] for start, end in found)
    spaced = tuple(start == 0 or text[start - 1].isspace() for start, _ in found)

    def words_at(offset: str, name: str) -> range:
        first, last = int(offset), int(offset) + len(name)
        inside = [number for number, (start, end) in enumerate(found) if start < last and end > first]
        return range(inside[0], inside[-1] + 1)

    names = words_at(row[5], row[4]), words_at(row[8], row[7])
    return Antecedents(Words(forms, spaced), words_at(row[3], row[2]).start, names, right.index(True))


def _xwino(row: Sequence[str]) -> Antecedents | None:
    tokens, pronoun, names = (json.loads(cell) for cell in row[4:7])
    right = [bool(name[3]) for name in names]
    if len(names) != 2 or sum(right) != 1:
        return None
    place = 0
    spaced = []
    for token in tokens:
        found = row[3].index(token, place)
        spaced.append(found == 0 or row[3][found - 1].isspace())
        place = found + len(token)
    spans = [range(*map(int, name[1])) for name in names]
    if not all(0 <= span.start < span.stop <= len(tokens) for span in spans):
        raise ValueError("a name is no part of its sentence")
    words = Words(tuple(tokens), tuple(spaced))
    return Antecedents(words, range(len(tokens))[int(pronoun[1][0])], (spans[0], spans[1]), right.index(True))
