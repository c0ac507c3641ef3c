"""Trees of a treebank: the words of a sentence, the head of each, and what the one is to the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mirada.corpora.conllu import COLUMNS, FORM, Sentence, read_conllu
from mirada.corpora.pair import Fault

HEAD, RELATION, MISC = (COLUMNS.index(name) for name in ("head", "deprel", "misc"))
ROOT = -1  # the head of the word that has none
TOGETHER = "SpaceAfter=No"


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, and before which of them a space is written."""

    forms: tuple[str, ...]
    spaced: tuple[bool, ...]

    @property
    def text(self) -> str:
        """The text as it is written."""
        return "".join(f"{' ' * space}{form}" for form, space in zip(self.forms, self.spaced, strict=True)).strip()


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence with the number of each word's head, from 0, and the relation between them."""

    words: Words
    heads: tuple[int, ...]
    relations: tuple[str, ...]


def read_trees(path: Path) -> Iterator[Tree | Fault]:
    """The trees of a CoNLL-U file in order; a sentence that is none is a Fault."""
    for sentence in read_conllu(path):
        if isinstance(sentence, Fault):
            yield sentence
        elif sentence.words:
            yield _tree(sentence)


def _tree(sentence: Sentence) -> Tree | Fault:
    forms = tuple(sentence.forms)
    heads = []
    for number, head in enumerate(sentence.column(HEAD), start=1):
        if not (head.isascii() and head.isdecimal() and int(head) <= len(forms) and int(head) != number):
            reason = f"word {number} has the head {head[:20]!r}; 0 to {len(forms)} are words of its sentence"
            return Fault(sentence.place, reason, " ".join(forms)[:200])
        heads.append(int(head) - 1)
    return Tree(Words(forms, tuple(_spaced(sentence))), tuple(heads), tuple(sentence.column(RELATION)))


def _spaced(sentence: Sentence) -> Iterator[bool]:
    """Before which words a space is written.

    Of a range such as `1-2 don't`, the words stand together if they spell it; else (`del` = `de el`) they are written
    apart, since a word must be somewhere to be looked at.
    """
    joined: set[int] = set()  # words that nothing stands before
    last = 0
    cells = [line.decode().rstrip("\r\n").split("\t") for line in sentence.lines if b"\t" in line]
    forms = [""] + [row[FORM] for row in cells if row[0].isdecimal()]
    for row in cells:
        number, _, end = row[0].partition("-")
        if end:
            first, last = int(number), int(end)
            if "".join(forms[first : last + 1]) == row[FORM]:
                joined.update(range(first + 1, last + 1))
            if TOGETHER in row[MISC]:
                joined.add(last + 1)
        elif number.isdecimal() and int(number) > last and TOGETHER in row[MISC]:
            joined.add(int(number) + 1)
    yield from (word not in joined for word in range(1, len(forms)))
