"""The choices over which the laws are held: scores, positions, patterns, heads, and states to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as some
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
    Heads,
    Kernel,
    Maps,
    Pattern,
    Position,
    Problem,
    Rotary,
    ScaledDot,
    Score,
    Shaw,
    Static,
    Strided,
    Uniform,
    Window,
    attend,
)
from mirada.attention.attend import KERNELS

BATCH, WIDTH, MEMORY_WIDTH = 2, 7, 11  # distinct primes: an axis taken for another does not fit
LONGEST = 13
HEAD_WIDTH = 10  # even, because Rotary turns pairs

DOT_LIKE: tuple[Score, ...] = (Dot(), Cosine(3.0), ScaledDot(), Bilinear(), Collaborative(), Collaborative(6))
CONTENT: tuple[Score, ...] = (*DOT_LIKE, Additive(), Additive("leaky_relu"), Static())
NORMALISED: tuple[Score, ...] = (*CONTENT, Uniform())
SCORES: tuple[Score, ...] = (*NORMALISED, Free(3))
POSITIONS: tuple[Position, ...] = (None, Rotary(100.0), Shaw(2), Shaw(3, values=False), Shaw(2, keys=False))
HEADS = (Heads(3, width=HEAD_WIDTH), Heads(3, 1, width=HEAD_WIDTH), Heads(6, 2, width=HEAD_WIDTH))
PATTERNS: tuple[Pattern, ...] = (
    Full(),
    Causal(),
    Window(3, 2),
    Strided(3),
    Fixed(5, 2),
    Fixed(3, 0),
    Grid(3, 5, 1),
    Grid(3, 5, 1, prefix=1),
    Causal() & Strided(2),
    Strided(5) | Window(2, 0),
)
BACKWARD: tuple[Pattern, ...] = (
    Causal(),
    Window(3, 0),
    Causal() & Strided(3),
    Causal() & Fixed(5, 2),
    Causal() & Grid(3, 5, 1),
    Causal() & (Window(2, 1) | Strided(5)),
)

seeds = some.integers(0, 2**20)
lengths = some.sampled_from([1, 2, 3, 5, 7, 11, LONGEST])


def law(examples: int = 20, **choices: some.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Any]:
    """A statement held for so many choices, the same ones in every run."""
    # Without the phase that explains a failure: it takes longer than to find it.
    phases = (Phase.explicit, Phase.generate, Phase.shrink)
    chosen = settings(max_examples=examples, derandomize=True, deadline=None, phases=phases)
    return lambda test: chosen(given(**choices)(test))


def has_meaning(score: Score, position: Position) -> bool:
    """Whether a score goes with a position."""
    if isinstance(position, Rotary):
        return score in DOT_LIKE
    no_keys = score.sees == "nothing" or score == Static()
    return not (isinstance(position, Shaw) and position.keys and no_keys)


def together(scores: tuple[Score, ...], positions: tuple[Position, ...] = POSITIONS) -> some.SearchStrategy[Any]:
    """Pairs of a score and a position that have a meaning."""
    return some.sampled_from([(s, p) for s in scores for p in positions if has_meaning(s, p)])


def states(seed: int, length: int, width: int = WIDTH, batch: int = BATCH) -> Tensor:
    """Random states (B, N, W), and the same random parameters after them."""
    torch.manual_seed(seed)
    return torch.randn(batch, length, width)


def build(
    score: Score | None = None,
    pattern: Pattern | None = None,
    position: Position = None,
    heads: Heads = HEADS[0],
    memory_width: int | None = None,
    maps: Maps | None = None,
    width: int = WIDTH,
) -> Attention:
    """An attention of the laws' widths with every parameter away from zero, biases too."""
    attention = Attention(
        width,
        heads=heads,
        pattern=pattern,
        score=score,
        position=position,
        memory_width=memory_width,
        maps=maps,
    )
    for name, parameter in attention.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter)
    return attention


def answers(problem: Problem) -> dict[Kernel, Tensor]:
    """What each kernel answers, but for those that refuse."""
    return {kernel: attend(problem, kernel) for kernel in Kernel if KERNELS[kernel].refusal(problem) is None}


def assert_close(found: Tensor, wanted: Tensor, tolerance: float = 2e-5) -> None:
    """Equal up to the rounding of float32."""
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)
