"""The music that `mirada generate` writes: as MIDI files and as pictures."""

from pathlib import Path

from mirada.cli.failure import fail
from mirada.cli.saying import say

BEGINNING_STEPS = 16


def beginning_of(path: Path, steps: int) -> str:
    """The first steps of the first piece of a file, as a prompt."""
    from mirada.corpora.documents import readable
    from mirada.text.events import read_piece, write_piece

    piece = next(readable(path, music=True), None)
    if piece is None:
        fail(f"{path} holds no piece that can be read; name a MIDI file, or music in JSON")
    return write_piece(read_piece(piece)[:steps])


def require_places(outputs: list[Path]) -> None:
    """Refuse names that say nothing of how music is to be written."""
    for output in outputs:
        if output.suffix.lower() not in (".mid", ".midi", ".png", ".svg"):
            fail(f"cannot write {output}: music is written as .mid, and drawn as .png or .svg")


def write_music(outputs: list[Path], text: str, given: str, steps_per_beat: int) -> None:
    """The first piece of a text in each of these files."""
    from mirada.corpora.music import as_midi, is_midi
    from mirada.corpora.writing import replacing
    from mirada.text.events import read_piece
    from mirada.viewing.piano_roll import draw_piano_roll

    steps, known = read_piece(text.split("\n", maxsplit=1)[0]), len(read_piece(given))
    for output in outputs:
        midi = is_midi(output)
        made = as_midi(steps, steps_per_beat) if midi else draw_piano_roll(steps, output.suffix.lower(), known)
        with replacing(output) as file:
            file.write(made)
        say(f"{output} written")
