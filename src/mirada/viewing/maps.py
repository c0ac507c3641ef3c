"""Maps of a view: what was recorded of every attention, with the patterns that it keeps to.

Legend: H heads, Q queries, K keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from mirada.attention import Attention
from mirada.attention.record import Look
from mirada.models.words import write_word
from mirada.viewing import contract
from mirada.viewing.packing import pack, pack_pattern

Side = tuple[Literal["self", "cross"], str, str]  # who looks (the name of a sequence), and at what
NOTHING_TO_SEE = "this model has no attention, so there is nothing to look at; "


@dataclass(frozen=True, eq=False)
class Placed:
    """A look with the group that it belongs to and its layer within."""

    look: Look
    group: str
    layer: int


def placed(looks: Sequence[Look], group_of: Callable[[str], str]) -> list[Placed]:
    """Each look in its group, by the name of its attention; the layers of a group count from 0."""
    counts: dict[str, int] = {}
    found = []
    for one in looks:
        group = group_of(one.name)
        layer = counts.get(group, 0)
        counts[group] = layer + 1
        found.append(Placed(one, group, layer))
    return found


def maps_of(
    found: Sequence[Placed], sides: Mapping[str, Side]
) -> tuple[tuple[contract.Map, ...], tuple[contract.Pattern, ...]]:
    """The looks for the contract, and the patterns that they name, each once."""
    patterns: list[contract.Pattern] = []
    maps = tuple(_map(one, sides[one.group], patterns) for one in found)
    return maps, tuple(patterns)


def _map(one: Placed, side: Side, patterns: list[contract.Pattern]) -> contract.Map:
    """A look for the contract; its pattern is added to the patterns if it is not there yet."""
    kind, queries, keys = side
    attention = one.look.attention
    weights: NDArray[np.float32] = one.look.weights[0].float().cpu().numpy()
    allowed = _allowed(attention, weights.shape[1], weights.shape[2])
    pattern = pack_pattern(str(attention.pattern), allowed)
    if pattern not in patterns:
        patterns.append(pattern)
    packed = pack(weights, allowed)
    return contract.Map(
        group=one.group,
        kind=kind,
        layer=one.layer,
        heads=len(weights),
        queries=queries,
        keys=keys,
        pattern=patterns.index(pattern),
        score=write_word(attention.score),
        position=write_word(attention.position),
        kernel=one.look.plan.kernel.name,
        weights=packed.weights,
        highs=packed.highs,
        lows=packed.lows,
    )


def _allowed(attention: Attention, queries: int, keys: int) -> NDArray[np.bool_]:
    i, j = torch.arange(queries)[:, None], torch.arange(keys)[None, :]
    allowed: NDArray[np.bool_] = attention.pattern.allows(i, j).expand(queries, keys).numpy()
    return allowed
