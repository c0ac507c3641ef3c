"""The patterns that have a name: full, causal, window, strided, fixed, grid.

Legend: i query places, j key places, G tiles, T queries of a tile, K keys.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from mirada.attention.pattern.base import Band, Pattern, Tiles, require

GRID_TILE = 8  # side of a square tile of a grid: 8 × 8 queries share a halo, so that cost stays linear


@dataclass(frozen=True)
class Full(Pattern):
    """Every place looks at every place: the complete graph."""

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return torch.ones((), dtype=torch.bool, device=i.device).expand(torch.broadcast_shapes(i.shape, j.shape))

    @property
    def relative(self) -> bool:
        return True

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return True


@dataclass(frozen=True)
class Causal(Pattern):
    """j ≤ i: the past and oneself."""

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return j <= i

    @property
    def relative(self) -> bool:
        return True

    @property
    def band(self) -> Band:
        return Band(None, 0)

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return first >= keys - 1


@dataclass(frozen=True)
class Window(Pattern):
    """i − left ≤ j ≤ i + right. `Window(k, 0)` is the causal window of k places before and oneself."""

    left: int
    right: int

    def __post_init__(self) -> None:
        require(
            self.left >= 0 and self.right >= 0,
            f"window({self.left}, {self.right}): both sides count places away from oneself; use 0 or more",
        )

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        offset = j - i
        return (offset >= -self.left) & (offset <= self.right)

    @property
    def relative(self) -> bool:
        return True

    @property
    def band(self) -> Band:
        return Band(self.left, self.right)

    def covers(self, first: int, queries: int, keys: int) -> bool:
        return first + queries - 1 <= self.left and first + self.right >= keys - 1

    def split(self, length: int) -> tuple[Tiles, ...]:
        # Larger tiles compute more pairs for nothing, smaller ones gather a key more often: half a window is between.
        size = max(1, min(length, (self.left + self.right) // 2))
        starts = torch.arange(0, length, size)[:, None]
        queries = _inside(starts + torch.arange(size), length)
        keys = _inside(starts + torch.arange(-self.left, size + self.right), length)
        return (Tiles(queries, keys, self),)


@dataclass(frozen=True)
class Strided(Pattern):
    """(i − j) mod stride = 0: every stride-th place, before and after."""

    stride: int

    def __post_init__(self) -> None:
        require(self.stride >= 1, f"strided({self.stride}): the stride is a number of places; use 1 or more")

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return (i - j) % self.stride == 0

    @property
    def relative(self) -> bool:
        return True

    def split(self, length: int) -> tuple[Tiles, ...]:
        # Places with the same remainder see one another and nobody else: one tile for each remainder.
        remainders = torch.arange(min(self.stride, length))[:, None]
        places = _inside(remainders + torch.arange(0, max(length, 1), self.stride), length)
        return (Tiles(places, places, self),)


@dataclass(frozen=True)
class Fixed(Pattern):
    """The same block of `block` places, or the last `summary` places of any block (Child et al. 2019, eq. 6)."""

    block: int
    summary: int

    def __post_init__(self) -> None:
        require(self.block >= 1, f"fixed({self.block}, {self.summary}): a block holds 1 place or more")
        require(
            0 <= self.summary <= self.block,
            f"fixed({self.block}, {self.summary}): the summary is a part of the block; use 0 to {self.block}",
        )

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return (i // self.block == j // self.block) | (j % self.block >= self.block - self.summary)

    def forgets(self, later: int, places: Int[Tensor, "K"]) -> Bool[Tensor, "K"]:
        return (places // self.block < later // self.block) & (places % self.block < self.block - self.summary)

    def split(self, length: int) -> tuple[Tiles, ...]:
        # A tile is a block; its keys are the block itself and the summaries of all other blocks.
        size = min(self.block, max(length, 1))
        blocks = _inside(torch.arange(0, length, self.block)[:, None] + torch.arange(size), length)
        everything = torch.arange(length)
        summaries = everything[everything % self.block >= self.block - self.summary]
        own = summaries[None] // self.block == torch.arange(len(blocks))[:, None]
        others = summaries.expand(len(blocks), -1).masked_fill(own, -1)
        return (Tiles(blocks, torch.cat([blocks, others], 1), self),)


@dataclass(frozen=True)
class Grid(Pattern):
    """Places of a picture, row by row: those within `radius` in both axes. A prefix place sees all.

    The first `prefix` places (a class token) stand outside the picture: they see every place, and the places
    of the picture do not see them.
    """

    height: int
    width: int
    radius: int
    prefix: int = 0

    def __post_init__(self) -> None:
        require(self.height >= 1 and self.width >= 1, f"{self}: height and width are 1 or more")
        require(self.radius >= 0 and self.prefix >= 0, f"{self}: radius and prefix are 0 or more")

    def allows(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        i, j = i - self.prefix, j - self.prefix
        rows = (i // self.width - j // self.width).abs() <= self.radius
        columns = (i % self.width - j % self.width).abs() <= self.radius
        return (i < 0) | (rows & columns & (j >= 0))

    @property
    def band(self) -> Band:
        if self.prefix:
            return Band(None, None)
        reach = self.radius * self.width + self.radius
        return Band(reach, reach)

    @property
    def places(self) -> int | None:
        return self.prefix + self.height * self.width

    def split(self, length: int) -> tuple[Tiles, ...]:
        queries = self._windows(0)
        keys = self._windows(self.radius)
        picture = Tiles(_inside(queries, length), _inside(keys, length), self)
        prefix = torch.arange(min(self.prefix, length))
        if not len(prefix):
            return (picture,)
        return (picture, Tiles(prefix[None], torch.arange(length)[None], self))

    def _windows(self, halo: int) -> Int[Tensor, "G T"]:
        """The places of each square tile, `halo` places wider on every side; −1 outside the picture."""
        reach = torch.arange(-halo, GRID_TILE + halo)
        rows = torch.arange(0, self.height, GRID_TILE)[:, None] + reach
        columns = torch.arange(0, self.width, GRID_TILE)[:, None] + reach
        row, column = rows[:, None, :, None], columns[None, :, None, :]
        outside = (row < 0) | (row >= self.height) | (column < 0) | (column >= self.width)
        places = (self.prefix + row * self.width + column).masked_fill(outside, -1)
        return places.reshape(len(rows) * len(columns), -1)

    def __str__(self) -> str:
        prefix = f", prefix={self.prefix}" if self.prefix else ""
        return f"grid({self.height}, {self.width}, {self.radius}{prefix})"


def _inside(places: Int[Tensor, "G T"], length: int) -> Int[Tensor, "G T"]:
    return places.masked_fill((places < 0) | (places >= length), -1)
