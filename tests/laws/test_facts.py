"""One object of facts serves every layer of a batch, and what it keeps spoils nothing."""

from typing import Any

import pytest
import torch
from hypothesis import strategies as some

from mirada.attention import Edges, Facts, Kernel, Padding, Pattern, Window, attend
from tests.laws.choices import (
    BACKWARD,
    PATTERNS,
    SCORES,
    answers,
    assert_close,
    build,
    law,
    seeds,
    states,
    together,
)

layers = some.lists(
    some.tuples(some.sampled_from((*PATTERNS, *BACKWARD)), together(SCORES), some.booleans()),
    min_size=2,
    max_size=4,
)


def padding() -> Facts:
    return Facts(padding=Padding.from_lengths([7, 3]))


def graph() -> Facts:
    places = torch.arange(7)
    return Facts(edges=Edges.of(places, places.flip(0), query_count=7))


@law(seed=seeds, layers=layers, make=some.sampled_from([Facts, padding, graph]))
def test_one_object_of_facts_serves_every_layer(
    seed: int, layers: list[tuple[Pattern, tuple[Any, Any], bool]], make: Any
) -> None:
    x = states(seed, 7)
    shared = make()
    for pattern, (score, position), own in layers:
        attention = build(score, pattern, position)
        memory = None if own else attention.remember(x)
        found = answers(attention.problem(x, memory, shared))
        for kernel, wanted in answers(attention.problem(x, memory, make())).items():
            assert torch.equal(found[kernel], wanted), kernel


@pytest.mark.parametrize("pattern", BACKWARD, ids=str)
@pytest.mark.parametrize("first_own", [True, False])
def test_a_look_at_oneself_and_one_at_a_memory_share_the_facts(pattern: Pattern, first_own: bool) -> None:
    x = states(0, 7)
    attention = build(pattern=pattern)
    shared = padding()
    for own in (first_own, not first_own):  # at oneself the padding at the end is never seen, and falls away
        memory = None if own else attention.remember(x)
        found = answers(attention.problem(x, memory, shared))
        for kernel, wanted in answers(attention.problem(x, memory, padding())).items():
            assert torch.equal(found[kernel], wanted), kernel


@pytest.mark.parametrize("score", SCORES, ids=str)
def test_facts_used_without_gradients_can_still_be_learned_with(score: Any) -> None:
    x = states(0, 7)
    attention = build(score, Window(2, 1))
    in_use = set(answers(attention.problem(x, facts=padding()))) - {Kernel.COMPILED}  # which serves learning alone
    for kernel in in_use:
        shared = padding()
        with torch.inference_mode():
            before = attend(attention.problem(x, facts=shared), kernel)
        after = attend(attention.problem(x, facts=shared), kernel)
        after.sum().backward()
        assert_close(after.detach(), before.clone())
