"""BLOCKED: a window folded into the batch, O(n · window).

Legend: B batch, H heads, N places, G blocks, T queries of a block, U keys that a block sees, D key width, V value width.

The sequence is cut into blocks of T places. A block sees itself, the end of the block before and the beginning of the
block after: U = left + T + right keys, all in one piece, so that folding needs slices only and no look-up.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad

from mirada.attention.kernels.dense import Candidates, gather_values
from mirada.attention.neighbourhood import Neighbourhood
from mirada.attention.pattern import Pattern
from mirada.attention.problem import Problem

SMALLEST_BLOCK = 32  # below this the products are too small to pay


def refusal(problem: Problem) -> str | None:
    """Why blocks cannot answer, or None."""
    if not problem.whole:
        return "blocks need all places of one sequence"
    if not problem.neighbourhood.pattern.band.bounded:
        return f"the pattern {problem.neighbourhood.pattern} has no bounded window"
    return None


def reach(problem: Problem) -> tuple[int, int]:
    """How far the window goes to the left and to the right, cut to the sequence."""
    band, last = problem.neighbourhood.pattern.band, problem.neighbourhood.keys - 1
    return min(band.left or 0, last), min(band.right or 0, last)


def block_size(left: int, right: int) -> int:
    """Places of a block: as many as the longer side reaches, so that no block sees past its neighbours."""
    return max(left, right, SMALLEST_BLOCK)


def cells(problem: Problem) -> int:
    """How many pairs the blocks compute."""
    left, right = reach(problem)
    size = block_size(left, right)
    return -(-problem.neighbourhood.keys // size) * size * (left + size + right)


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer, block by block."""
    left, right = reach(problem)
    size = block_size(left, right)
    length = problem.neighbourhood.keys
    queries = fold(problem.queries, size, 0, 0)
    keys, values = fold(problem.keys, size, left, right), fold(problem.values, size, left, right)
    i, j = block_places(length, size, left, right, queries.device)
    mask = block_mask(problem.neighbourhood, problem.neighbourhood.pattern, i, j)
    lowest = torch.finfo(queries.dtype).min
    bias = torch.zeros(mask.shape, dtype=queries.dtype, device=mask.device).masked_fill_(~mask, lowest)
    weights = Candidates(queries, keys, i, j, mask, bias).weights(problem.score, problem.relative, True)
    output = gather_values(weights, values, i, j, problem.relative)
    return output.transpose(1, 2).flatten(2, 3)[:, :, :length]


def fold(x: Float[Tensor, "B H N D"], size: int, left: int, right: int) -> Float[Tensor, "B G H U D"]:
    """Blocks of `size` places with `left` places before and `right` places after; zeros outside the sequence."""
    missing = -x.shape[2] % size
    blocks = (pad(x, (0, 0, 0, missing)) if missing else x).unflatten(2, (-1, size)).transpose(1, 2)
    parts = [blocks]
    if left:
        parts.insert(0, pad(blocks[:, :-1, :, size - left :], (0, 0, 0, 0, 0, 0, 1, 0)))
    if right:
        parts.append(pad(blocks[:, 1:, :, :right], (0, 0, 0, 0, 0, 0, 0, 1)))
    return torch.cat(parts, 3) if len(parts) > 1 else blocks


def block_places(
    length: int, size: int, left: int, right: int, device: torch.device
) -> tuple[Int[Tensor, "G T"], Int[Tensor, "G U"]]:
    """The places of each block's queries and keys; a place outside the sequence is negative or too large."""
    starts = torch.arange(0, length, size, device=device)[:, None]
    return (
        starts + torch.arange(size, device=device),
        starts + torch.arange(-left, size + right, device=device),
    )


def block_mask(
    near: Neighbourhood, pattern: Pattern, i: Int[Tensor, "G T"], j: Int[Tensor, "G U"]
) -> Bool[Tensor, "#B G 1 T U"]:
    """Who may look within each block."""
    inside = (j >= 0) & (j < near.keys)
    mask = pattern.allows(i[:, :, None], j[:, None, :]) & inside[:, None, :]
    if near.facts.padding is None:
        return mask[None, :, None]
    real = near.facts.padding.real[:, j.clamp(0, near.keys - 1)]
    return (mask & real[:, :, None, :])[:, :, None]
