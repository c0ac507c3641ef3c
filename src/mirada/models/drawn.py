"""Drawn: a context in which a model's first numbers come from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def drawn_from(seed: int | None) -> Iterator[None]:
    """With a seed, the same numbers are drawn inside on every call, and torch's own generator is left as it was."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
