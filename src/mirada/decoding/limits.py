"""Limits: how long a translation may become, and how to tell one that went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from mirada.decoding.hypothesis import Hypothesis

LENGTHS, MORE = 2, 20  # a translation has at most 2 · source + 20 tokens: seldom does a good one reach 1.5 times

LONGEST_PERIOD = 12  # tokens of a unit that is repeated in a row
FEWEST_COPIES = 4  # of it; "no, no, no" is language
FEWEST_TOKENS = 10  # of all copies together; "......" and "1000000" are language, too
GRAM = 4  # tokens of the n-grams that are counted, and blocked in a second attempt
MANY_TOKENS = 24  # below this, that n-grams come again means nothing
FEWEST_AGAIN = 8  # tokens that a loop says again: 4 copies of 2 with 10 tokens together leave 8 that stood before
LEAST_VARIETY = 0.4  # share of different n-grams; ordinary text has more than 0.9
SOURCE_EXCUSES = 1.5  # a translation may repeat itself this much more than its source


class Flag(StrEnum):
    """Why a translation deserves a second look. The value is stable, for programs; `meaning` is for people."""

    CUT = "cut"
    REPEATING = "repeating"
    EMPTY = "empty"
    DIVIDED = "divided"
    SYMBOLS = "symbols"
    MISSING = "missing"

    @property
    def meaning(self) -> str:
        """What it says, after "flagged: 3"."""
        return _MEANINGS[self]


_MEANINGS = {
    Flag.CUT: "cut at the length limit",
    Flag.REPEATING: "repeating itself",
    Flag.EMPTY: "empty although the source is not",
    Flag.DIVIDED: "with a sentence too long for the model, translated in parts",
    Flag.SYMBOLS: "with placeholders lost or added",
    Flag.MISSING: "without something that was asked for",
}


def cap(length: int, longest: int | None = None) -> int:
    """The most tokens of the translation of a source with `length` tokens."""
    allowed = LENGTHS * length + MORE
    return allowed if longest is None else min(allowed, longest)


def flags_of(hypothesis: Hypothesis, source: Sequence[int]) -> tuple[Flag, ...]:
    """What is wrong with a translation of a source (its end mark included), as far as its tokens tell."""
    found = []
    if not hypothesis.finished:
        found.append(Flag.CUT)
    if repeats(hypothesis.tokens, source):
        found.append(Flag.REPEATING)
    if not hypothesis.tokens and len(source) > 1:
        found.append(Flag.EMPTY)
    return tuple(found)


def repeats(tokens: Sequence[int], source: Sequence[int] = ()) -> bool:
    """Whether a text is caught in a loop, and its source is not a text like that itself.

    Either a unit of a few tokens stands many times in a row, up to the end or over most of the text; or few of all
    n-grams are different, which finds loops of whole sentences, and those with small changes.
    """
    if len(tokens) - len(set(tokens)) < FEWEST_AGAIN:  # most texts, and no closer look finds a loop in them
        return False
    run = _looping(tokens)
    if run > SOURCE_EXCUSES * _looping(source):
        return True
    return _variety(tokens) < LEAST_VARIETY and SOURCE_EXCUSES * _variety(tokens) < _variety(source)


def _looping(tokens: Sequence[int]) -> int:
    """How many tokens stand in the longest loop that counts as one; 0 if there is none."""
    longest = 0
    for period in range(1, min(LONGEST_PERIOD, len(tokens) // FEWEST_COPIES) + 1):
        run = 0
        for place in range(period, len(tokens)):
            run = run + 1 if tokens[place] == tokens[place - period] else 0
            covered = run + period
            if covered <= longest or covered < max(FEWEST_TOKENS, FEWEST_COPIES * period):
                continue
            if place == len(tokens) - 1 or 2 * covered > len(tokens):
                longest = covered
    return longest


def _variety(tokens: Sequence[int]) -> float:
    """The share of different n-grams among all; 1 for a text too short to tell."""
    if len(tokens) < MANY_TOKENS:
        return 1.0
    grams = [tuple(tokens[place : place + GRAM]) for place in range(len(tokens) - GRAM + 1)]
    return len(set(grams)) / len(grams)
