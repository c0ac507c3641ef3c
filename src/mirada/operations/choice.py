"""Whether an operation is computed by the compiled library or by torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import torch
from torch import Tensor

from mirada.native import learning

_by_torch = False


def compiled(*tensors: Tensor) -> bool:
    """Whether the library computes with these: numbers that fit it and are to learn."""
    return torch.is_grad_enabled() and fitting(*tensors)


def fitting(*tensors: Tensor) -> bool:
    """Whether the library can compute with these: numbers of bf16 on a CPU.

    Each of its operations is the work of one thread: where the caller may use several, torch does.
    """
    if _by_torch or why_not() is not None or torch.get_num_threads() > 1:
        return False
    return all(one.dtype == torch.bfloat16 and one.device.type == "cpu" for one in tensors)


@cache
def why_not() -> str | None:
    """Why the library is not used on this machine; None where it is."""
    if torch.cpu._is_amx_tile_supported():  # noqa: SLF001 torch has no public name for it
        return "this processor multiplies whole tiles (AMX), with which torch is faster"
    return learning.why_not()


@contextmanager
def by_torch() -> Iterator[None]:
    """Within this, everything is computed by torch: to compare both, in a test or a bench."""
    global _by_torch  # noqa: PLW0603 threads of a crew must see it, too
    before, _by_torch = _by_torch, True
    try:
        yield
    finally:
        _by_torch = before


def address(tensor: Tensor | None) -> int | None:
    """Where a tensor's numbers are, as the library is told."""
    return None if tensor is None else tensor.data_ptr()
