"""Fitting: frames of any size and number brought to the one shape of a run."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mirada.corpora.pictures.decoding import spread
from mirada.corpora.pictures.picture import Frame, Picture, PictureShape

LOOKED_AT = 64  # pictures that the shape of all is chosen by
KEPT_SIDE, USUAL_SIDE = 96, 64  # pictures up to the first keep their size, larger ones get the second
WHOLE, LARGE = 4, 32  # a chosen side is a multiple of it, or of twice as much where it is large: patches divide it
USUAL_FRAMES = 16  # at most, of a clip


def fit(picture: Picture, shape: PictureShape) -> NDArray[np.uint8]:
    """A picture in this shape, [F, H, W, C]: resampled, its colours joined or repeated, its frames taken evenly."""
    count = len(picture.frames)
    chosen = spread(count, shape.frames) if count >= shape.frames else _repeated(count, shape.frames)
    return np.stack([fit_frame(picture.frames[number], shape) for number in chosen])


def fit_frame(frame: Frame, shape: PictureShape) -> NDArray[np.uint8]:
    """One frame in this shape, [H, W, C]."""
    colours = 3 if frame.ndim == 3 else 1
    if frame.shape[:2] != (shape.height, shape.width) or colours > shape.channels:
        image = Image.fromarray(frame)
        if colours > shape.channels:
            image = image.convert("L")
        if image.size != (shape.width, shape.height):
            # Pillow's bilinear filter widens as it shrinks, so nothing is skipped.
            image = image.resize((shape.width, shape.height), Image.Resampling.BILINEAR, reducing_gap=3.0)
        frame = np.array(image)
    if frame.ndim == 2:
        frame = frame[..., None]
    return frame if frame.shape[-1] == shape.channels else np.repeat(frame, shape.channels, axis=-1)


def choose_shape(
    pictures: Iterable[Picture], size: tuple[int, int] | None, frames: int | None, channels: int | None
) -> PictureShape | None:
    """The shape that suits the first pictures, where nothing else is asked for; None where there are none.

    Small pictures keep the size of the first one; colour and frames are those of the richest.
    """
    seen = list(islice(pictures, LOOKED_AT))
    if not seen:
        return None
    height, width = _own_size(seen[0].frames[0]) if size is None else size
    most = max(len(one.frames) for one in seen)
    coloured = any(frame.ndim == 3 for one in seen for frame in one.frames)
    return PictureShape(
        frames=min(USUAL_FRAMES, most) if frames is None else frames,
        height=height,
        width=width,
        channels=3 if (channels == 3 or (channels is None and coloured)) else 1,
    )


def _own_size(frame: Frame) -> tuple[int, int]:
    height, width = frame.shape[:2]
    if max(height, width) > KEPT_SIDE:
        return USUAL_SIDE, USUAL_SIDE
    return _rounded(height), _rounded(width)


def _rounded(side: int) -> int:
    whole = WHOLE if side <= LARGE else 2 * WHOLE
    return side if side <= 2 * WHOLE else whole * round(side / whole)


def _repeated(count: int, wanted: int) -> list[int]:
    """The numbers of few frames, each as often as it takes to be `wanted`, in their order."""
    return [number * count // wanted for number in range(wanted)]
