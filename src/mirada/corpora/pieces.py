"""Pieces: the lines of a text that holds several, cut for reading and translating, and joined as they stood."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from mirada.text.placeholders import find

Translate = Callable[[list[str]], list[str]]

BATCH = 1024  # texts given to the translator at once: enough to sort by length, few enough to show progress
SPACE_AROUND = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
BREAKS = re.compile(r"[\r\n\t\v\f\x85\u2028\u2029]+")


def aligned(source: str, target: str) -> Iterator[tuple[str, str]]:
    """The pairs of lines of two texts with equally many lines; else the whole texts, each as one line."""
    if "\n" not in source and "\n" not in target:
        yield source.strip(), target.strip()
        return
    left = [line.strip() for line in source.split("\n") if line.strip()]
    right = [line.strip() for line in target.split("\n") if line.strip()]
    if len(left) == len(right):
        yield from zip(left, right, strict=True)
    else:
        yield " ".join(left), " ".join(right)


def translated(texts: Iterable[str], translate: Translate) -> Iterator[tuple[str, str]]:
    """Each text with its translation, made line by line; white space, line breaks and what has no words stay."""
    waiting = iter(texts)
    while batch := list(islice(waiting, BATCH)):
        cut = [[_around(line) for line in text.split("\n")] for text in batch]
        words = [core for text in cut for _, core, _ in text if has_words(core)]
        answers = iter(_answers(words, translate))
        for text, rows in zip(batch, cut, strict=True):
            done = [before + (next(answers) if has_words(core) else core) + after for before, core, after in rows]
            yield text, "\n".join(done)


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


def _answers(words: list[str], translate: Translate) -> Sequence[str]:
    if not words:
        return []
    answers = translate(words)
    if len(answers) != len(words):
        raise ValueError(f"{len(words)} texts were given to be translated and {len(answers)} came back")
    return [BREAKS.sub(" ", answer).strip() for answer in answers]
