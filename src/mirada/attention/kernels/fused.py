"""FUSED: torch's scaled_dot_product_attention, which never holds the weights.

Legend: B batch, H heads, Q queries, K keys, D key width, V value width.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from mirada.attention.pattern import Causal
from mirada.attention.problem import Problem


def refusal(problem: Problem) -> str | None:
    """Why torch's kernel cannot answer, or None."""
    if problem.score.scale is None:
        return "the score is not a dot product"
    if problem.relative is not None:
        return "relative positions enter the score or the values"
    if problem.queries.shape[-1] != problem.values.shape[-1]:
        return f"keys are {problem.queries.shape[-1]} wide and values {problem.values.shape[-1]}"
    if problem.keys.shape[1] != problem.values.shape[1]:
        return f"there are {problem.keys.shape[1]} key heads and {problem.values.shape[1]} value heads"
    return None


def is_causal(problem: Problem) -> bool:
    """Whether torch's own causal mask says all: nothing but j ≤ i, over one whole sequence."""
    near = problem.neighbourhood
    return isinstance(near.pattern, Causal) and problem.whole and near.facts.padding is None


def pairs(problem: Problem) -> int:
    """How many pairs of places are computed for each head: torch leaves out what its own causal mask forbids."""
    near = problem.neighbourhood
    return near.queries * near.keys // (2 if is_causal(problem) else 1)


def run(problem: Problem) -> Float[Tensor, "B H Q V"]:
    """The answer from scaled_dot_product_attention."""
    causal = is_causal(problem)
    mask = None if causal else problem.neighbourhood.mask(problem.batch, problem.queries.device)
    output = scaled_dot_product_attention(
        problem.queries,
        problem.keys,
        problem.values,
        attn_mask=mask,
        is_causal=causal,
        scale=problem.score.scale,
        enable_gqa=problem.heads != problem.keys.shape[1],
    )
    if mask is not None and problem.neighbourhood.may_be_empty:
        output = output.masked_fill(~mask.any(-1, keepdim=True), 0)
    return output
