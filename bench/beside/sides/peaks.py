"""What the machine can do: the most operations a second in matrix products, and the most bytes a second copied."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from telling import asked, tell

SECONDS = 0.4  # for each figure
COPIED = 256 * 1024 * 1024  # bytes; many times the caches


def fastest(work: Callable[[], object]) -> float:
    """The least seconds that a work took."""
    for _ in range(3):
        work()
    best, begun = float("inf"), time.perf_counter()
    while time.perf_counter() - begun < SECONDS:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def product(rows: int, inner: int, columns: int, dtype: torch.dtype) -> float:
    """Operations a second in a linear layer."""
    entered, weight = torch.randn(rows, inner, dtype=dtype), torch.randn(columns, inner, dtype=dtype)
    return 2 * rows * inner * columns / fastest(lambda: torch.nn.functional.linear(entered, weight))


def copying() -> float:
    """Bytes read and written a second."""
    entered = torch.ones(COPIED // 4)
    left = torch.zeros_like(entered)
    return 2 * COPIED / fastest(lambda: left.copy_(entered))


def main() -> None:
    wanted = asked()
    torch.set_num_threads(wanted["threads"])
    found: dict[str, float] = {}
    for precision in wanted["precisions"]:
        dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
        for rows, inner, columns in wanted["products"]:
            found[f"{precision} {rows} × {inner} × {columns}"] = product(rows, inner, columns, dtype)
        found[precision] = max(value for name, value in found.items() if name.startswith(precision))
    if wanted["copying"]:
        found["copy"] = copying()
    tell(**found)


if __name__ == "__main__":
    main()
