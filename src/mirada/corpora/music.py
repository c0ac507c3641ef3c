"""Music from files: pieces in JSON, as lists of steps that are lists of pitches, and MIDI files.

JSON as the chorales of Boulanger-Lewandowski et al. (2012) are given: `{"train": [piece, …], "valid": …, "test": …}`,
or a list of pieces. A MIDI file is one piece: which notes sound at each sixteenth, whatever their track or channel, but
for that of the drums. A note that is held and one that is struck again are the same.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mirada.corpora.lines import Line
from mirada.corpora.opening import require_file
from mirada.corpora.pair import CorpusError, Fault, Place
from mirada.text.events import PITCHES, Step, write_piece

MIDI = (".mid", ".midi")
PARTS = ("train", "valid", "test")
LARGEST = 64_000_000  # bytes of a file
MOST_STEPS = 100_000  # of a piece: seven hours of sixteenths
STEPS_PER_BEAT = 4
DRUMS = 9  # the channel whose numbers are no pitches
TEMPO = 600_000  # microseconds of a beat, as written: 100 beats a minute


def is_midi(path: Path) -> bool:
    """Whether a file is named as MIDI files are."""
    return path.suffix.lower() in MIDI


def pieces(path: Path) -> Iterator[Line]:
    """The pieces of a file as lines, those to train on first, or the reason why one is none."""
    if is_midi(path):
        yield _read_midi(path)
        return
    for number, piece in enumerate(_listed(_read_json(path)), 1):
        yield _line(Place(str(path), number), piece)


def own_parts(path: Path) -> tuple[int, ...] | None:
    """How many pieces a file itself means to be trained on, looked at and tested with."""
    found = None if is_midi(path) else _read_json(path)
    return tuple(len(found.get(part, [])) for part in PARTS) if isinstance(found, dict) else None


def _listed(found: dict[str, list[object]] | list[object]) -> list[object]:
    """All pieces, those to train on first."""
    return [piece for part in PARTS for piece in found.get(part, [])] if isinstance(found, dict) else found


def _line(place: Place, piece: object) -> Line:
    try:
        return write_piece(_checked(piece))
    except ValueError as error:
        return Fault(place, str(error), str(piece)[:200])


def _checked(piece: object) -> list[Step]:
    if not isinstance(piece, list) or not 1 <= len(piece) <= MOST_STEPS:
        raise ValueError(f"a piece is a list of 1 to {MOST_STEPS:,} steps")
    for step in piece:
        if not isinstance(step, list) or len(step) > PITCHES:
            raise ValueError(f"{str(step)[:40]} is no step; a step is a list of pitches")
        for pitch in step:
            if not isinstance(pitch, int) or isinstance(pitch, bool) or not -1 <= pitch < PITCHES:
                allowed = f"pitches are 0 to {PITCHES - 1}, and -1 is a silent voice"
                raise ValueError(f"{str(pitch)[:40]} is no pitch; {allowed}")
    return [frozenset(pitch for pitch in step if pitch >= 0) for step in piece]


def _read_json(path: Path) -> dict[str, list[object]] | list[object]:
    data = _bytes_of(path)
    wanted = f"music in JSON is a list of pieces, or an object that has them under {', '.join(PARTS)}"
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise CorpusError(f"{path} is no JSON; {wanted}") from None
    some = found.values() if isinstance(found, dict) else [found]
    known = not isinstance(found, dict) or set(found) <= set(PARTS)
    if not known or not all(isinstance(one, list) for one in some):
        raise CorpusError(f"{path} holds no music: {wanted}")
    return found


def _bytes_of(path: Path) -> bytes:
    require_file(path)
    if path.stat().st_size > LARGEST:
        raise CorpusError(f"{path} has {path.stat().st_size:,} bytes; at most {LARGEST:,} are read of a file of music")
    return path.read_bytes()


def _read_midi(path: Path) -> Line:
    import mido

    data, place = _bytes_of(path), Place(str(path), 1)
    try:
        found = mido.MidiFile(file=io.BytesIO(data), clip=True)
        notes = list(_notes(mido.merge_tracks(found.tracks)))
    # What a damaged file makes of the reader: its exceptions are plain ones.
    except (ValueError, OSError, EOFError, LookupError, TypeError, AttributeError) as error:
        return Fault(place, f"this is no MIDI file that can be read: {error}", "")
    if found.ticks_per_beat <= 0 or not notes:
        return Fault(place, "this MIDI file has no notes with a length", "")
    grid = _on_grid(notes, found.ticks_per_beat / STEPS_PER_BEAT)
    return write_piece(grid) if grid else Fault(place, f"this piece has more than {MOST_STEPS:,} sixteenths", "")


def _notes(messages: Iterable[Any]) -> Iterator[tuple[int, int, int]]:
    """Each note: from which tick until which, and its pitch."""
    now = 0
    begun: dict[tuple[int, int], int] = {}
    for message in messages:
        now += message.time
        kind = message.type
        if kind not in ("note_on", "note_off") or message.channel == DRUMS:
            continue
        name = message.channel, message.note
        if name in begun:
            yield begun.pop(name), now, name[1]
        if kind == "note_on" and message.velocity > 0:
            begun[name] = now


def _on_grid(notes: list[tuple[int, int, int]], step: float) -> list[set[int]]:
    """The pitches of each step: a note sounds from the step nearest to its beginning, for one step at least."""
    rounded = [(round(start / step), round(end / step), pitch) for start, end, pitch in notes]
    placed = [(start, max(start + 1, end), pitch) for start, end, pitch in rounded]
    last = max(end for _, end, _ in placed)
    if last > MOST_STEPS:
        return []
    grid: list[set[int]] = [set() for _ in range(last)]
    for start, end, pitch in placed:
        for place in range(start, end):
            grid[place].add(pitch)
    return grid


def as_midi(steps: list[Step], steps_per_beat: int = STEPS_PER_BEAT) -> bytes:
    """A MIDI file of a piece: a pitch that sounds in steps one after the other is one note."""
    import mido

    file = mido.MidiFile(ticks_per_beat=480)
    track = mido.MidiTrack()
    file.tracks.append(track)
    track.append(mido.MetaMessage("set_tempo", tempo=TEMPO))
    ticks, before, waiting = 480 // steps_per_beat, frozenset[int](), 0
    for step in [*steps, frozenset[int]()]:
        changes = [("note_off", pitch) for pitch in sorted(before - step)]
        changes += [("note_on", pitch) for pitch in sorted(step - before)]
        for kind, pitch in changes:
            track.append(mido.Message(kind, note=pitch, velocity=80, time=waiting))
            waiting = 0
        before, waiting = step, waiting + ticks
    written = io.BytesIO()
    file.save(file=written)
    return written.getvalue()
