"""COMPILED: every pair, by a library that was compiled with mirada, for models that learn on a CPU.

Legend: B batch, H heads, Q queries, V value width.

A head of a sequence stays in the first caches, and the weights are never written to memory: they are computed again
backward.
"""

from __future__ import annotations

from math import prod

from jaxtyping import Float
from torch import Tensor

from mirada.attention.kernels import dense, fused
from mirada.attention.problem import Problem
from mirada.operations.choice import compiled, why_not
from mirada.operations.looks import look


def refusal(problem: Problem) -> str | None:
    """Why the library cannot answer, or None."""
    if problem.score.scale is None or problem.relative is not None:
        return fused.refusal(problem)
    if problem.keys.shape[1] != problem.values.shape[1]:
        return f"there are {problem.keys.shape[1]} key heads and {problem.values.shape[1]} value heads"
    odd = [x.shape[-1] for x in (problem.queries, problem.values) if x.shape[-1] % 2 or x.shape[-1] == 0]
    if odd:
        return f"heads of width {odd[0]} are not made of pairs"
    if (reason := why_not(problem.queries.dtype)) is not None:
        return reason
    numbers = problem.queries, problem.keys, problem.values
    if not compiled(*numbers) or not any(one.requires_grad for one in numbers):
        return "it is for learning on a CPU, with one thread for each part of a step"
    return None


def pairs(problem: Problem) -> int:
    """How many pairs of places are computed for each head."""
    packing = problem.neighbourhood.facts.packing
    return dense.pairs(problem) if packing is None else packing.pairs


def largest(problem: Problem) -> int:
    """How many pairs of places the longest sequence has."""
    packing = problem.neighbourhood.facts.packing
    return dense.pairs(problem) if packing is None else prod(packing.longest)


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer of the library."""
    scale, near, device = problem.score.scale, problem.neighbourhood, problem.queries.device
    if scale is None:
        raise ValueError(f"the library cannot answer: {refusal(problem)}")
    packing = near.facts.packing
    if packing is None:
        return look(problem.queries, problem.keys, problem.values, near.mask(problem.batch, device), scale)
    starts = packing.queries, packing.keys
    return look(problem.queries, problem.keys, problem.values, near.packed_mask(device), scale, starts)
