"""Events: the units of music: a note that sounds, and the end of a step of time.

A piece is written as a line: the pitches (MIDI numbers, 60 is the middle C) that sound in each step, and a slash that
ends it. `60 64 67 / 60 64 67 / /` is a chord that sounds for two steps, and a rest of one. Within a step notes stand
from the highest to the lowest, so that a step has one spelling, and its probability is the product of its events'.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mirada.text.subwords import END, SPECIAL

PITCHES = 128
STEP_END = len(SPECIAL)
FIRST_PITCH = STEP_END + 1

Step = frozenset[int]  # the pitches that sound


class Events:
    """Notes and ends of steps, after the four ids that every vocabulary has; the end mark ends a piece."""

    @property
    def size(self) -> int:
        """How many ids there are."""
        return FIRST_PITCH + PITCHES

    @property
    def line_end(self) -> int:
        """The id that ends a piece."""
        return END

    def encode(self, lines: Sequence[str]) -> NDArray[np.uint32]:
        """The ids of pieces one behind another, each with its end."""
        found: list[int] = []
        for line in lines:
            for step in read_piece(line):
                found += [FIRST_PITCH + pitch for pitch in sorted(step, reverse=True)]
                found.append(STEP_END)
            found.append(END)
        return np.array(found, dtype=np.uint32)

    def decode(self, ids: Sequence[int]) -> str:
        """The pieces of ids, a line each; a step that did not end yet is ended."""
        pieces: list[list[Step]] = [[]]
        sounding: set[int] = set()
        for one in ids:
            if not 0 <= one < self.size:
                raise ValueError(f"id {one} is not in the vocabulary; its ids go from 0 to {self.size - 1}")
            if one >= FIRST_PITCH:
                sounding.add(one - FIRST_PITCH)
            elif one == STEP_END or (one == END and sounding):
                pieces[-1].append(frozenset(sounding))
                sounding = set()
            if one == END:
                pieces.append([])
        if sounding:
            pieces[-1].append(frozenset(sounding))
        return "\n".join(map(write_piece, pieces))

    def characters_in(self, lines: Sequence[str]) -> int:
        """How many steps of time pieces have."""
        return sum(len(read_piece(line)) for line in lines)

    def to_bytes(self) -> bytes:
        """The vocabulary as a file."""
        return (json.dumps({"pitches": PITCHES}) + "\n").encode()

    @classmethod
    def of_bytes(cls, data: bytes) -> Events:
        """The vocabulary in a file that `to_bytes` made."""
        if data != cls().to_bytes():
            raise ValueError("this is no vocabulary of events, or a damaged one; copy the folder again")
        return cls()


def transpose(rows: NDArray[np.int64], semitones: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of events, each moved up by so many semitones, or as far as all its notes are still pitches."""
    is_note = rows >= FIRST_PITCH
    highest = np.where(is_note, rows, FIRST_PITCH).max(1)
    lowest = np.where(is_note, rows, FIRST_PITCH + PITCHES - 1).min(1)
    moved = np.clip(semitones, FIRST_PITCH - lowest, FIRST_PITCH + PITCHES - 1 - highest)
    return np.where(is_note, rows + moved[:, None], rows)


def read_piece(line: str) -> list[Step]:
    """The steps of a piece that is written as a line."""
    *ended, last = line.split("/")
    return [_read_step(text) for text in (ended if not last.strip() else [*ended, last])]


def write_piece(steps: Iterable[Iterable[int]]) -> str:
    """A piece as a line."""
    return " ".join(" ".join(map(str, (*sorted(set(step), reverse=True), "/"))) for step in steps)


def _read_step(text: str) -> Step:
    words = text.split()
    wrong = [word for word in words if not (word.isascii() and word.isdecimal() and int(word[:4]) < PITCHES)]
    if wrong:
        raise ValueError(
            f"{wrong[0][:20]!r} is no pitch; a step is the numbers 0 to {PITCHES - 1} of the notes that sound, and a "
            "slash ends it: 60 64 67 / 59 62 67 /"
        )
    return frozenset(map(int, words))
