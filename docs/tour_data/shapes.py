"""Small pictures of one shape in one colour, somewhere on a ground of noise, with captions in two languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

COUNT, FIRST_DEV, FIRST_TEST = 900, 630, 720
SIDE = 24  # pixels
COLOURS = {"red": ("rojo", (214, 40, 40)), "green": ("verde", (46, 160, 67)), "blue": ("azul", (31, 97, 214))}
SHAPES = {"circle": "círculo", "square": "cuadrado", "triangle": "triángulo"}
HEADS = {"shapes": "picture\tlabel", "captions": "picture\ten\tes"}


def write(folder: Path) -> None:
    """Write shapes/: the pictures, a table of their labels and one of their captions, each in three parts."""
    (folder / "shapes").mkdir()
    dice = np.random.default_rng(1)
    rows: dict[str, list[str]] = {"shapes": [], "captions": []}
    for number in range(COUNT):
        colour, shape = list(COLOURS)[number % 3], list(SHAPES)[number // 3 % 3]
        name = f"{number:03}.png"
        _drawn(shape, COLOURS[colour][1], dice).save(folder / "shapes" / name)
        rows["shapes"].append(f"{name}\t{shape}\n")
        rows["captions"].append(f"{name}\ta {colour} {shape}\tun {SHAPES[shape]} {COLOURS[colour][0]}\n")
    parts = {"train": slice(FIRST_DEV), "dev": slice(FIRST_DEV, FIRST_TEST), "test": slice(FIRST_TEST, COUNT)}
    for table, lines in rows.items():
        for part, places in parts.items():
            text = f"{HEADS[table]}\n{''.join(lines[places])}"
            (folder / "shapes" / f"{table}-{part}.tsv").write_text(text, encoding="utf-8")


def _drawn(shape: str, colour: tuple[int, int, int], dice: np.random.Generator) -> Image.Image:
    picture = Image.fromarray(dice.integers(200, 256, (SIDE, SIDE, 3), dtype=np.uint8))
    size = int(dice.integers(11, 18))
    left, top = (int(place) for place in dice.integers(0, SIDE - size, 2))
    box, brush = (left, top, left + size, top + size), ImageDraw.Draw(picture)
    match shape:
        case "circle":
            brush.ellipse(box, colour)
        case "square":
            brush.rectangle(box, colour)
        case _:
            brush.polygon([(left + size // 2, top), (left + size, top + size), (left, top + size)], colour)
    return picture
