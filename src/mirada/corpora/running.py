"""Running text from files: the lines of a plain file, or the sentences of a treebank (CoNLL-U) as they were written.

An empty line ends a document: a plain file says so itself, a treebank by `# newdoc`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mirada.corpora.lines import LINE_BYTES, Line, lines
from mirada.corpora.opening import Meter, unpacked_name
from mirada.corpora.pair import Fault

TREEBANK = ".conllu"
TEXT, DOCUMENT = "# text = ", "# newdoc"
COLUMNS = 10


def running(path: Path, meter: Meter | None = None, limit: int = LINE_BYTES) -> Iterator[Line]:
    """The text of a file line by line: as text, or as the reason why it is none."""
    found = lines(path, meter, limit)
    return _sentences(found) if unpacked_name(path).lower().endswith(TREEBANK) else found


@dataclass(slots=True)
class _Sentence:
    """A sentence of a treebank as far as it is read."""

    text: str | None = None  # as its comment gives it
    words: list[str] = field(default_factory=list)
    covered: int = 0  # the last word that belongs to a contraction, which stands for it

    def add(self, line: str) -> None:
        """Take in one line: a comment, a word or a contraction of some."""
        if line.startswith(TEXT):
            self.text = line.removeprefix(TEXT).strip()
        number, *columns = line.split("\t")
        if len(columns) != COLUMNS - 1 or "." in number:  # a comment, or a word that was not written
            return
        first, _, last = number.partition("-")
        if not first.isdecimal() or (not last and int(first) <= self.covered):
            return
        if last.isdecimal():
            self.covered = int(last)
        after = "" if "SpaceAfter=No" in columns[-1] else " "
        self.words.append(columns[0] + after)

    def __str__(self) -> str:
        return "".join(self.words).strip() if self.text is None else self.text


def _sentences(found: Iterator[Line]) -> Iterator[Line]:
    """The sentences of a treebank, an empty one before each new document."""
    sentence, any_yet = _Sentence(), False
    for line in found:
        if isinstance(line, Fault):
            yield line
        elif line.startswith(DOCUMENT) and any_yet:
            yield ""
        elif line.strip():
            sentence.add(line)
        elif str(sentence):
            yield str(sentence)
            sentence, any_yet = _Sentence(), True
    if str(sentence):
        yield str(sentence)
