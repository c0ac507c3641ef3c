"""Whether an operation is computed by the compiled library or by torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import torch
from torch import Tensor

from mirada.native import learning
from mirada.native.learning import Numbers

NUMBERS = {torch.bfloat16: Numbers.BF16, torch.float32: Numbers.FLOAT32}  # that there is a library for
_by_torch = False


def compiled(*tensors: Tensor) -> bool:
    """Whether a library computes with these: numbers that fit it and are to learn."""
    return torch.is_grad_enabled() and fitting(*tensors)


def fitting(*tensors: Tensor) -> bool:
    """Whether a library can compute with these: numbers of one kind, on a CPU.

    Each of its operations is the work of one thread: where the caller may use several, torch does.
    """
    kind = tensors[0].dtype
    if _by_torch or why_not(kind) is not None or torch.get_num_threads() > 1:
        return False
    return all(one.dtype == kind and one.device.type == "cpu" for one in tensors)


@cache
def why_not(kind: torch.dtype) -> str | None:
    """Why no library is used for such numbers on this machine; None where one is."""
    if kind not in NUMBERS:
        return f"it computes bf16 and float32, not {str(kind).removeprefix('torch.')}"
    if kind == torch.bfloat16 and torch.cpu._is_amx_tile_supported():  # noqa: SLF001 torch has no public name for it
        return "this processor multiplies whole tiles (AMX), with which torch is faster"
    return learning.why_not(NUMBERS[kind])


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
