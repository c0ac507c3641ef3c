"""What the laws stand on: one thread, and pieces so small that short sequences are cut into many."""

from collections.abc import Iterator

import pytest
import torch

from mirada.attention import additive, pattern
from mirada.attention.kernels import blocked, edges


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """One thread: the tensors are so small that two would only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module", autouse=True)
def small_pieces() -> Iterator[None]:
    """Blocks, tiles, runs and chunks of a few places, where models have thousands."""
    pattern.tiles.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocked, "SMALLEST_BLOCK", 2)
        patch.setattr(blocked, "RUN", 1)  # one block at a time
        patch.setattr(edges, "RUN", 5)
        patch.setattr(additive, "CHUNK", 64)
        patch.setattr(pattern, "GRID_TILE", 2)
        yield
    pattern.tiles.cache_clear()
