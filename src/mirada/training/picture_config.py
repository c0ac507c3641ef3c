"""How pictures are read, whatever is learnt from them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mirada.corpora.pictures.listing import GROUP
from mirada.corpora.pictures.picture import LARGEST_SIDE, MOST_FRAMES, PictureShape
from mirada.data.augment import Augmentation, default_shift
from mirada.models.config import Strict


class PicturesConfig(Strict):
    """From pictures to bytes of one shape."""

    size: int | tuple[int, int] | None = Field(
        default=None, description="pixels of a side, or [height, width]; small pictures keep theirs"
    )
    channels: Literal[1, 3] | None = Field(default=None, description="1 for gray, 3 for colour; by the pictures")
    frames: int | None = Field(default=None, ge=1, le=MOST_FRAMES, description="of a clip; by the clips, at most 16")
    group: str = Field(default=GROUP, max_length=100, description="the column that says what belongs together")
    shift: int | None = Field(default=None, ge=0, le=LARGEST_SIDE, description="pixels, by chance; by the size")
    flip: bool = Field(default=False, description="whether a picture may be mirrored: a shoe may, a letter may not")
    dev_share: float = Field(default=0.05, ge=0, lt=0.5)
    test_share: float = Field(default=0.05, ge=0, lt=0.5)

    @property
    def sides(self) -> tuple[int, int] | None:
        """Height and width, where they are given."""
        return (self.size, self.size) if isinstance(self.size, int) else self.size


def sketched_shape(config: PicturesConfig, patch: int | None) -> PictureShape:
    """The shape of pictures that nobody has seen yet, as far as it is told."""
    sides = config.sides or ((8 * patch, 8 * patch) if patch is not None else (64, 64))
    return PictureShape(height=sides[0], width=sides[1], channels=config.channels or 3, frames=config.frames or 1)


def augmentation_of(config: PicturesConfig, shape: PictureShape) -> Augmentation:
    """How the pictures of a run are changed by chance."""
    shift = default_shift(shape.height, shape.width) if config.shift is None else config.shift
    return Augmentation(shift, config.flip)
