"""Looks over a picture as an SVG file: a tile for each word, clear where it looks and in fog elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from PIL import Image
from rich.cells import cell_len

from mirada.viewing.contract import View
from mirada.viewing.heat import Chosen, title
from mirada.viewing.packing import from_base64
from mirada.viewing.picture import cut_label, svg_head
from mirada.viewing.small_png import small_png
from mirada.viewing.tiles import Tile, tiles_of

ACROSS = 6  # tiles of a line
SIDE = 168  # pixels of a tile's longer side
FINE = 2  # pixels of fine screens in one of a tile
GAP, EDGE, CAPTION, LABEL = 14, 16, 28, 40
LETTER = 7.2  # pixels of a letter, rounded up over the usual fonts
FOG = 0.85  # what is not looked at shows through a little
DARK = 110  # the mean brightness, of 255, below which a picture is dark

# See `mirada.viewing.picture` for the long class names, without ids.
_STYLE = """
.mirada-tiles { --paper: #ffffff; --ink: #1f2733; --faint: #5c6675; }
@media (prefers-color-scheme: dark) { .mirada-tiles { --paper: #14171c; --ink: #e8ecf2; --faint: #9aa5b4; } }
.mirada-tiles .paper { fill: var(--paper); }
.mirada-tiles image { image-rendering: pixelated; }
.mirada-tiles .fog.dark { fill: #262c3a; }
.mirada-tiles .fog.light { fill: #c4ccdb; }
.mirada-tiles text { fill: var(--ink); font: 13px ui-sans-serif, system-ui, sans-serif; }
.mirada-tiles .faint { fill: var(--faint); font-size: 12px; }
""".strip()


def as_picture(view: View, chosen: Chosen, *, subwords: bool = False) -> str:
    """The tiles of a head, or of the mean of all, in light or dark as the reader's screen is."""
    tiles = tiles_of(view, chosen, subwords=subwords)
    rows, columns = tiles[0].weights.shape
    cell = max(1, SIDE // max(rows, columns))  # whole pixels: there is no seam between patches
    across, wide, tall = min(ACROSS, len(tiles)), cell * columns, cell * rows + LABEL
    whole = view.sequences[view.maps[chosen.number].keys].picture
    picture = None if whole is None else _shrunk(whole, FINE * wide, FINE * cell * rows)
    caption, fog = title(view, chosen), _fog(picture)
    height = CAPTION + EDGE + -(-len(tiles) // across) * (tall + GAP) + EDGE
    width = round(2 * EDGE + max(across * (wide + GAP) - GAP, LETTER * cell_len(caption)))
    parts = [
        *svg_head("mirada-tiles", _STYLE, (width, height), caption, _described(tiles)),
        f'<text class="faint" x="{EDGE}" y="{CAPTION}">{escape(caption)}</text>',
    ]
    for number, tile in enumerate(tiles):
        x = EDGE + (number % across) * (wide + GAP)
        y = CAPTION + EDGE + (number // across) * (tall + GAP)
        parts += [f'<g transform="translate({x} {y})">', *_tile(tile, picture, cell, fog), "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _described(tiles: list[Tile]) -> str:
    """For each tile the patch that is looked at most, for those who cannot see it."""
    places = [divmod(int(tile.weights.argmax()), tile.weights.shape[1]) for tile in tiles]
    looks = [
        f"{tile.label} at row {row + 1}, column {column + 1}" for tile, (row, column) in zip(tiles, places, strict=True)
    ]
    return f"Each looks most: {', '.join(looks)}."


def _shrunk(picture: str, width: int, height: int) -> str:
    """A picture no larger than a tile shows: each tile holds it, since without ids none can refer to another's."""
    with Image.open(BytesIO(from_base64(picture)), formats=["PNG"]) as image:
        return small_png(image, width, height)


def _fog(picture: str | None) -> str:
    """What hides a picture: a dark fog a bright one, a light fog a dark one."""
    if picture is None:
        return "dark"
    with Image.open(BytesIO(from_base64(picture)), formats=["PNG"]) as image:
        return "light" if np.asarray(image.convert("L")).mean() < DARK else "dark"


def _tile(tile: Tile, picture: str | None, cell: int, fog: str) -> Iterator[str]:
    rows, columns = tile.weights.shape
    wide, tall = cell * columns, cell * rows
    if picture is not None:
        source = quoteattr(f"data:image/png;base64,{picture}")
        yield f'<image width="{wide}" height="{tall}" preserveAspectRatio="none" href={source}/>'
    yield f'<g class="fog {fog}">'
    for place, share in enumerate(tile.shares.ravel().tolist()):
        row, column = divmod(place, columns)
        box = f'x="{cell * column}" y="{cell * row}" width="{cell}" height="{cell}"'
        yield f'<rect {box} fill-opacity="{FOG * (1 - share):.2f}"/>'
    yield "</g>"
    yield f'<text y="{tall + 17}">{escape(cut_label(tile.label))}</text>'
    yield f'<text class="faint" y="{tall + 33}">most {tile.most:.3f}</text>'
