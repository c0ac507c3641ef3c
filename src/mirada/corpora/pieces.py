"""Pieces: the lines of a text that holds several, cut for reading and translating, and joined as they stood."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from mirada.text.asking import Asked
from mirada.text.context import Before
from mirada.text.placeholders import find

Translate = Callable[[list[Asked]], list[str]]

BATCH = 1024  # texts given to the translator at once: enough to sort by length, few enough to show progress
SPACE_AROUND = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
BREAKS = re.compile(r"[\r\n\t\v\f\x85\u2028\u2029]+")


def aligned(source: str, target: str) -> Iterator[tuple[str, str]]:
    """The pairs of lines of two texts with equally many lines; else the whole texts, each as one line."""
    if "\n" not in source and "\n" not in target:
        yield source.strip(), target.strip()
        return
    left, right = lines_of(source), lines_of(target)
    if len(left) == len(right):
        yield from zip(left, right, strict=True)
    else:
        yield " ".join(left), " ".join(right)


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text that hold something."""
    return tuple(line.strip() for line in text.split("\n") if line.strip())


def translated(texts: Iterable[Asked], translate: Translate, context: int) -> Iterator[tuple[str, str]]:
    """Each text with its translation, made line by line; white space, line breaks and what has no words stay.

    A line comes with up to `context` others before it: those of its text, and before them those of the text's own.
    """
    waiting = iter(texts)
    while batch := list(islice(waiting, BATCH)):
        cut = [[_around(line) for line in one.text.split("\n")] for one in batch]
        words = [line for one, rows in zip(batch, cut, strict=True) for line in _lines(one, rows, context)]
        answers = iter(_answers(words, translate))
        for one, rows in zip(batch, cut, strict=True):
            done = [before + (next(answers) if has_words(core) else core) + after for before, core, after in rows]
            yield one.text, "\n".join(done)


def _lines(asked: Asked, rows: Sequence[tuple[str, str, str]], context: int) -> Iterator[Asked]:
    """The lines of a text that have words, each with those before it."""
    before = Before(context)
    for text in asked.context:
        before.pass_by(text)
    for _, core, _ in rows:
        if has_words(core):
            yield Asked(core, context=before.texts)
        before.pass_lines(core)


def has_words(text: str) -> bool:
    """Whether there is something to translate: a letter outside the protected symbols."""
    place = 0
    for span in find(text):
        if any(sign.isalpha() for sign in text[place : span.start]):
            return True
        place = span.end
    return any(sign.isalpha() for sign in text[place:])


def _around(line: str) -> tuple[str, str, str]:
    found = SPACE_AROUND.fullmatch(line)
    return (found[1], found[2], found[3]) if found else ("", line, "")


def _answers(words: list[Asked], translate: Translate) -> Sequence[str]:
    if not words:
        return []
    answers = translate(words)
    if len(answers) != len(words):
        raise ValueError(f"{len(words)} texts were given to be translated and {len(answers)} came back")
    return [BREAKS.sub(" ", answer).strip() for answer in answers]
