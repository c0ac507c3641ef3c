"""Context: the sentences that stand before a text in its document, read with it and not translated.

    ids of the sentence before ‖ end mark ‖ ids of the text ‖ end mark   →   translation of the text alone

So a pronoun can be told by what it means (Tiedemann and Scherrer 2017, "2 to 1"). Between sentences stands the end
mark, which every vocabulary has and every text ends with: a text with nothing before it is read as it always was.
Sentences are read whole or not at all: of those that a model has no room for, the oldest go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from mirada.text.normalise import normalise
from mirada.text.slots import without_marks
from mirada.text.subwords import Flat

MOST = 64  # sentences before a text
LONGEST = 4_000  # characters of a sentence before; a longer one no model would have room for

Context = tuple[str, ...]  # the oldest first


class Before:
    """The last sentences of a document that is being read, as many as are wanted."""

    def __init__(self, count: int) -> None:
        self.wanted = count > 0
        self._texts: deque[str] = deque(maxlen=count)

    @property
    def texts(self) -> Context:
        """What stands before the next sentence."""
        return tuple(self._texts)

    def pass_by(self, text: str) -> Context:
        """What stands before a text, which is from now on before the next; without words, it ends the document."""
        found, seen = self.texts, bool(normalise(text))
        if seen and len(text) <= LONGEST:
            self._texts.append(text)
        else:
            self.end()
        return found if seen else ()

    def pass_lines(self, text: str) -> Context:
        """What stands before a text, whose lines are from now on before the next; empty ones end nothing."""
        found = self.texts
        for line in text.split("\n") if self.wanted else ():
            if normalise(line):
                self.pass_by(line)
        return found

    def end(self) -> None:
        """The document ends here."""
        self._texts.clear()


def in_order(texts: Sequence[str], contexts: Sequence[Sequence[str]]) -> list[str]:
    """Texts with their contexts before them, one behind another; placeholders before a text are not carried over."""
    groups = ((*map(without_marks, context), text) for text, context in zip(texts, contexts, strict=True))
    return list(chain.from_iterable(groups))


def joined(flat: Flat, contexts: Sequence[Sequence[str]], longest: int | None) -> Flat:
    """Texts in order as sources, each the ids of a text and of what is read before it."""
    ids, lengths = flat
    counts = counts_of(contexts)
    read = fitting(lengths, counts, longest)
    kept = np.where(read, lengths, 0)
    return ids[np.repeat(read, lengths)], np.add.reduceat(kept, np.cumsum(counts) - counts)


def counts_of(contexts: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """How many texts in order make each source."""
    return np.fromiter((1 + len(context) for context in contexts), dtype=np.int64, count=len(contexts))


def fitting(lengths: NDArray[np.int64], counts: NDArray[np.int64], longest: int | None) -> NDArray[np.bool_]:
    """Which of some texts in order are read: the last of each source, and those before it that leave it within bounds.

    `lengths` are the ids of each text, `counts` the texts of each source, `longest` the most ids of a source.
    """
    ends = np.cumsum(counts)
    if longest is None or not len(counts):
        return np.ones(len(lengths), dtype=np.bool_)
    running = np.cumsum(lengths)
    to_the_end = np.repeat(running[ends - 1], counts) - (running - lengths)
    read = to_the_end <= longest
    read[ends - 1] = True
    return read
