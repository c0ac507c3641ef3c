"""Positions as pictures: what a model knows of order, as small tables.

Legend: N places, C coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from mirada.attention import Attention, PositionalInput, Rotary, Shaw, Sinusoidal
from mirada.attention.position import RelativePositions
from mirada.layers.patches import PatchPlaces
from mirada.models.words import write_word
from mirada.viewing.contract import Positions
from mirada.viewing.packing import pack_table

WIDEST = 64  # coordinates of a picture; a wider table is shown by every second, fourth … of its coordinates


def positions_of(model: nn.Module, attentions: Sequence[Attention], places: int) -> tuple[Positions, ...]:
    """How order enters a model: at its input, and inside each attention; what is the same is told once."""
    found = list[Positions]()
    for module in model.modules():
        if isinstance(module, PositionalInput):
            found.append(_at_input(module, _known(module, places)))
        elif isinstance(module, PatchPlaces):
            found += _of_patches(module)
    for number, attention in enumerate(attentions):
        if isinstance(attention.position, Rotary):
            found.append(_rotary(attention.position, attention.key_shape[1], places, number))
        elif isinstance(attention.position, Shaw) and attention.relative is not None:
            found += _shaw(attention.position, attention.relative, places, number)
    return _joined(found)


def _known(module: PositionalInput, places: int) -> int:
    return places if module.table is None else min(places, len(module.table))


def _at_input(module: PositionalInput, places: int) -> Positions:
    table = module.vectors(torch.arange(places, device=_device(module)))
    kind = "sinusoidal" if isinstance(module.position, Sinusoidal) else "learned"
    return _positions(kind, write_word(module.position), (), 0, table)


def _of_patches(module: PatchPlaces) -> list[Positions]:
    """What is added to each patch: the axes that it is known by stand side by side."""
    table = module.vectors()
    axes = "frame, row, column" if module.grid.frames > 1 else "row, column"
    return [] if table is None else [_positions(module.kind, f"{module.kind}({axes})", (), 0, table)]


def _device(module: nn.Module) -> torch.device:
    return next((tensor.device for tensor in module.parameters()), torch.device("cpu"))


def _rotary(rotary: Rotary, width: int, places: int, number: int) -> Positions:
    """cos(place · frequency) for each pair of coordinates: the turn of queries and keys."""
    half = width // 2
    frequencies = rotary.base ** (-torch.arange(half, dtype=torch.float64) / half)
    table = (torch.arange(places).double()[:, None] * frequencies).cos()
    return _positions("rotary", write_word(rotary), (number,), 0, table)


def _shaw(shaw: Shaw, relative: RelativePositions, places: int, number: int) -> list[Positions]:
    """What is added to keys (to values, where keys have none) at each distance j − i that the sentence has."""
    table = relative.keys if relative.keys is not None else relative.values
    reach = min(shaw.radius, max(1, places - 1))
    seen = slice(shaw.radius - reach, shaw.radius + reach + 1)
    return [] if table is None else [_positions("shaw", write_word(shaw), (number,), -reach, table[seen])]


def _positions(kind: str, name: str, maps: tuple[int, ...], first: int, table: Tensor) -> Positions:
    every = -(-table.shape[1] // WIDEST)
    numbers = table[:, ::every].detach().float().cpu().numpy().astype(np.float32)
    low, high, values = pack_table(numbers)
    return Positions.model_validate(
        {
            "kind": kind,
            "name": name,
            "maps": maps,
            "first": first,
            "rows": numbers.shape[0],
            "columns": numbers.shape[1],
            "low": low,
            "high": high,
            "values": values,
        }
    )


def _joined(found: Sequence[Positions]) -> tuple[Positions, ...]:
    """Equal tables once, with all the maps that they work in."""
    joined: dict[Positions, list[int]] = {}
    for one in found:
        joined.setdefault(one.model_copy(update={"maps": ()}), []).extend(one.maps)
    return tuple(one.model_copy(update={"maps": tuple(maps)}) for one, maps in joined.items())
