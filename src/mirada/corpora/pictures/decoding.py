"""Decoding: from a file of any common format to frames of bytes, or to the reason why there are none.

A file from outside may be torn, foreign, or made to fill the memory. What is wrong with one is a sentence of its own;
the others are read on.
"""

from __future__ import annotations

import re
import struct
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, ImageSequence

from mirada.corpora.pictures.picture import MOST_FRAMES, Frame

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "PPM")  # none that calls another program
SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".ppm", ".pgm", ".pbm"})
LARGEST_FILE = 256_000_000  # bytes
MOST_PIXELS = 64_000_000  # of one frame
MOST_PIXELS_OF_ALL = 512_000_000  # of all frames of a clip, decoded one by one
FEWEST_SIDE = 2  # 1 × 1 is no picture: most are the traces of a download that failed
# What Pillow raises for files that are torn or no pictures, whatever part of it notices.
DAMAGED = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    OverflowError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
)
WHITE = (255, 255, 255, 255)


class UndecodableError(ValueError):
    """A file that gives no picture, with the reason."""


def is_picture(path: Path) -> bool:
    """Whether a file is named as a picture is."""
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def decode(path: Path, most: int) -> tuple[Frame, ...]:
    """The frames of a picture, an animation, or a folder of pictures in the order of their names: `most`, evenly."""
    if path.is_dir():
        files = sorted(filter(is_picture, path.iterdir()), key=_natural)
        if not files:
            raise UndecodableError(f"the folder {path.name} holds no picture")
        return tuple(decode(files[place], 1)[0] for place in spread(len(files), most))
    try:
        size = path.stat().st_size
    except OSError as error:
        raise UndecodableError(f"it cannot be read: {error.strerror}") from None
    if size > LARGEST_FILE:
        raise UndecodableError(f"{size:,} bytes; at most {LARGEST_FILE:,} are read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd metadata, which nobody here reads
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            with Image.open(path, formats=FORMATS) as image:
                return tuple(_frames(image, most))
        except UndecodableError:
            raise
        except DAMAGED as error:
            raise UndecodableError(f"it is damaged or no picture: {_first_line(error)}") from None


def spread(count: int, most: int) -> Sequence[int]:
    """The numbers of at most so many of `count` things, taken evenly from all, the first and the last among them."""
    if count <= most:
        return range(count)
    return np.linspace(0, count - 1, most).round().astype(np.int64).tolist()


def _frames(image: Image.Image, most: int) -> Iterator[Frame]:
    width, height = image.size
    if min(width, height) < FEWEST_SIDE:
        raise UndecodableError(f"{height} × {width} pixels; a picture has {FEWEST_SIDE} × {FEWEST_SIDE} or more")
    count = int(getattr(image, "n_frames", 1))
    if width * height > MOST_PIXELS or count * width * height > MOST_PIXELS_OF_ALL or count > MOST_FRAMES:
        raise UndecodableError(f"{count} frames of {height} × {width} pixels are more than are read")
    wanted = set(spread(count, most))
    if len(wanted) == 1:
        yield _as_bytes(ImageOps.exif_transpose(image))
        return
    for number, frame in enumerate(ImageSequence.Iterator(image)):
        if number in wanted:
            yield _as_bytes(frame)


def _as_bytes(image: Image.Image) -> Frame:
    """A decoded image in gray or colour; what is transparent shows white."""
    if image.mode.startswith("I;16"):
        return (np.asarray(image) >> 8).astype(np.uint8)
    if image.mode in ("1", "L"):
        return np.array(image.convert("L"))
    if image.mode in ("I", "F"):
        raise UndecodableError(f"its numbers (mode {image.mode}) have no range; save it with 8 or 16 bits, or as npz")
    if "transparency" in image.info or "A" in image.mode or "a" in image.mode:
        drawn = image.convert("RGBA")
        drawn = Image.alpha_composite(Image.new("RGBA", drawn.size, WHITE), drawn)
        return np.array(drawn.convert("L" if image.mode in ("LA", "La") else "RGB"))
    return np.array(image.convert("RGB"))


def _natural(path: Path) -> list[tuple[int, str]]:
    """An order in which frame 2 comes before frame 10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", path.name)]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
