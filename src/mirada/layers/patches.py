"""Patches: a picture, or the frames of a clip, as a sequence of states.

Legend: B batch, F frames, C colours, Y rows, X columns of pixels; N patches of all frames, P numbers of a patch,
W width of the states.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from mirada.attention.position import sinusoidal

PatchPosition = Literal["learned", "sinusoidal", "none"]
BASE = 10_000.0


@dataclass(frozen=True, slots=True)
class PatchGrid:
    """How pictures are cut: so many frames of so many rows and columns of square patches."""

    frames: int
    rows: int
    columns: int
    patch: int  # pixels of a side
    channels: int

    @property
    def places(self) -> int:
        """How many patches there are."""
        return self.frames * self.rows * self.columns

    @property
    def numbers(self) -> int:
        """How many numbers a patch has."""
        return self.channels * self.patch**2


def cut(pictures: Float[Tensor, "B F C Y X"], patch: int) -> Float[Tensor, "B N P"]:
    """The patches of pictures, frame by frame, each frame row by row; the numbers of a patch colour by colour."""
    batch, frames, channels, height, width = pictures.shape
    if height % patch or width % patch:
        raise ValueError(f"pictures of {height} × {width} pixels cannot be cut into patches of {patch} × {patch}")
    parts = pictures.reshape(batch, frames, channels, height // patch, patch, width // patch, patch)
    return parts.permute(0, 1, 3, 5, 2, 4, 6).reshape(batch, -1, channels * patch**2)


class Patches(nn.Module):
    """W x_n + b for each patch x_n (Dosovitskiy et al. 2021, eq. 1): a convolution whose stride is its size."""

    def __init__(self, grid: PatchGrid, width: int) -> None:
        super().__init__()
        self.grid = grid
        self.map = nn.Linear(grid.numbers, width)

    def forward(self, pictures: Float[Tensor, "B F C Y X"]) -> Float[Tensor, "B N W"]:
        return self.map(cut(pictures, self.grid.patch).to(self.map.weight.dtype))


class ConvolutionalPatches(nn.Module):
    """Patches that know a little of their neighbours: convolutions of 3 × 3 that halve the picture, then a linear map.

    A stem of convolutions in place of one large stride lets small Transformers learn faster (Xiao et al. 2021). The
    patch is a power of two. Each halving doubles the colours, up to the width; between two of them stands a convolution
    that keeps the size.
    """

    def __init__(self, grid: PatchGrid, width: int) -> None:
        super().__init__()
        halvings = grid.patch.bit_length() - 1
        if grid.patch != 1 << halvings or not halvings:
            raise ValueError(
                f"a stem of convolutions halves the picture; patches of {grid.patch} pixels are no 2, 4, 8…"
            )
        self.grid = grid
        widths = [grid.channels, *(max(8, width >> (halvings - number)) for number in range(1, halvings + 1))]
        layers = list[nn.Module]()
        for number, (before, after) in enumerate(pairwise(widths)):
            if number:
                layers += [nn.Conv2d(before, before, 3, padding=1), nn.ReLU()]
            layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.ReLU()]
        self.convolutions = nn.Sequential(*layers)
        self.map = nn.Linear(widths[-1], width)

    def forward(self, pictures: Float[Tensor, "B F C Y X"]) -> Float[Tensor, "B N W"]:
        batch = len(pictures)
        states = self.convolutions(pictures.flatten(0, 1).to(self.map.weight.dtype))
        return self.map(states.flatten(2).transpose(1, 2)).reshape(batch, self.grid.places, -1)


class PatchPlaces(nn.Module):
    """Where each patch stands: a learned vector for each place, or sines and cosines of row, column and frame.

    The sinusoidal ones share the width evenly between the axes, as the 2-D positions of He et al. (2022) do; a clip has
    time as its third axis. The places of a prefix (a class token) have learned vectors too, or none.
    """

    def __init__(self, grid: PatchGrid, width: int, kind: PatchPosition, prefix: int = 0) -> None:
        super().__init__()
        self.grid, self.width, self.kind, self.prefix = grid, width, kind, prefix
        if kind == "sinusoidal":
            _shares(grid, width)
        self.table = nn.Parameter(torch.empty(prefix + grid.places, width)) if kind == "learned" else None
        if self.table is not None:
            nn.init.normal_(self.table, std=0.02)

    def forward(self, states: Float[Tensor, "B N W"]) -> Float[Tensor, "B N W"]:
        places = self.vectors()
        return states if places is None else states + places.to(states)

    def vectors(self) -> Float[Tensor, "N W"] | None:
        """What is added at each place, those of the prefix first; None where places are not told apart."""
        if self.table is not None or self.kind == "none":
            return self.table
        places = sinusoidal_places(self.grid, self.width)
        return torch.cat([places.new_zeros(self.prefix, self.width), places])


def sinusoidal_places(grid: PatchGrid, width: int) -> Float[Tensor, "N W"]:
    """Sines and cosines of the frame, where there are several, the row and the column, side by side."""
    places = torch.cartesian_prod(*(torch.arange(length) for length in _axes(grid)))
    return torch.cat([sinusoidal(places[:, axis], wide, BASE) for axis, wide in enumerate(_shares(grid, width))], 1)


def _axes(grid: PatchGrid) -> list[int]:
    return [grid.frames, grid.rows, grid.columns] if grid.frames > 1 else [grid.rows, grid.columns]


def _shares(grid: PatchGrid, width: int) -> list[int]:
    """How many coordinates each axis has: an even number, the last one the rest."""
    axes = len(_axes(grid))
    share = width // axes // 2 * 2
    if share < 2:
        raise ValueError(f"width = {width} is too narrow for the places of {axes} axes; use {2 * axes} or more")
    return [share] * (axes - 1) + [width - share * (axes - 1)]
