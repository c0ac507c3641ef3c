"""Padding changes nothing for what is real, and a row of a batch knows nothing of the others."""

from typing import Any

import torch
from hypothesis import strategies as some

from mirada.attention import Facts, Full, Heads, Kernel, Padding, Pattern, Score
from tests.laws.choices import (
    BACKWARD,
    HEADS,
    MEMORY_WIDTH,
    NORMALISED,
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

ROUNDING = 2e-6  # a product over other lengths rounds its last bit differently
patterns = some.sampled_from((*PATTERNS, *BACKWARD))
heads_of = some.sampled_from(HEADS)


@law(
    examples=30,
    seed=seeds,
    real=some.lists(some.integers(1, 7), min_size=3, max_size=3),
    longest=some.sampled_from([7, 11]),
    pattern=patterns,
    heads=heads_of,
    choice=together(SCORES),
)
def test_a_padded_row_gives_what_the_sequence_gives_alone(
    seed: int, real: list[int], longest: int, pattern: Pattern, heads: Heads, choice: tuple[Any, Any]
) -> None:
    x = states(seed, longest, batch=3)
    attention = build(choice[0], pattern, choice[1], heads)
    facts = Facts(padding=Padding.from_lengths(real, longest))
    found = {None: attention(x, facts=facts), **answers(attention.problem(x, facts=facts))}
    for row, length in enumerate(real):
        alone = x[row : row + 1, :length]
        wanted = {None: attention(alone), **answers(attention.problem(alone))}
        for kernel, output in found.items():
            # A window that sees all of a short sequence is Full there, which BLOCKED refuses.
            answer = wanted.get(kernel, wanted[Kernel.DENSE])
            assert_close(output[row : row + 1, ..., :length, :], answer, ROUNDING)


@law(
    seed=seeds,
    real=some.lists(some.booleans(), min_size=7, max_size=7).filter(any),
    score=some.sampled_from(NORMALISED),
    heads=heads_of,
)
def test_padding_may_stand_anywhere(seed: int, real: list[bool], score: Score, heads: Heads) -> None:
    x, source = states(seed, 5), states(seed + 1, 7, MEMORY_WIDTH)
    attention = build(score, Full(), heads=heads, memory_width=MEMORY_WIDTH)
    kept = torch.tensor(real)
    facts = Facts(padding=Padding.from_mask(kept.expand(len(x), -1)))
    wanted = answers(attention.problem(x, attention.remember(source[:, kept])))
    for kernel, output in answers(attention.problem(x, attention.remember(source), facts)).items():
        assert_close(output, wanted[kernel], ROUNDING)


@law(
    seed=seeds,
    real=some.lists(some.integers(1, 7), min_size=2, max_size=2),
    pattern=patterns,
    choice=together(SCORES),
)
def test_what_stands_in_the_padding_changes_no_bit(
    seed: int, real: list[int], pattern: Pattern, choice: tuple[Any, Any]
) -> None:
    x = states(seed, 7)
    attention = build(choice[0], pattern, choice[1])
    padding = Padding.from_lengths(real, 7)
    other = torch.where(padding.real[..., None], x, 100 * torch.randn_like(x))
    found = answers(attention.problem(x, facts=Facts(padding=padding)))
    for kernel, output in answers(attention.problem(other, facts=Facts(padding=padding))).items():
        for row, length in enumerate(real):
            assert torch.equal(output[row, :, :length], found[kernel][row, :, :length]), kernel


@law(seed=seeds, length=lengths, pattern=patterns, choice=together(SCORES))
def test_padding_that_pads_nothing_changes_nothing(
    seed: int, length: int, pattern: Pattern, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length)
    attention = build(choice[0], pattern, choice[1])
    facts = Facts(padding=Padding.from_lengths([length] * len(x)))
    assert torch.equal(attention(x, facts=facts), attention(x))


@law(seed=seeds, length=lengths, pattern=patterns, heads=heads_of, choice=together(SCORES))
def test_a_row_does_not_depend_on_the_other_rows(
    seed: int, length: int, pattern: Pattern, heads: Heads, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length, batch=3)
    attention = build(choice[0], pattern, choice[1], heads)
    others = torch.cat([100 * torch.randn_like(x[:1]), x[1:2], torch.zeros_like(x[2:])])
    changed, alone = answers(attention.problem(others)), answers(attention.problem(x[1:2]))
    assert torch.equal(attention(others)[1], attention(x)[1])
    for kernel, output in answers(attention.problem(x)).items():
        assert torch.equal(output[1], changed[kernel][1]), kernel
        assert_close(output[1:2], alone[kernel], ROUNDING)


@law(seed=seeds, length=lengths, choice=together(SCORES), order=some.permutations(range(3)))
def test_rows_of_a_memory_follow_their_order(seed: int, length: int, choice: tuple[Any, Any], order: list[int]) -> None:
    x = states(seed, length, batch=3)
    attention = build(choice[0], position=choice[1])
    rows = torch.tensor(order)
    assert_close(attention(x[rows], attention.remember(x).select(rows)), attention(x)[rows], ROUNDING)
