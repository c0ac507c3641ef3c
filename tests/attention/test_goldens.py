"""The lectures' worked examples, each computed by the code that models use, to the printed decimals."""

import pytest
import torch
from torch import Tensor

from mirada.attention import (
    Attention,
    Causal,
    Dot,
    Kernel,
    Maps,
    Memory,
    PositionalInput,
    ScaledDot,
    Sinusoidal,
    attend,
    sinusoidal,
)
from mirada.attention.score import Score


def assert_printed(found: Tensor, printed: list[float] | list[list[float]]) -> None:
    """Hold numbers to what a page prints with two decimals."""
    wanted = torch.tensor(printed)
    assert found.shape == wanted.shape
    assert ((found - wanted).abs() <= 0.005 + 1e-7).all(), found
    assert torch.equal((100 * found).round(), (100 * wanted).round()), found


def bare(width: int, score: Score, pattern: Causal | None = None) -> Attention:
    """One head on the bare states."""
    return Attention(width, heads=1, score=score, pattern=pattern, maps=Maps.identity())


def scores_of(attention: Attention, states: Tensor, memory: Memory) -> Tensor:
    """What the softmax sees, for one row and one head."""
    problem = attention.problem(states, memory)
    i, j = torch.arange(states.shape[1]), torch.arange(len(memory))
    return problem.score.matrix(problem.queries, problem.keys, i, j, None)[0, 0]


def test_scores_13_9_9_give_096_002_002() -> None:
    states = torch.tensor([[[3.0, 2.0], [3.0, 0.0], [1.0, 3.0]]])
    attention = bare(2, Dot())
    assert scores_of(attention, states, attention.remember(states))[0].tolist() == [13, 9, 9]
    weights = attention.weights(states)[0, 0, 0]
    assert_printed(weights, [0.96, 0.02, 0.02])
    torch.testing.assert_close(attention(states)[0, 0], weights @ states[0])


def test_scores_112_96_over_8_give_088_012() -> None:
    query = torch.ones(1, 1, 64)
    states = torch.stack([torch.full((64,), 112 / 64), torch.full((64,), 96 / 64)])[None]
    unscaled, attention = bare(64, Dot()), bare(64, ScaledDot())
    assert scores_of(unscaled, query, unscaled.remember(states)).tolist() == [[112, 96]]
    memory = attention.remember(states)
    assert scores_of(attention, query, memory).tolist() == [[14, 12]]
    weights = attention.weights(query, memory)[0, 0, 0]
    assert_printed(weights, [0.88, 0.12])
    torch.testing.assert_close(attention(query, memory)[0, 0], weights @ states[0])


CAUSAL_SCORES = torch.tensor(
    [[0.7, 9.0, 9.0, 9.0], [0.1, 0.6, 9.0, 9.0], [0.1, 0.3, 0.6, 9.0], [0.1, 0.3, 0.3, 0.3]]
)  # 9 stands where nobody may look: it would win every softmax that it entered
CAUSAL_WEIGHTS = [[1, 0, 0, 0], [0.38, 0.62, 0, 0], [0.26, 0.32, 0.43, 0], [0.21, 0.26, 0.26, 0.26]]


def test_causal_scores_give_the_triangle_of_weights() -> None:
    attention = bare(4, Dot(), Causal())
    memory = attention.remember(torch.eye(4)[None])  # a query's score for unit vector j is its coordinate j
    assert torch.equal(scores_of(attention, CAUSAL_SCORES[None], memory), CAUSAL_SCORES)
    assert_printed(attention.weights(CAUSAL_SCORES[None], memory)[0, 0], CAUSAL_WEIGHTS)


@pytest.mark.parametrize("kernel", [Kernel.FUSED, Kernel.GATHERED, Kernel.EDGES, Kernel.DENSE])
def test_causal_scores_give_the_triangle_in_every_kernel(kernel: Kernel) -> None:
    attention = bare(4, Dot(), Causal())
    memory = attention.remember(torch.eye(4)[None])
    output = attend(attention.problem(CAUSAL_SCORES[None], memory), kernel)
    assert_printed(output[0, 0], CAUSAL_WEIGHTS)  # the values are unit vectors too


SINUSOIDAL = [[0, 1, 0, 1], [0.84, 0.54, 0.10, 1.0], [0.91, -0.42, 0.20, 0.98], [0.14, -0.99, 0.30, 0.96]]


def test_sinusoidal_table_of_width_4_and_base_100() -> None:
    assert_printed(sinusoidal(torch.arange(4), 4, 100.0), SINUSOIDAL)


def test_sinusoidal_table_as_it_joins_the_input() -> None:
    joined = PositionalInput(Sinusoidal(100.0), 4)(torch.zeros(1, 4, 4))
    assert_printed(joined[0], SINUSOIDAL)


def test_negro_looks_at_itself_and_at_gato() -> None:
    weights = torch.tensor([0.025, 0.4, 0.5, 0.025, 0.025, 0.025])
    el, gato, negro, salta, la, cuerda = words = torch.randn(6, 7)
    memory = Memory(torch.eye(6)[None, None], words[None, None])
    attention = bare(6, Dot())
    query = weights.log()[None, None]  # softmax(log w) = w where w sums to 1
    torch.testing.assert_close(attention.weights(query, memory)[0, 0, 0], weights)
    expected = 0.025 * el + 0.4 * gato + 0.5 * negro + 0.025 * salta + 0.025 * la + 0.025 * cuerda
    torch.testing.assert_close(attention(query, memory)[0, 0], expected)
