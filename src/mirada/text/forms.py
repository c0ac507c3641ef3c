"""Forms: the words of a running text as treebanks have them, marks apart: `"Yes, 50%."` is `" Yes , 50 % . "`.

What is parted already stays as it is. What only a language knows (don't as do n't, del as de el) is left whole.
"""

from __future__ import annotations

from itertools import groupby
from unicodedata import category

KEPT = frozenset("#@&*/\\_-'’")  # marks that belong to the word they stand at: #tag, C#, 's, and-


def forms_of(text: str) -> list[str]:
    """The forms of a text; the spaces between words are no part of any."""
    words = text.split()
    return [form for number, word in enumerate(words, 1) for form in _parted(word, number == len(words))]


def _parted(word: str, last: bool) -> list[str]:
    """A word between the marks before it and after it."""
    begin, end = 0, len(word)
    while begin < end and _is_mark(word[begin]):
        begin += 1
    if begin == end:  # nothing but marks: dots, a smile
        return [word]
    while _is_mark(word[end - 1]):
        end -= 1
    if word[end : end + 1] == "." and _is_shortened(word[begin:end], last):
        end += 1
    return [*_alike(word[:begin]), word[begin:end], *_alike(word[end:])]


def _is_mark(character: str) -> bool:
    kind = category(character)
    return (kind.startswith("P") or kind == "Sc") and character not in KEPT


def _is_shortened(word: str, last: bool) -> bool:
    """Whether a dot after it is its own: U.S., and J. where more follows (so do I. ends a sentence)."""
    return "." in word or (not last and len(word) == 1 and word.isupper())


def _alike(marks: str) -> list[str]:
    """Marks one by one, but those that are repeated (…, !!!) together."""
    return ["".join(group) for _, group in groupby(marks)]
