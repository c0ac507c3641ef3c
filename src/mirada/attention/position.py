"""Positions: how order enters.

Legend: B batch, H heads, N places, D head width, W model width, R = 2 · radius + 1 relative places.

`Sinusoidal` and `Learned` join the input, by sum or side by side (`PositionalInput`). `Rotary` turns queries and keys,
`Shaw` adds to keys and values what depends on j − i; both live inside the attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from mirada.operations.choice import compiled
from mirada.operations.turns import turn


@dataclass(frozen=True)
class Sinusoidal:
    """Sines and cosines of falling frequency: PE(p, 2i) = sin(p / base^(2i/W)), PE(p, 2i+1) = cos(the same)."""

    base: float = 10_000.0

    def __post_init__(self) -> None:
        _require_base(self.base, "sinusoidal")


@dataclass(frozen=True)
class Learned:
    """A learned vector for each of `places` places."""

    places: int

    def __post_init__(self) -> None:
        if self.places < 1:
            raise ValueError(f"learned.places = {self.places}; use 1 or more")


@dataclass(frozen=True)
class Shaw:
    """Relative positions (Shaw et al. 2018, eq. 3–4): a learned vector for clip(j − i, −radius, radius).

    `keys` adds it to the key before the score (a^K), `values` to the value before the sum (a^V). All heads share it.
    """

    radius: int
    keys: bool = True
    values: bool = True

    def __post_init__(self) -> None:
        if self.radius < 0:
            raise ValueError(f"shaw.radius = {self.radius}; use 0 or more")
        if not (self.keys or self.values):
            raise ValueError("shaw without keys and without values has no effect; turn one on, or use no position")


@dataclass(frozen=True)
class Rotary:
    """Turn pairs of query and key coordinates by an angle that grows with the place (Su et al. 2021, eq. 34).

    ⟨R_i q, R_j k⟩ depends on j − i alone. Coordinate d is paired with d + D/2, not d + 1: the halves are contiguous.
    """

    base: float = 10_000.0

    def __post_init__(self) -> None:
        _require_base(self.base, "rotary")


Position = Sinusoidal | Learned | Shaw | Rotary | None


def _require_base(base: float, name: str) -> None:
    if base <= 1:
        raise ValueError(f"{name}.base = {base}; frequencies fall only for a base above 1")


def sinusoidal(places: Int[Tensor, "N"], width: int, base: float) -> Float[Tensor, "N W"]:
    """The table of `Sinusoidal` at these places (Vaswani et al. 2017, 3.5), in float32."""
    pairs = (width + 1) // 2
    frequencies = base ** (-2 * torch.arange(pairs, device=places.device, dtype=torch.float64) / width)
    angles = places.double()[:, None] * frequencies
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :width].float()


class PositionalInput(nn.Module):
    """Input states with their places, joined by sum or side by side.

    `add`: x + p(place). `concatenate`: (x, p(place)), wider by `width`.
    """

    def __init__(self, position: Sinusoidal | Learned, width: int, join: Literal["add", "concatenate"] = "add") -> None:
        super().__init__()
        if join not in ("add", "concatenate"):
            raise ValueError(f"join = {join!r}; positions join the input by 'add' or 'concatenate'")
        self.position = position
        self.width = width
        self.join = join
        self.table = nn.Parameter(torch.empty(position.places, width)) if isinstance(position, Learned) else None
        if self.table is not None:
            nn.init.normal_(self.table, std=width**-0.5)

    def forward(
        self, x: Float[Tensor, "B N X"], offset: int = 0, places: Int[Tensor, "N"] | None = None
    ) -> Float[Tensor, "B N Y"]:
        """The states joined with their places: one after the other from `offset` on, or as they are given."""
        if self.join == "add" and x.shape[-1] != self.width:
            raise ValueError(f"positions of width {self.width} cannot be added to an input of width {x.shape[-1]}")
        if offset < 0:
            raise ValueError(f"the first state stands at place {offset}; places count from 0")
        if places is None:
            places = torch.arange(offset, offset + x.shape[1], device=x.device)
        vectors = self.vectors(places).to(x.dtype)
        if self.join == "add":
            return x + vectors
        return torch.cat([x, vectors.expand(*x.shape[:-1], self.width)], -1)

    def vectors(self, places: Int[Tensor, "N"]) -> Float[Tensor, "N W"]:
        """p(place) for each place."""
        if isinstance(self.position, Sinusoidal) or self.table is None:
            base = self.position.base if isinstance(self.position, Sinusoidal) else 0
            return sinusoidal(places, self.width, base)
        if len(places) and int(places.max()) >= self.position.places:
            raise ValueError(
                f"place {int(places.max())} was never learned: positions are Learned({self.position.places}); "
                f"shorten the input or train with more places"
            )
        return self.table[places]


def rotate(x: Float[Tensor, "B H N D"], start: int, base: float) -> Float[Tensor, "B H N D"]:
    """R_place x: each pair (x_d, x_{d+D/2}) turned by the angle place · base^(−2d/D), from place `start` on."""
    by_library = x.numel() > 0 and compiled(x)
    precision = torch.float32 if by_library else x.dtype
    cosines, sines = _turns(start, x.shape[2], x.shape[3] // 2, base, precision, x.device)
    if by_library:
        return turn(x, cosines, sines)
    return _Turned.apply(x, cosines, sines)  # type: ignore[no-untyped-call]


@lru_cache(maxsize=16)  # all layers and steps of a training share one entry: made anew it was a thirtieth of a step
def _turns(
    start: int, count: int, half: int, base: float, dtype: torch.dtype, device: torch.device
) -> tuple[Float[Tensor, "N D2"], Float[Tensor, "N D2"]]:
    """Cosine and sine of the angles by which `count` places turn their pairs."""
    with torch.inference_mode(False):  # a training may use later what was made for a look
        frequencies = base ** (-torch.arange(half, device=device, dtype=torch.float64) / half)
        angles = torch.arange(start, start + count, device=device).double()[:, None] * frequencies
        return angles.cos().to(dtype), angles.sin().to(dtype)


class _Turned(torch.autograd.Function):
    """Pairs turned by angles; a gradient is turned back.

    The result is the only thing that is allocated. Halves that were made by themselves left holes between what is kept
    for the backward pass, in which nothing found place again (docs/experiments.md).
    """

    @staticmethod
    def forward(
        ctx: Any, x: Float[Tensor, "B H N D"], cosine: Float[Tensor, "N D2"], sine: Float[Tensor, "N D2"]
    ) -> Float[Tensor, "B H N D"]:
        ctx.save_for_backward(cosine, sine)
        return _turned(x, cosine, sine, 1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Float[Tensor, "B H N D"]) -> tuple[Tensor | None, ...]:
        cosine, sine = ctx.saved_tensors
        return _turned(gradient, cosine, sine, -1), None, None


def _turned(
    x: Float[Tensor, "B H N D"], cosine: Float[Tensor, "N D2"], sine: Float[Tensor, "N D2"], sign: int
) -> Float[Tensor, "B H N D"]:
    turned = torch.empty_like(x)
    (one, other), (to_one, to_other) = x.chunk(2, -1), turned.chunk(2, -1)
    torch.mul(one, cosine, out=to_one).addcmul_(other, sine, value=-sign)
    torch.mul(other, cosine, out=to_other).addcmul_(one, sine, value=sign)
    return turned


class RelativePositions(nn.Module):
    """The learned tables of `Shaw`: a^K and a^V for every clipped offset."""

    def __init__(self, shaw: Shaw, key_width: int, value_width: int) -> None:
        super().__init__()
        self.radius = shaw.radius
        size = 2 * shaw.radius + 1
        self.keys = nn.Parameter(torch.empty(size, key_width)) if shaw.keys else None
        self.values = nn.Parameter(torch.empty(size, value_width)) if shaw.values else None
        for table in (self.keys, self.values):
            if table is not None:
                nn.init.xavier_uniform_(table)

    def index(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> Int[Tensor, "..."]:
        """The table's row for query place i and key place j: clip(j − i, −radius, radius) + radius."""
        return (j - i).clamp(-self.radius, self.radius) + self.radius
