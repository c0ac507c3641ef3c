"""Who has nobody to look at gets zeros: never NaN, forward or backward, in any kernel."""

from typing import Any

import pytest
import torch
from hypothesis import strategies as some
from torch import Tensor

from mirada.attention import Attention, Edges, Facts, Heads, Memory, Padding, Pattern, Window
from tests.laws.choices import (
    BACKWARD,
    HEADS,
    PATTERNS,
    SCORES,
    WIDTH,
    answers,
    build,
    law,
    lengths,
    seeds,
    states,
    together,
)

patterns = some.sampled_from((*PATTERNS, *BACKWARD))
heads_of = some.sampled_from(HEADS)


def assert_finite(attention: Attention, x: Tensor, output: Tensor) -> None:
    """Finite, and so are the gradients of everything that was learned."""
    assert output.isfinite().all()
    learned = [x, *attention.parameters()]
    for gradient in torch.autograd.grad(output.square().sum(), learned, allow_unused=True, retain_graph=True):
        assert gradient is None or gradient.isfinite().all()


@law(seed=seeds, length=lengths, pattern=patterns, heads=heads_of, choice=together(SCORES))
def test_a_row_whose_keys_are_all_padding_gets_zeros(
    seed: int, length: int, pattern: Pattern, heads: Heads, choice: tuple[Any, Any]
) -> None:
    x = states(seed, length).requires_grad_()
    attention = build(choice[0], pattern, choice[1], heads)
    facts = Facts(padding=Padding.from_lengths([0, length]))
    full, alone = attention.problem(x, facts=facts), answers(attention.problem(x))
    for kernel, output in answers(full).items():
        assert (output[0] == 0).all(), kernel
        torch.testing.assert_close(output[1], alone[kernel][1], rtol=2e-5, atol=2e-5)
        assert_finite(attention, x, output)
    assert (attention.weights(x, facts=facts)[0] == 0).all()


@law(seed=seeds, keys=lengths, choice=together(SCORES))
def test_a_memory_that_is_all_padding_gives_zeros(seed: int, keys: int, choice: tuple[Any, Any]) -> None:
    x = states(seed, 5).requires_grad_()
    attention = build(choice[0], position=choice[1])
    facts = Facts(padding=Padding.from_lengths([0, 0], keys))
    problem = attention.problem(x, attention.remember(torch.randn(2, keys, WIDTH)), facts)
    for kernel, output in answers(problem).items():
        assert (output == 0).all(), kernel
        assert_finite(attention, x, output)


@law(seed=seeds, length=some.sampled_from([3, 5, 7]), choice=together(SCORES), heads=heads_of)
def test_an_isolated_node_gets_zeros(seed: int, length: int, choice: tuple[Any, Any], heads: Heads) -> None:
    x = states(seed, length).requires_grad_()
    attention = build(choice[0], position=choice[1], heads=heads)
    ring = torch.arange(length - 1)  # the last node has no edge
    edges = Edges.of(ring, ring.roll(1), query_count=length)
    for kernel, output in answers(attention.problem(x, facts=Facts(edges=edges))).items():
        assert (output[:, :, -1] == 0).all(), kernel
        assert (output[:, :, :-1] != 0).any() or not attention.scorer.normalised
        assert_finite(attention, x, output)


@law(seed=seeds, length=lengths, choice=together(SCORES), per_row=some.booleans())
def test_a_graph_without_edges_gives_zeros(seed: int, length: int, choice: tuple[Any, Any], per_row: bool) -> None:
    x = states(seed, length).requires_grad_()
    attention = build(choice[0], position=choice[1])
    none = torch.empty(0, dtype=torch.int64)
    edges = Edges.of(none, none, query_count=length, rows=none if per_row else None)
    for kernel, output in answers(attention.problem(x, facts=Facts(edges=edges))).items():
        assert (output == 0).all(), kernel
        assert_finite(attention, x, output)


@law(
    seed=seeds,
    pattern=patterns,
    choice=together(SCORES),
    heads=heads_of,
    sizes=some.sampled_from([(0, 5, 5), (2, 0, 5), (2, 5, 0), (2, 0, 0), (0, 0, 0)]),
)
def test_nothing_gives_nothing(
    seed: int, pattern: Pattern, choice: tuple[Any, Any], heads: Heads, sizes: tuple[int, int, int]
) -> None:
    batch, queries, keys = sizes
    x = states(seed, queries, batch=batch).requires_grad_()
    attention = build(choice[0], pattern, choice[1], heads)
    memory = attention.remember(states(seed, keys, batch=batch))
    for facts in (Facts(), Facts(padding=Padding.from_lengths([keys] * batch, keys))):
        for output in answers(attention.problem(x, memory, facts)).values():
            assert output.shape == (batch, heads.count, queries, attention.value_shape[1])
            assert (output == 0).all()
        assert attention.weights(x, memory, facts).shape == (batch, heads.count, queries, keys)
        output = attention(x, memory, facts)
        assert output.shape == (batch, queries, WIDTH)
        assert_finite(attention, x, output)


@law(seed=seeds, pattern=patterns, choice=together(SCORES), batch=some.sampled_from([0, 2]))
def test_a_sequence_of_no_length_gives_one(seed: int, pattern: Pattern, choice: tuple[Any, Any], batch: int) -> None:
    x = states(seed, 0, batch=batch).requires_grad_()
    attention = build(choice[0], pattern, choice[1])
    assert attention(x).shape == (batch, 0, WIDTH)
    assert_finite(attention, x, attention(x))
    attention.plan(x)


@law(seed=seeds, choice=together(SCORES), place=some.integers(8, 11))
def test_a_step_beyond_its_window_sees_nobody(seed: int, choice: tuple[Any, Any], place: int) -> None:
    x = states(seed, 1).requires_grad_()
    attention = build(choice[0], Window(2, 2), choice[1])
    memory = attention.remember(torch.randn(2, 5, WIDTH))
    for kernel, output in answers(attention.problem(x, memory, Facts(offset=place))).items():
        assert (output == 0).all(), kernel
        assert_finite(attention, x, output)


@law(seed=seeds, length=lengths, pattern=patterns, choice=together(SCORES))
def test_large_states_stay_finite(seed: int, length: int, pattern: Pattern, choice: tuple[Any, Any]) -> None:
    x = (1e4 * states(seed, length)).requires_grad_()
    attention = build(choice[0], pattern, choice[1])
    for output in answers(attention.problem(x)).values():
        assert output.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_zeros_in_every_precision(dtype: torch.dtype) -> None:
    x = states(0, 5).to(dtype).requires_grad_()
    attention = build(pattern=Window(2, 1)).to(dtype)
    facts = Facts(padding=Padding.from_lengths([0, 5]))
    for kernel, output in answers(attention.problem(x, facts=facts)).items():
        assert (output[0] == 0).all(), kernel
        assert_finite(attention, x, output)


def test_a_memory_of_nothing_is_a_memory() -> None:
    attention = build()
    nothing = attention.remember(torch.empty(2, 0, WIDTH))
    assert isinstance(nothing, Memory)
    assert len(nothing) == 0
    x = states(0, 5)
    torch.testing.assert_close(attention(x, nothing.append(attention.remember(x))), attention(x))
