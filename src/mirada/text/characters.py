"""Characters: the simplest units of a text, each of its characters by itself, line breaks included."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mirada.text.normalise import CONTROL
from mirada.text.subwords import SPECIAL, UNKNOWN

LINE_END = "\n"
STRANGE = "\ufffd"  # what a character that was never met is written as
MOST = 100_000  # characters of a vocabulary; Unicode has given names to some 160,000


class Characters:
    """The characters of a training text, in the order of Unicode, after the four ids that every vocabulary has."""

    def __init__(self, characters: Iterable[str]) -> None:
        known = sorted({LINE_END, *characters})
        if len(known) > MOST or any(len(one) != 1 for one in known):
            raise ValueError(f"{len(known):,} characters were given; a vocabulary has single ones, at most {MOST:,}")
        self.characters = "".join(known)
        self._codes = _codes(self.characters)

    @property
    def size(self) -> int:
        """How many ids there are."""
        return len(SPECIAL) + len(self.characters)

    @cached_property
    def line_end(self) -> int:
        """The id that ends a line."""
        return int(self.encode([""])[0])

    def encode(self, lines: Sequence[str]) -> NDArray[np.uint32]:
        """The ids of lines one behind another, each with its end; what was never met is the unknown id."""
        codes = _codes("".join(clean(line) + LINE_END for line in lines))
        places = np.searchsorted(self._codes, codes).clip(max=len(self._codes) - 1)
        return np.where(self._codes[places] == codes, places + len(SPECIAL), UNKNOWN).astype(np.uint32)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; the unknown one is written as a replacement character, the other marks say nothing."""
        known = [STRANGE if one == UNKNOWN else self._character(one) for one in ids]
        return "".join(known)

    def _character(self, one: int) -> str:
        if not 0 <= one < self.size:
            raise ValueError(f"id {one} is not in the vocabulary; its ids go from 0 to {self.size - 1}")
        return "" if one < len(SPECIAL) else self.characters[one - len(SPECIAL)]

    def characters_in(self, lines: Sequence[str]) -> int:
        """How many characters lines stand for, with their ends."""
        return sum(len(clean(line)) + 1 for line in lines)

    def to_bytes(self) -> bytes:
        """The vocabulary as a file."""
        return (json.dumps({"characters": self.characters}, ensure_ascii=True) + "\n").encode()

    @classmethod
    def of_bytes(cls, data: bytes) -> Characters:
        """The vocabulary in a file that `to_bytes` made."""
        try:
            found = json.loads(data)["characters"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ValueError("this is no vocabulary of characters, or a damaged one; copy the folder again") from None
        if not isinstance(found, str) or list(found) != sorted({LINE_END, *found}):
            raise ValueError("its characters are not those of a vocabulary; copy the folder again")
        return cls(found)


def clean(line: str) -> str:
    """A line as it is read: in Unicode's composed form, without controls but tabs."""
    if not line.isprintable():
        line = CONTROL.sub("", line).replace("\r", "").replace(LINE_END, " ")
    return line if line.isascii() else unicodedata.normalize("NFC", line)


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint32)
