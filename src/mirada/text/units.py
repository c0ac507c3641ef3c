"""Units of a running text: what a language model reads and says, characters or subwords, with the ends of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mirada.text.events import Events
from mirada.text.normalise import normalise
from mirada.text.subwords import END, Subwords

UnitKind = Literal["characters", "subwords", "events"]


@runtime_checkable
class Units(Protocol):
    """A vocabulary of running text."""

    @property
    def size(self) -> int:
        """How many ids there are."""

    @property
    def line_end(self) -> int:
        """The id that ends a line; a text is read as if one had just ended."""

    def encode(self, lines: Sequence[str]) -> NDArray[np.uint32]:
        """The ids of lines one behind another, each with its end."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids."""

    def characters_in(self, lines: Sequence[str]) -> int:
        """How many characters lines stand for, with their ends; of music, how many steps."""

    def to_bytes(self) -> bytes:
        """The vocabulary as a file."""


@dataclass(frozen=True)
class SubwordLines:
    """Subwords of running text: the end mark ends a line, and white space within a line is one space."""

    subwords: Subwords

    @property
    def size(self) -> int:
        return self.subwords.size

    @property
    def line_end(self) -> int:
        return END

    def encode(self, lines: Sequence[str]) -> NDArray[np.uint32]:
        return self.subwords.encode_flat(lines, end=True)[0]

    def decode(self, ids: Sequence[int]) -> str:
        lines: list[list[int]] = [[]]
        for one in ids:
            if one == END:
                lines.append([])
            else:
                lines[-1].append(one)
        return "\n".join(self.subwords.decode_many(lines))

    def characters_in(self, lines: Sequence[str]) -> int:
        return sum(len(normalise(line)) + 1 for line in lines)

    def to_bytes(self) -> bytes:
        return self.subwords.to_bytes()


def counted_in(units: Units) -> Literal["characters", "steps"]:
    """What a score is stated for each of."""
    return "steps" if isinstance(units, Events) else "characters"


def encode_text(units: Units, text: str) -> list[int]:
    """The ids of a text that may go on in its last line."""
    return [int(one) for one in units.encode(text.split("\n"))[:-1]]
