"""The formula written as loops: h_i = Σ_{j ∈ N(i)} α(x_i, x_j) · ψ_v(x_j), one number at a time, in float64.

It shares no code with the package. It reads an attention's parameters and settings, and nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from mirada.attention import (
    Additive,
    Attention,
    Bilinear,
    Causal,
    Collaborative,
    Cosine,
    Dot,
    Fixed,
    Free,
    Full,
    Grid,
    Pattern,
    Rotary,
    ScaledDot,
    Shaw,
    Static,
    Strided,
    Uniform,
    Window,
)
from mirada.attention.pattern import Both, Either


def allowed(pattern: Pattern, i: int, j: int) -> bool:  # noqa: C901 one case for each pattern
    """The definition of every pattern, in plain integers."""
    match pattern:
        case Full():
            return True
        case Causal():
            return j <= i
        case Window(left, right):
            return i - left <= j <= i + right
        case Strided(stride):
            return (i - j) % stride == 0
        case Fixed(block, summary):
            return i // block == j // block or j % block >= block - summary
        case Grid(_, width, radius, prefix):
            if i < prefix:
                return True
            if j < prefix:
                return False
            (row, column), (row2, column2) = divmod(i - prefix, width), divmod(j - prefix, width)
            return abs(row - row2) <= radius and abs(column - column2) <= radius
        case Both(one, other):
            return allowed(one, i, j) and allowed(other, i, j)
        case Either(one, other):
            return allowed(one, i, j) or allowed(other, i, j)
    raise AssertionError(pattern)


def rotated(x: Tensor, place: int, base: float) -> Tensor:
    """x with each pair (d, d + D/2) turned by place · base^(−2d/D), as a complex number."""
    half = len(x) // 2
    angles = torch.tensor([place * base ** (-2 * d / len(x)) for d in range(half)], dtype=torch.float64)
    turned = torch.complex(x[:half], x[half:]) * torch.complex(angles.cos(), angles.sin())
    return torch.cat([turned.real, turned.imag])


def score(attention: Attention, head: int, q: Tensor, k: Tensor, i: int, j: int) -> Tensor:  # noqa: C901 likewise
    """α before the softmax for one query and one key of one head, both before the score's own maps."""
    scorer, position = attention.scorer, attention.position
    relative = torch.zeros(())
    if isinstance(position, Shaw) and position.keys:
        relative = attention.relative.keys[max(-position.radius, min(position.radius, j - i)) + position.radius]

    def dot(left: Tensor, right: Tensor) -> Tensor:
        if isinstance(position, Rotary):
            left, right = rotated(left, i, position.base), rotated(right, j, position.base)
        return (left * (right + relative)).sum()

    match attention.score:
        case Dot():
            return dot(q, k)
        case ScaledDot():
            return dot(q, k) / len(k) ** 0.5
        case Cosine(scale):
            return scale * dot(q / q.norm(), k / k.norm())
        case Bilinear():
            return dot(torch.mv(scorer.weight[head].T, q), k)
        case Collaborative():
            return dot(q * scorer.mixing[head], k) / attention.head_width**0.5
        case Additive(activation):
            inside = q + k + relative
            hidden = inside.tanh() if activation == "tanh" else torch.where(inside > 0, inside, 0.2 * inside)
            return (scorer.vector[head] * hidden).sum()
        case Static():
            inside = (scorer.query_vector[head] * q).sum() + (scorer.key_vector[head] * k).sum()
            return torch.where(inside > 0, inside, 0.2 * inside)
        case Uniform():
            return torch.zeros((), dtype=torch.float64)
        case Free(radius, columns, prefix):
            if columns is None:
                steps = [j - i]
            else:
                (row, column), (row2, column2) = divmod(i - prefix, columns), divmod(j - prefix, columns)
                steps = [row2 - row, column2 - column]
            if i < prefix or j < prefix or any(abs(step) > radius for step in steps):
                return torch.zeros((), dtype=torch.float64)
            place = 0
            for step in steps:
                place = place * (2 * radius + 1) + step + radius
            return scorer.weight[head, place]
    raise AssertionError(attention.score)


def mapped(linear: torch.nn.Linear | None, x: Tensor) -> Tensor:
    """W x + b, or x."""
    if linear is None:
        return x
    return torch.mv(linear.weight, x) + linear.bias


def part(x: Tensor, heads: int, head: int, count: int) -> Tensor:
    """The slice of x that belongs to a head, when `heads` slices serve `count` heads."""
    width = len(x) // heads
    own = head * heads // count
    return x[own * width : (own + 1) * width]


def oracle(
    attention: Attention,
    x: Tensor,
    source: Tensor,
    near: Callable[[int, int, int], bool],
    offset: int = 0,
) -> tuple[Tensor, Tensor]:
    """The outputs (B, Q, W) and the weights (B, H, Q, K); `near(row, i, j)` says whether j ∈ N(i)."""
    count, keys = attention.heads.count, source.shape[1]
    outputs, weights = [], torch.zeros(len(x), count, x.shape[1], keys, dtype=torch.float64)
    for row in range(len(x)):
        queried = [mapped(attention.query_map, state) for state in x[row]]
        keyed = [mapped(attention.key_map, state) for state in source[row]]
        valued = [mapped(attention.value_map, state) for state in source[row]]
        for step in range(x.shape[1]):
            i = step + offset
            neighbours = [j for j in range(keys) if near(row, i, j)]
            joined = []
            for head in range(count):
                scores = [
                    score(
                        attention,
                        head,
                        part(queried[step], attention.query_shape[0], head, count),
                        part(keyed[j], attention.key_shape[0], head, count),
                        i,
                        j,
                    )
                    for j in neighbours
                ]
                normalised = not isinstance(attention.score, Free)
                total = sum(torch.exp(s) for s in scores) if normalised else 1
                summed = torch.zeros(attention.value_shape[1], dtype=torch.float64)
                for j, s in zip(neighbours, scores, strict=True):
                    weight = torch.exp(s) / total if normalised else s
                    weights[row, head, step, j] = weight.detach()
                    value = part(valued[j], attention.value_shape[0], head, count)
                    if isinstance(attention.position, Shaw) and attention.position.values:
                        radius = attention.position.radius
                        value = value + attention.relative.values[max(-radius, min(radius, j - i)) + radius]
                    summed = summed + weight * value
                joined.append(summed)
            outputs.append(mapped(attention.output_map, torch.cat(joined)))
    return torch.stack(outputs).view(len(x), x.shape[1], -1), weights
