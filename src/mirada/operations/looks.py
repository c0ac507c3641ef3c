"""Attention by dot products, every pair explicitly.

Legend: B batch, H heads, G key and value heads, Q queries, K keys, D key width, V value width.
"""

from __future__ import annotations

import ctypes
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from mirada.native import learning
from mirada.native.learning import Look
from mirada.operations.choice import NUMBERS, address
from mirada.operations.heads import dense, strides

Starts = tuple[Tensor | None, Tensor | None]  # of queries and keys


def look(
    queries: Float[Tensor, "B H Q D"],
    keys: Float[Tensor, "B G K D"],
    values: Float[Tensor, "B G K V"],
    mask: Bool[Tensor, "#B 1 #M N"] | None,
    scale: float,
    starts: tuple[Int[Tensor, "S1"], Int[Tensor, "S1"]] | None = None,
) -> Float[Tensor, "B H Q V"]:
    """softmax(scale · q kᵀ) v over the pairs that the mask allows; 0 for a query that may look at nobody.

    `starts` says where the queries and keys of packed sequences begin, and the last end; the mask is then that of a
    sequence, and all of them share it.
    """
    begin = (None, None) if starts is None else (starts[0].int(), starts[1].int())
    arguments = dense(queries), dense(keys), dense(values), mask, scale, begin
    return _Look.apply(*arguments)  # type: ignore[no-untyped-call]


def _steps(mask: Tensor | None) -> tuple[int, int]:
    """Bytes from one sequence's mask to the next, and from one query's: 0 where all are alike."""
    if mask is None:
        return 0, 0
    return mask.stride(0) * (len(mask) > 1), mask.stride(2) * (mask.shape[2] > 1)


class _Look(torch.autograd.Function):
    """Of each query the logarithm of its sum is kept, and the weights are computed again backward."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float, starts: Starts) -> Tensor:
        rows, heads, queries, width = q.shape
        answer = q.new_empty(rows, queries, heads, v.shape[-1]).transpose(1, 2)
        logs = q.new_empty(rows, heads, queries, dtype=torch.float32)
        if mask is not None:
            mask = mask.contiguous()
        sequences = rows if starts[0] is None else len(starts[0]) - 1
        sizes = Look(
            sequences, heads, k.shape[1], queries, k.shape[2], width, v.shape[-1], scale, *_steps(mask),
            strides(q), strides(k), strides(v), strides(answer),
        )  # fmt: skip
        learning.call(
            "mirada_look", NUMBERS[q.dtype], ctypes.byref(sizes), *map(address, (*starts, q, k, v, mask)),
            answer.data_ptr(), logs.data_ptr(),
        )  # fmt: skip
        ctx.save_for_backward(q, k, v, logs, mask)
        ctx.sizes, ctx.starts = sizes, starts
        return answer

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, logs, mask = ctx.saved_tensors
        falls = gradient.transpose(1, 2).contiguous()  # laid out as the answer was
        to_q, to_k, to_v = (torch.empty_like(one) for one in (q, k, v))
        learning.call(
            "mirada_look_back", NUMBERS[q.dtype], ctypes.byref(ctx.sizes), *map(address, (*ctx.starts, q, k, v, mask)),
            logs.data_ptr(), falls.data_ptr(), to_q.data_ptr(), to_k.data_ptr(), to_v.data_ptr(),
        )  # fmt: skip
        return to_q, to_k, to_v, None, None, None
