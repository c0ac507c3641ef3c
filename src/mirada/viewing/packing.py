"""Packing: attention weights as bytes, and back.

A row of weights is scaled by its own largest one, so that a look spread over 200 words keeps as many digits as one at a
single word. Only allowed pairs are written.

Legend: H heads, Q queries, K keys, P allowed pairs, N rows, C columns.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mirada.viewing.contract import Map, Pattern, View

LEVELS = 255  # the largest byte


@dataclass(frozen=True, slots=True)
class Packed:
    """Weights as the contract has them."""

    weights: str
    highs: str
    lows: str | None


def pack(weights: NDArray[np.float32], allowed: NDArray[np.bool_]) -> Packed:
    """The weights [H, Q, K] of allowed pairs [Q, K]."""
    inside = np.where(allowed, weights, 0).astype(np.float32)
    highs = np.maximum(inside.max(-1, initial=0), 0)
    lows = np.minimum(inside.min(-1, initial=0), 0)
    span = highs - lows
    scaled = (inside - lows[..., None]) / np.where(span > 0, span, 1)[..., None]
    levels = np.rint(scaled * LEVELS).astype(np.uint8)
    return Packed(
        as_base64(levels[:, allowed]),
        as_base64(highs.astype("<f4")),
        as_base64(lows.astype("<f4")) if lows.any() else None,
    )


def unpack(view: View, number: int) -> NDArray[np.float32]:
    """The weights [H, Q, K] of a view's map."""
    found = view.maps[number]
    allowed = unpack_pattern(view.patterns[found.pattern])
    rows = (found.heads, len(allowed))
    highs = _floats(found.highs, rows)
    lows = np.zeros_like(highs) if found.lows is None else _floats(found.lows, rows)
    levels = np.zeros((found.heads, *allowed.shape), dtype=np.float32)
    levels[:, allowed] = _levels(found.weights, (found.heads, int(allowed.sum())))
    weights = lows[..., None] + levels / LEVELS * (highs - lows)[..., None]
    return np.where(allowed, weights, 0).astype(np.float32)


def error_of(found: Map) -> float:
    """By how much a weight of a map may differ from what was recorded."""
    highs = np.frombuffer(from_base64(found.highs), "<f4")
    lows = np.zeros(1) if found.lows is None else np.frombuffer(from_base64(found.lows), "<f4")
    return float((highs - lows).max(initial=0)) / (2 * LEVELS)


def pack_pattern(name: str, allowed: NDArray[np.bool_]) -> Pattern:
    """A pattern of pairs [Q, K]."""
    queries, keys = allowed.shape
    return Pattern(name=name, queries=queries, keys=keys, allowed=as_base64(np.packbits(allowed)))


def unpack_pattern(pattern: Pattern) -> NDArray[np.bool_]:
    """The allowed pairs [Q, K] of a pattern."""
    count = pattern.queries * pattern.keys
    bits = np.unpackbits(_levels(pattern.allowed, (-(-count // 8),)), count=count)
    return bits.reshape(pattern.queries, pattern.keys).astype(np.bool_)


def pack_table(table: NDArray[np.float32]) -> tuple[float, float, str]:
    """The least and the greatest number of a table [N, C], and its bytes between them."""
    low, high = float(table.min(initial=0)), float(table.max(initial=0))
    scaled = (table - low) / (high - low if high > low else 1)
    return round(low, 4), round(high, 4), as_base64(np.rint(scaled * LEVELS).astype(np.uint8))


def as_base64(array: NDArray[np.generic]) -> str:
    """The bytes of an array as text."""
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def _floats(text: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    return _levels(text, (*shape, 4)).view("<f4")[..., 0].astype(np.float32)


def _levels(text: str, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    data, wanted = from_base64(text), int(np.prod(shape))
    if len(data) != wanted:
        raise ValueError(f"this view is damaged: it has {len(data):,} bytes where {wanted:,} are needed; make it again")
    return np.frombuffer(data, np.uint8).reshape(shape)


def from_base64(text: str) -> bytes:
    """The bytes of such a text."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("this view is damaged: its numbers are no base64; make it again") from None
