"""Patches of a picture as a sequence of a view, with the picture itself as the model reads it.

The frames of a clip stand below one another, as its patches do: a strip of film from top to bottom.

Legend: F frames, Y rows, X columns of pixels, C colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from jaxtyping import UInt8
from PIL import Image

from mirada.corpora.pair import CorpusError, Fault
from mirada.corpora.pictures.decoding import is_picture
from mirada.corpora.pictures.picture import Found, Picture
from mirada.layers.patches import PatchGrid
from mirada.viewing import contract
from mirada.viewing.sequences import MOST_TOKENS
from mirada.viewing.small_png import small_png

LARGEST = 512  # pixels of a side of the picture in a page; a model may read larger ones


def require_pictures(path: Path) -> None:
    """Refuse a path where nothing is, before a model is loaded."""
    if not path.exists():
        raise CorpusError(f"{path} does not exist; name a picture, a folder or a table of pictures, an npz or idx file")


def picture_of(found: Iterator[Found], path: Path, number: int | None) -> Picture:
    """Picture `number` of all that a path holds, counted from 1; the first where none is named."""
    wanted = 1 if number is None else number
    before = sum(1 for _ in islice(found, wanted - 1))
    one = next(found, None)
    if one is None:
        raise CorpusError(f"{path} has no picture {wanted:,}; it holds {before:,}")
    if isinstance(one, Fault):
        raise CorpusError(f"there is nothing to look at in {path}: {one.reason}")
    return one


def name_of(picture: Picture, path: Path) -> str:
    """What a picture is called: the name of its file, with its number where that holds several."""
    file = Path(picture.place.file)
    return file.name if is_picture(file) or file != path else f"{file.name}:{picture.place.number}"


def patches_of(pixels: UInt8[np.ndarray, "F Y X C"], grid: PatchGrid, prefix: int = 0) -> contract.Sequence:
    """The places that a picture is read as: a class token before, where there is one, then its patches."""
    places = prefix + grid.places
    if places > MOST_TOKENS:
        raise CorpusError(
            f"this model cuts a picture into {grid.places:,} patches, and {MOST_TOKENS:,} can be looked at; look at "
            "one with larger patches"
        )
    return contract.Sequence(
        kind="patches",
        labels=("class",) * prefix + _labels(grid),
        words=tuple(range(places)),
        marks=dict.fromkeys(range(prefix), "class"),
        grid=(grid.frames * grid.rows, grid.columns),
        picture=_png(pixels),
    )


def _labels(grid: PatchGrid) -> tuple[str, ...]:
    """Row and column of each patch, counted from 1; the frame before, where there are several."""
    frames = [f"{frame + 1}: " for frame in range(grid.frames)] if grid.frames > 1 else [""]
    return tuple(
        f"{frame}{row + 1}, {column + 1}"
        for frame in frames
        for row in range(grid.rows)
        for column in range(grid.columns)
    )


def _png(pixels: UInt8[np.ndarray, "F Y X C"]) -> str:
    """A PNG file of all frames in base64, made smaller where it is large."""
    frames, height, width, colours = pixels.shape
    strip = pixels.reshape(frames * height, width, colours)
    image = Image.fromarray(strip[..., 0] if colours == 1 else strip)
    return small_png(image, LARGEST, LARGEST * frames)
