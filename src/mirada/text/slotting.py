"""Slotting: training pairs with marks in place of what both sides share, from which a model learns to copy marks.

Hidden are the protected symbols that stand on both sides; one that stands on one side only stays as it is, since a mark
that nothing answers would teach to lose marks. So that every mark is met, the numbers of a pair begin at one that is a
hash of the seed, the pair and the variant, and go round. So that corpora with few symbols teach marks as well, one pair
in eight gives its anchors, too: names and numbers that stand once on each side. All this is a function of the numbers
and texts given, so that a resumed run sees the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mirada.text.hashes import hash_text
from mirada.text.placeholders import Span
from mirada.text.slots import (
    COUNT,
    MARKS,
    Found,
    findings,
    holds_marks,
    numbered,
    replaced,
    show,
    symbols_of,
    without_marks,
)

SHARE = 8  # of so many pairs one has its anchors hidden
MOST_ANCHORS = 3  # of a pair: enough to teach order, and most of a sentence stays to be read
LEAP = 5  # from one variant's first number to the next one's; 12 leaps meet all 12 marks

WORD = re.compile(r"\d{1,20}(?:[.,:]\d{1,20}){0,9}(?![0-9A-Za-z])|\w{1,60}(?:['’.\-]\w{1,60}){0,9}")
TURNS = tuple(
    {ord(mark): MARKS[(number + start) % COUNT] for number, mark in enumerate(MARKS)} for start in range(COUNT)
)


@dataclass(frozen=True, slots=True)
class Slotted:
    """A pair with its marks numbered from 0, and the number that its first variant begins at."""

    source: str
    target: str
    start: int = 0
    marked: bool = True  # whether it has any

    def variant(self, number: int) -> tuple[str, str]:
        """The source and the target of a variant."""
        if not self.marked:
            return self.source, self.target
        start = (self.start + LEAP * number) % COUNT
        return self.source.translate(TURNS[start]), self.target.translate(TURNS[start])


def slotted(source: str, target: str, seed: int) -> Slotted:
    """A normalised pair as it is trained on."""
    key = hash_text(f"{seed}\t{source}\t{target}")
    shown = hide_shared(source, target, anchors=key % SHARE == 0)
    return Slotted(*shown, start=key // SHARE % COUNT, marked=holds_marks(shown[0]))


def hide_shared(source: str, target: str, anchors: bool = False) -> tuple[str, str]:
    """A pair with marks for the symbols that stand on both sides, with `anchors` for some shared words, too.

    A target that `show` would not give back to the letter ("%1$s %2$s" for "%s %s") leaves its pair as it is.
    """
    source, target = without_marks(source), without_marks(target)
    left, right = findings(source), findings(target)
    if anchors:
        left, right = _with_anchors(source, left, target, right)
    if not left or not right:  # most pairs
        return source, target
    shared = {one.name for one in left} & {one.name for one in right}
    numbers = numbered(one.name for one in left if one.name in shared)
    hidden = replaced(source, left, numbers), replaced(target, right, numbers)
    return hidden if show(hidden[1], symbols_of(source, left, numbers)) == target else (source, target)


def _with_anchors(source: str, left: list[Found], target: str, right: list[Found]) -> tuple[list[Found], list[Found]]:
    """What was found in both texts, and the first anchors that they share, in the order of the text."""
    ours = _names(source, left)
    theirs = _names(target, right) if ours else {}
    chosen = [name for name in ours if name in theirs][:MOST_ANCHORS]
    return _joined(left, [ours[name] for name in chosen]), _joined(right, [theirs[name] for name in chosen])


def _joined(found: list[Found], more: Sequence[Found]) -> list[Found]:
    return sorted([*found, *more], key=lambda one: one.span.start)


def _names(text: str, found: Sequence[Found]) -> dict[str, Found]:
    """The names and numbers that stand once in a text, and within no symbol."""
    inside = {place for one in found for place in range(one.span.start, one.span.end)}
    words = [word for word in WORD.finditer(text) if word.start() not in inside]
    spoken = [word.group() for word in words]
    return {
        said: Found(Span(*word.span()), said)
        for number, (word, said) in enumerate(zip(words, spoken, strict=True))
        if _is_name(said, first=number == 0) and spoken.count(said) == 1
    }


def _is_name(word: str, first: bool) -> bool:
    """Whether a word has a digit, or a capital that is not that of the first word of a text."""
    if word.islower() and word.isalpha():  # most words, without a look at each letter
        return False
    return any(map(str.isdigit, word)) or (len(word) > 1 and not first and any(map(str.isupper, word)))
