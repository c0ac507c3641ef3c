"""Music as events: one spelling for each step, and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from mirada.text.events import FIRST_PITCH, STEP_END, Events, read_piece, transpose, write_piece
from mirada.text.subwords import END

steps = some.lists(some.frozensets(some.integers(0, 127), max_size=5), max_size=6)


@given(some.lists(steps, min_size=1, max_size=3))
def test_pieces_come_back(pieces: list[list[frozenset[int]]]) -> None:
    lines = [write_piece(piece) for piece in pieces]
    assert [read_piece(line) for line in lines] == pieces
    units = Events()
    ids = units.encode(lines).tolist()
    assert units.decode(ids).split("\n") == [*lines, ""], "the end of the last piece begins another"
    assert units.characters_in(lines) == sum(map(len, pieces)) == ids.count(STEP_END)


def test_a_chord_by_hand() -> None:
    high, low = FIRST_PITCH + 64, FIRST_PITCH + 60
    assert Events().encode(["60 64 / /"]).tolist() == [high, low, STEP_END, STEP_END, END]
    assert Events().encode(["64 60 60 / /"]).tolist() == [high, low, STEP_END, STEP_END, END]
    assert Events().decode([low, high]) == "64 60 /", "a step that did not end yet is ended"
    assert Events().size == 4 + 1 + 128


@pytest.mark.parametrize("wrong", ["128", "-1", "x", "6.5", "9" * 5000, "٣"])
def test_what_is_no_pitch_is_told(wrong: str) -> None:
    with pytest.raises(ValueError, match="is no pitch; a step is the numbers 0 to 127"):
        read_piece(f"60 / {wrong} /")


def test_a_damaged_vocabulary_is_told() -> None:
    assert Events.of_bytes(Events().to_bytes()).size == Events().size
    with pytest.raises(ValueError, match="damaged"):
        Events.of_bytes(b"{}")


@given(steps, some.integers(-12, 12))
def test_a_piece_is_moved_whole(piece: list[frozenset[int]], semitones: int) -> None:
    units = Events()
    rows = units.encode([write_piece(piece)]).astype(np.int64)[None]
    moved = transpose(rows, np.array([semitones]))[0]
    notes = [pitch for step in piece for pitch in step]
    lowest, highest = (min(notes), max(notes)) if notes else (0, 0)
    by = max(-lowest, min(semitones, 127 - highest))
    wanted = [frozenset(pitch + by for pitch in step) for step in piece]
    assert units.decode(moved.tolist()).split("\n")[0] == write_piece(wanted)
