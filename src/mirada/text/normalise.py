"""Normalisation: what is done to a text before it becomes subwords, and the folding that finds near-duplicates.

`normalise` changes only what a reader cannot see:

- Unicode's composed form (NFC), so that "é" is one character however it was typed;
- every run of white space becomes one space, and none stands at either end. Line breaks, tabs and unbreakable
  spaces are layout: whoever fills a file with translations puts them back, and the model never meets them;
- invisible controls go: C0 and C1, soft hyphens, zero-width spaces, byte-order marks, marks of writing direction,
  characters that Unicode promises never to use, and halves of surrogate pairs.

Joiners (U+200C, U+200D) stay: Persian, the languages of India and many emoji are written with them.
"""

from __future__ import annotations

import re
import unicodedata

UNPRINTABLE = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls that are not white space
UNSEEN = "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
# But for U+FDD1 to U+FDDC, the marks of `mirada.text.slots`, which takes out those that stood in a text before.
NEVER_USED = "\ufdd0\ufddd-\ufdef" + "".join(
    chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF)
)
HALVES = "\ud800-\udfff"

INVISIBLE = re.compile(f"[{UNPRINTABLE}{UNSEEN}{NEVER_USED}{HALVES}]")
CONTROL = re.compile(f"[{UNPRINTABLE}{HALVES}]")


def normalise(text: str) -> str:
    """The text as the model sees it: composed, single-spaced, without invisible controls."""
    if not text.isprintable():
        text = INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())


def control_in(text: str) -> str | None:
    """The first control character that no healthy file holds, named as U+0000; None where there is none."""
    if text.isprintable():
        return None
    found = CONTROL.search(text)
    return None if found is None else f"U+{ord(found.group()):04X}"


class _Folding(dict[int, str]):
    """What each character folds to; filled as characters are met, at most one entry for each that exists."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Nd":
            folded = "0"
        elif category[0] in "PS":
            folded = " "
        else:
            folded = character
        self[code] = folded
        return folded


_FOLDING = _Folding()
_ASCII_FOLDING = "".join(map(_FOLDING.__getitem__, range(128))).lower().encode().ljust(256)
_NUMBER = re.compile("0(?: ?0)+")


def fold(text: str) -> str:
    """The text with case, digits and punctuation folded: near-duplicates are the texts that fold alike.

    Every number folds to 0, so "Room 12." and "room 7" are near-duplicates. A text of nothing but punctuation or
    symbols is left as it is, or all of them would be duplicates of one another.
    """
    folded = _fold_ascii(text) if text.isascii() else text.casefold().translate(_FOLDING)
    return _NUMBER.sub("0", " ".join(folded.split())) or text


def _fold_ascii(text: str) -> str:
    """What half of all texts need, ten times faster."""
    return text.encode().translate(_ASCII_FOLDING).decode()
