"""Small PNG files of pictures, as text."""

from __future__ import annotations

import base64
from io import BytesIO

from PIL import Image


def small_png(image: Image.Image, width: int, height: int) -> str:
    """A PNG file in base64 of an image, made smaller where it is larger than this."""
    image.thumbnail((width, height))
    file = BytesIO()
    image.save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode("ascii")
