"""A piano roll: the notes of a piece over time, as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence

from mirada.text.events import Step

PICTURES = (".png", ".svg")
NAMES = ("C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B")
GIVEN, WRITTEN = "#999999", "#1f77b4"


def draw_piano_roll(steps: Sequence[Step], kind: str, given: int = 0) -> bytes:
    """The picture as .png or .svg; the first `given` steps, the beginning that was given, have another colour."""
    import matplotlib as mpl
    from matplotlib.figure import Figure  # heavy, and needed once

    if kind not in PICTURES:
        raise ValueError(f"a picture of {kind} cannot be drawn; use {' or '.join(PICTURES)}")
    figure = Figure(figsize=(min(24.0, 3 + len(steps) / 12), 4.5), layout="constrained")
    axes = figure.subplots()
    for start, end, pitch in held_notes(steps):
        cut = min(max(start, given), end)
        pieces = [(start, cut - start), (cut, end - cut)]
        axes.broken_barh(pieces, (pitch - 0.45, 0.9), facecolors=[GIVEN, WRITTEN])
    pitches = sorted({pitch for step in steps for pitch in step}) or [60]
    shown = [pitch for pitch in range(pitches[0], pitches[-1] + 1) if pitch % 12 in (0, 4, 7)]
    axes.set_yticks(shown, [f"{NAMES[pitch % 12]}{pitch // 12 - 1}" for pitch in shown])
    axes.set(xlabel="steps", xlim=(0, max(1, len(steps))), ylim=(pitches[0] - 1, pitches[-1] + 1))
    axes.grid(linewidth=0.3)
    # The same notes give the same bytes: no date, and ids from the content alone.
    with mpl.rc_context({"svg.hashsalt": "mirada", "svg.fonttype": "none"}):
        picture = io.BytesIO()
        figure.savefig(picture, format=kind[1:], dpi=110, metadata={"Date": None} if kind == ".svg" else None)
    return picture.getvalue()


def held_notes(steps: Sequence[Step]) -> list[tuple[int, int, int]]:
    """Each note: its first step, the step after its last, and its pitch; sounding on is one note."""
    found: list[tuple[int, int, int]] = []
    begun: dict[int, int] = {}
    for place, step in enumerate([*steps, frozenset[int]()]):
        found += [(begun.pop(pitch), place, pitch) for pitch in sorted(set(begun) - step)]
        for pitch in step:
            begun.setdefault(pitch, place)
    return sorted(found)
