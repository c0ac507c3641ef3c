"""Every kernel × score × pattern × position equals the looped oracle, forward and gradient.

All in float64 but COMPILED, which knows bf16 alone: see test_compiled.py.
"""

from __future__ import annotations

import itertools
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from mirada.attention import (
    Additive,
    Attention,
    Bilinear,
    Causal,
    Collaborative,
    Cosine,
    Dot,
    Edges,
    Facts,
    Fixed,
    Free,
    Full,
    Grid,
    Heads,
    Kernel,
    Learned,
    Neighbourhood,
    Padding,
    PositionalInput,
    Rotary,
    ScaledDot,
    Shaw,
    Sinusoidal,
    Static,
    Strided,
    Uniform,
    Window,
    attend,
    plan,
)
from mirada.attention.attend import KERNELS, weigh
from tests.oracle import allowed, oracle
from tests.pieces import small_pieces

PLACES, WIDTH, HEADS = 7, 5, Heads(4, groups=2, width=6)
PATTERNS = [
    Full(),
    Causal(),
    Window(2, 1),
    Window(3, 0),
    Strided(3),
    Fixed(3, 1),
    Grid(2, 3, 1, prefix=1),
    Grid(7, 1, 2),
    Causal() & Strided(2),
    Causal() & (Window(1, 0) | Strided(3)),
    Fixed(3, 1) | Window(1, 1),
]
SCORES = [
    Dot(),
    ScaledDot(),
    Cosine(2.0),
    Bilinear(),
    Additive(),
    Additive("leaky_relu"),
    Collaborative(10),
    Static(),
    Uniform(),
    Free(2),
    Free(1, columns=3, prefix=1),
]
POSITIONS = [None, Sinusoidal(100.0), Learned(11), Shaw(2), Rotary(50.0)]
HALVES_OF_SHAW = [Shaw(1, keys=False), Shaw(3, values=False)]
EXACT = {kernel: module for kernel, module in KERNELS.items() if kernel is not Kernel.COMPILED}


@pytest.fixture(autouse=True, scope="module")
def _small_pieces():
    with small_pieces():
        yield


counted: dict[str, int] = {"equal": 0, "refused": 0, "without meaning": 0}


def build(score, position, pattern, width=WIDTH, memory_width=None) -> Attention:
    attention = Attention(
        width, heads=HEADS, score=score, position=position, pattern=pattern, memory_width=memory_width
    ).double()
    for parameter in attention.parameters():
        nn.init.normal_(parameter, std=0.6)
    return attention


def gradients(output: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """The gradient of a fixed mixture of the output's numbers with respect to each input."""
    mixture = torch.linspace(-1, 1, output.numel(), dtype=output.dtype).view(output.shape)
    found = torch.autograd.grad((output * mixture).sum(), inputs, allow_unused=True, retain_graph=True)
    return [torch.zeros_like(x) if g is None else g for g, x in zip(found, inputs, strict=True)]


def assert_equal(attention: Attention, expected, problem, inputs, kernel: Kernel) -> None:
    """One kernel gives the oracle's output and gradients."""
    states = attend(problem, kernel).transpose(1, 2).flatten(2)
    output = states if attention.output_map is None else attention.output_map(states)
    torch.testing.assert_close(output, expected[0], rtol=1e-9, atol=1e-9)
    for found, wanted in zip(gradients(output, inputs), expected[1], strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("score", SCORES, ids=str)
@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_every_kernel_equals_the_oracle(score, position) -> None:
    torch.manual_seed(7)
    joined = position if isinstance(position, Sinusoidal | Learned) else None
    inside = None if joined else position
    states = torch.randn(1, PLACES, WIDTH, dtype=torch.float64, requires_grad=True)
    for pattern in PATTERNS:
        try:
            attention = build(score, inside, pattern)
        except ValueError as error:
            assert "use" in str(error)  # noqa: PT017 it says what to do instead
            counted["without meaning"] += len(EXACT)
            continue
        place = PositionalInput(joined, WIDTH).double() if joined else None
        x = place(states) if place else states
        inputs = [states, *attention.parameters(), *(place.parameters() if place else [])]
        wanted, weights = oracle(attention, x, x, lambda row, i, j, p=pattern: allowed(p, i, j))
        expected = wanted, gradients(wanted, inputs)
        problem = attention.problem(x)
        torch.testing.assert_close(weigh(problem).expand_as(weights).detach(), weights)
        for kernel, module in EXACT.items():
            if module.refusal(problem) is not None:
                with pytest.raises(ValueError, match="cannot answer"):
                    attend(problem, kernel)
                counted["refused"] += 1
                continue
            assert_equal(attention, expected, problem, inputs, kernel)
            counted["equal"] += 1


def test_the_count_of_combinations(capsys) -> None:
    """Runs after the grid above and prints how much of it was covered; nothing may fall out silently."""
    total = len(EXACT) * len(SCORES) * len(PATTERNS) * len(POSITIONS)
    if sum(counted.values()) == 0:
        pytest.skip("the grid of combinations was not run")
    with capsys.disabled():
        sys.stdout.write(f"\noracle: {total} combinations of kernel × score × pattern × position: {counted}\n")
    if sum(counted.values()) == total:
        assert counted["equal"] > total / 2


patterns = st.sampled_from(PATTERNS)


@settings(max_examples=60, deadline=None)
@given(
    score=st.sampled_from(SCORES),
    position=st.sampled_from([None, Rotary(50.0), Shaw(2), *HALVES_OF_SHAW]),
    pattern=patterns,
    lengths=st.lists(st.integers(0, PLACES), min_size=2, max_size=2),
    left=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_padding_equals_the_oracle(score, position, pattern, lengths, left, seed) -> None:
    torch.manual_seed(seed)
    try:
        attention = build(score, position, pattern)
    except ValueError:
        return
    real = torch.arange(PLACES)[None] < torch.tensor(lengths)[:, None]
    padding = Padding.from_mask(real.flip(1)) if left else Padding.from_lengths(lengths, PLACES)
    x = torch.randn(2, PLACES, WIDTH, dtype=torch.float64, requires_grad=True)
    problem = attention.problem(x, facts=Facts(padding))
    wanted, _ = oracle(attention, x, x, lambda row, i, j: allowed(pattern, i, j) and bool(padding.real[row, j]))
    # What a padded query returns has no meaning: only real queries are compared.
    inputs = [x, *attention.parameters()]
    expected = gradients(wanted * padding.real[..., None], inputs)
    for kernel, module in EXACT.items():
        if module.refusal(problem) is None:
            output = attention.output_map(attend(problem, kernel).transpose(1, 2).flatten(2))
            assert output.isfinite().all()
            kept = output * padding.real[..., None]
            torch.testing.assert_close(kept, wanted * padding.real[..., None])
            for found, right in zip(gradients(kept, inputs), expected, strict=True):
                torch.testing.assert_close(found, right)


@settings(max_examples=60, deadline=None)
@given(
    score=st.sampled_from(SCORES),
    position=st.sampled_from([None, Shaw(2), *HALVES_OF_SHAW]),
    pattern=st.sampled_from([Full(), Causal(), Window(2, 1)]),
    sizes=st.tuples(st.integers(1, 5), st.integers(1, 7)),
    per_row=st.booleans(),
    padded=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_edges_equal_the_oracle(score, position, pattern, sizes, per_row, padded, seed) -> None:
    """Random graphs between queries and another memory, one for all rows or one for each, isolated nodes included."""
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    try:
        attention = build(score, position, pattern, memory_width=3)
    except ValueError:
        return
    queries, keys = sizes
    graph = torch.rand(2 if per_row else 1, queries, keys, generator=generator) < 0.4
    rows, i, j = graph.nonzero(as_tuple=True)
    graph_edges = Edges.of(i, j, query_count=queries, key_count=keys, rows=rows if per_row else None)
    x = torch.randn(2, queries, WIDTH, dtype=torch.float64, requires_grad=True)
    source = torch.randn(2, keys, 3, dtype=torch.float64, requires_grad=True)
    padding = Padding.from_lengths([keys, keys // 2]) if padded else None
    problem = attention.problem(x, attention.remember(source), Facts(padding, graph_edges))
    real = padding.real if padding else torch.ones(2, keys, dtype=torch.bool)
    graph = graph.expand(2, queries, keys) & real[:, None]
    wanted, _ = oracle(attention, x, source, lambda row, i, j: allowed(pattern, i, j) and bool(graph[row, i, j]))
    inputs = [x, source, *attention.parameters()]
    expected = wanted, gradients(wanted, inputs)
    for kernel, module in EXACT.items():
        if module.refusal(problem) is None:
            assert_equal(attention, expected, problem, inputs, kernel)


@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
@pytest.mark.parametrize("score", SCORES, ids=str)
def test_a_step_with_an_offset_equals_the_oracle(score, pattern) -> None:
    """Two queries in the middle of a longer memory, as when decoding goes on."""
    torch.manual_seed(3)
    for position in (None, Shaw(2, keys=False), Rotary()):
        try:
            attention = build(score, position, pattern)
        except ValueError:
            continue
        x = torch.randn(2, 2, WIDTH, dtype=torch.float64, requires_grad=True)
        source = torch.randn(2, PLACES, WIDTH, dtype=torch.float64)
        problem = attention.problem(x, attention.remember(source), Facts(offset=4))
        wanted, _ = oracle(attention, x, source, lambda row, i, j: allowed(pattern, i, j), offset=4)
        inputs = [x, *attention.parameters()]
        expected = wanted, gradients(wanted, inputs)
        for kernel, module in EXACT.items():
            if module.refusal(problem) is None:
                assert_equal(attention, expected, problem, inputs, kernel)


def test_the_planned_kernel_never_refuses() -> None:
    for score, pattern in itertools.product(SCORES, PATTERNS):
        problem = build(score, None, pattern).problem(torch.randn(2, PLACES, WIDTH, dtype=torch.float64))
        chosen = plan(problem)
        assert KERNELS[chosen.kernel].refusal(problem) is None
        assert chosen.reason


def test_simplifying_changes_no_neighbour() -> None:
    """For every pattern and step the simplified mask equals the pattern's own."""
    for pattern, offset, queries, keys in itertools.product(PATTERNS, (0, 2, 6), (1, 3), (4, 7)):
        if pattern.places is not None and offset + queries > pattern.places:
            continue
        near = Neighbourhood(pattern, queries, keys, Facts(offset=offset))
        mask = near.simplify().mask(1, torch.device("cpu"))
        truth = torch.tensor([[allowed(pattern, offset + i, j) for j in range(keys)] for i in range(queries)])
        found = torch.ones_like(truth) if mask is None else mask[0, 0]
        assert torch.equal(found, truth), (pattern, offset, queries, keys)
