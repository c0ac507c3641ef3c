"""Precision: bf16 where the hardware multiplies it, fp32 elsewhere."""

from __future__ import annotations

from typing import Literal

import torch

PrecisionKind = Literal["auto", "fp32", "bf16"]


def choose(kind: PrecisionKind, device: torch.device) -> tuple[torch.dtype, str]:
    """The type to compute in, and why."""
    if kind != "auto":
        return (torch.bfloat16 if kind == "bf16" else torch.float32), "as asked"
    if device.type == "cuda":
        fast = torch.cuda.is_bf16_supported(including_emulation=False)
        return (torch.bfloat16, "this GPU multiplies bf16") if fast else (torch.float32, "this GPU has no bf16")
    if _cpu_multiplies_bf16():
        return torch.bfloat16, "this CPU multiplies bf16"
    return torch.float32, "this CPU does not multiply bf16 in hardware"


def _cpu_multiplies_bf16() -> bool:
    # Having the instructions is not enough to be fast: without AVX-512's or AMX's dot product torch widens each number.
    has = torch.cpu._is_avx512_bf16_supported  # noqa: SLF001 torch has no public name for it
    return bool(has() or torch.cpu._is_amx_tile_supported())  # noqa: SLF001


def choose_device(name: str) -> torch.device:
    """The device to train on: a GPU where there is one, unless another is named."""
    has_gpu = torch.cuda.is_available()
    if name == "auto":
        return torch.device("cuda" if has_gpu else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ValueError(f"training.device = {name!r} is not known; use auto, cpu or cuda") from None
    if device.type == "cuda" and not has_gpu:
        raise ValueError(f"training.device = {name!r}, but torch finds no GPU here; use auto or cpu")
    return device
