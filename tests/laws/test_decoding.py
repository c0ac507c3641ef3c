"""Step by step is the same as all at once."""

from typing import Any

import torch
from hypothesis import strategies as some
from torch import Tensor

from mirada.attention import Attention, Causal, Facts, Heads, Memory, Padding, Pattern
from tests.laws.choices import (
    BACKWARD,
    HEADS,
    PATTERNS,
    SCORES,
    answers,
    assert_close,
    build,
    law,
    lengths,
    seeds,
    states,
    together,
)

patterns = some.sampled_from((*(pattern & Causal() for pattern in PATTERNS), *BACKWARD))


def decode(attention: Attention, x: Tensor, sizes: list[int]) -> Tensor:
    """The output for pieces of x of these sizes, each looking at the memory of all places so far."""
    memory: Memory | None = None
    outputs, start = [], 0
    for size in sizes:
        piece = x[:, start : start + size]
        new = attention.remember(piece, start)
        memory = new if memory is None else memory.append(new)
        outputs.append(attention(piece, memory, Facts(offset=start)))
        start += size
    return torch.cat(outputs, 1)


@law(
    examples=50,
    seed=seeds,
    length=lengths,
    pattern=patterns,
    heads=some.sampled_from(HEADS),
    choice=together(SCORES),
)
def test_step_by_step_is_the_full_causal_pass(
    seed: int, length: int, pattern: Pattern, heads: Heads, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length)
    attention = build(choice[0], pattern, choice[1], heads)
    assert_close(decode(attention, x, [1] * length), attention(x))


@law(
    seed=seeds,
    sizes=some.lists(some.integers(1, 5), min_size=1, max_size=3),
    pattern=patterns,
    choice=together(SCORES),
)
def test_piece_by_piece_is_the_full_causal_pass(
    seed: int, sizes: list[int], pattern: Pattern, choice: tuple[Any, Any]
) -> None:
    x = states(seed, min(sum(sizes), 15))
    attention = build(choice[0], pattern, choice[1])
    assert_close(decode(attention, x, sizes), attention(x))


@law(seed=seeds, length=some.sampled_from([2, 3, 7, 11]), pattern=patterns, choice=together(SCORES))
def test_every_kernel_that_takes_a_step_agrees(
    seed: int, length: int, pattern: Pattern, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length)
    attention = build(choice[0], pattern, choice[1])
    step = attention.problem(x[:, -1:], attention.remember(x), Facts(offset=length - 1))
    for wanted in answers(attention.problem(x)).values():
        for output in answers(step).values():
            assert_close(output, wanted[:, :, -1:])


@law(seed=seeds, pattern=patterns, choice=together(SCORES))
def test_a_step_after_padding_is_the_full_padded_pass(seed: int, pattern: Pattern, choice: tuple[Any, Any]) -> None:
    x = states(seed, 7)
    attention = build(choice[0], pattern, choice[1])
    real = torch.tensor([[False, False, True, True, True, True, True], [True] * 7])
    wanted = attention(x, facts=Facts(padding=Padding.from_mask(real)))
    for place in range(7):
        memory = attention.remember(x[:, : place + 1])
        facts = Facts(padding=Padding.from_mask(real[:, : place + 1]), offset=place)
        assert_close(attention(x[:, place : place + 1], memory, facts), wanted[:, place : place + 1])


@law(seed=seeds, length=lengths, choice=together(SCORES))
def test_a_memory_made_in_pieces_is_the_memory(seed: int, length: int, choice: tuple[Any, Any]) -> None:
    x = states(seed, length)
    attention = build(choice[0], position=choice[1])
    whole, half = attention.remember(x), length // 2
    pieces = attention.remember(x[:, :half]).append(attention.remember(x[:, half:], half))
    assert len(pieces) == len(whole) == length
    assert_close(pieces.keys, whole.keys)
    assert_close(pieces.values, whole.values)
