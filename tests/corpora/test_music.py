"""Music from files: chorales in JSON, MIDI there and back, and what is no music."""

import json
from pathlib import Path

import mido
import pytest
from hypothesis import given
from hypothesis import strategies as some

from mirada.corpora.documents import survey
from mirada.corpora.music import MOST_STEPS, as_midi, own_parts, pieces
from mirada.corpora.pair import CorpusError, Fault
from mirada.text.events import read_piece

SONG = [[60, 64], [60, 64], [], [62]]


def written(path: Path, what: object) -> Path:
    path.write_text(json.dumps(what))
    return path


def test_a_file_with_parts_of_its_own_is_divided_by_them(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", {"test": [[[1]]], "train": [SONG, [[2]], [[3]]], "valid": [[[4]], [[5]]]})
    assert list(pieces(path)) == ["64 60 / 64 60 / / 62 /", "2 /", "3 /", "4 /", "5 /", "1 /"]
    assert own_parts(path) == (3, 2, 1)
    parts = survey(path, music=True).divided((0.9, 0.05, 0.05))
    assert [list(part) for part in parts] == [["64 60 / 64 60 / / 62 /", "2 /", "3 /"], ["4 /", "5 /"], ["1 /"]]


def test_a_list_of_pieces_has_no_parts(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", [SONG, [[-1, 7]]])
    assert (list(pieces(path))[1], own_parts(path)) == ("7 /", None)


@pytest.mark.parametrize(
    ("piece", "told"),
    [
        ([[128]], "128 is no pitch"),
        ([["60"]], "60 is no pitch"),
        ([60], "60 is no step"),
        ([], "a list of 1 to 100,000 steps"),
        ([[]] * (MOST_STEPS + 1), "a list of 1 to 100,000 steps"),
    ],
    ids=["high", "text", "flat", "empty", "long"],
)
def test_a_piece_that_is_none_is_left_out_with_its_reason(tmp_path: Path, piece: object, told: str) -> None:
    good, bad = pieces(written(tmp_path / "x.json", [SONG, piece]))
    assert isinstance(good, str)
    assert isinstance(bad, Fault)
    assert told in bad.reason
    assert str(bad.place).endswith("x.json:2")


@pytest.mark.parametrize("what", ["words", {"songs": []}, {"train": 3}])
def test_a_file_without_music_is_told(tmp_path: Path, what: object) -> None:
    with pytest.raises(CorpusError, match="holds no music: music in JSON is a list of pieces"):
        list(pieces(written(tmp_path / "x.json", what)))
    (tmp_path / "y.json").write_bytes(b"\x00{")
    with pytest.raises(CorpusError, match="is no JSON"):
        list(pieces(tmp_path / "y.json"))


@given(some.lists(some.frozensets(some.integers(0, 127), max_size=4), min_size=1, max_size=8))
def test_midi_there_and_back(tmp_path_factory: pytest.TempPathFactory, steps: list[frozenset[int]]) -> None:
    path = tmp_path_factory.getbasetemp() / "x.mid"
    path.write_bytes(as_midi(steps))
    (found,) = pieces(path)
    while steps and not steps[-1]:  # a rest at the end has no length
        steps = steps[:-1]
    if steps:
        assert isinstance(found, str)
        assert read_piece(found) == steps
    else:
        assert isinstance(found, Fault)


def test_drums_are_left_out_and_notes_stand_on_the_grid(tmp_path: Path) -> None:
    track = mido.MidiTrack()
    track.append(mido.Message("note_on", note=60, velocity=9, time=5, channel=2))
    track.append(mido.Message("note_on", note=35, velocity=9, time=0, channel=9))
    track.append(mido.Message("note_on", note=60, velocity=0, time=50, channel=2))
    file = mido.MidiFile(ticks_per_beat=100)
    file.tracks.append(track)
    file.save(tmp_path / "x.mid")
    assert list(pieces(tmp_path / "x.mid")) == ["60 / 60 /"]


def test_a_damaged_midi_file_is_told(tmp_path: Path) -> None:
    for data in (b"", b"MThd", b"MThd\x00\x00\x00\x06\x00\x01\x00\x01\x00\x00", b"RIFF" * 9):
        (tmp_path / "x.mid").write_bytes(data)
        (found,) = pieces(tmp_path / "x.mid")
        assert isinstance(found, Fault)
