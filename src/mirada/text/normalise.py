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
    printable = text.isprintable()
    if not printable:
        text = INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    # The plain space is the only white space that is printable, so most texts can stay as they are.
    if printable and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
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
_ASCII_FOLDING = bytes(ord(" " if chr(code).isspace() else _FOLDING[code].lower()) for code in range(128)).ljust(256)
_NUMBER = re.compile(b"0(?: ?0)+")


def fold(text: str) -> str:
    """The text with case, digits and punctuation folded: near-duplicates are the texts that fold alike.

    Every number folds to 0, so "Room 12." and "room 7" are near-duplicates. A text of nothing but punctuation or
    symbols is left as it is, or all of them would be duplicates of one another.
    """
    return fold_encoded(text).decode("utf-8", "surrogatepass")


def fold_encoded(text: str) -> bytes:
    """`fold` in UTF-8, as it is hashed."""
    if text.isascii():  # half of all texts, many times faster
        folded = b" ".join(text.encode().translate(_ASCII_FOLDING).split())
    else:
        folded = " ".join(text.casefold().translate(_FOLDING).split()).encode("utf-8", "surrogatepass")
    if b"0" in folded:
        folded = _NUMBER.sub(b"0", folded)
    return folded or text.encode("utf-8", "surrogatepass")
