"""Blocks, tiles, runs and chunks of a few places, where models have thousands: short sequences are cut into many."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mirada.attention import additive, pattern
from mirada.attention.kernels import blocked, edges, gathered, runs
from mirada.attention.pattern import kinds

SIZES = [
    (blocked, "SMALLEST_BLOCK", 2),
    (blocked, "RUN", 0),
    (gathered, "KEPT", 0),
    (gathered, "RUN", 0),
    (runs, "RUN", 1),  # one block or tile at a time
    (edges, "RUN", 5),
    (additive, "CHUNK", 64),
    (kinds, "GRID_TILE", 2),
]


@contextmanager
def small_pieces() -> Iterator[None]:
    """Small pieces inside the block, the usual ones after it."""
    pattern.tiles.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in SIZES:
            patch.setattr(module, name, size)
        yield
    pattern.tiles.cache_clear()
