"""COMPILED equals the looped oracle in bf16, forward and gradient; it refuses with a reason, and is chosen to learn."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

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
    Free,
    Full,
    Heads,
    Kernel,
    Memory,
    Padding,
    Rotary,
    ScaledDot,
    Shaw,
    Static,
    Strided,
    Uniform,
    Window,
    attend,
)
from mirada.attention.attend import COMPILED_UNTIL, explain
from mirada.attention.kernels import compiled
from mirada.operations import choice
from tests.attention.test_oracle import PATTERNS, PLACES
from tests.operations.compiled import MARKS, assert_near, gradients, precision, watched
from tests.oracle import allowed, oracle

pytestmark = MARKS

WIDTH, MEMORY_WIDTH = 10, 14
SCORES = [Dot(), ScaledDot(), Cosine(2.0), Bilinear(), Collaborative(10)]
POSITIONS = [None, Rotary(50.0)]
TIMES = 3  # as far off as an operation: queries, keys, values and what is found are rounded on the way
IN_USE = "it is for learning on a CPU, with one thread for each part of a step"

Near = Callable[[int, int, int], bool]


def heads(score, groups: int = 2) -> Heads:
    """Four heads; keys that all heads share are of use where they share values, too."""
    return Heads(4, groups=1 if isinstance(score, Collaborative) else groups, width=6)


def build(score, position=None, pattern=None, *, groups: int = 2, memory_width: int | None = None) -> Attention:
    attention = Attention(
        WIDTH, heads=heads(score, groups), score=score, position=position, pattern=pattern, memory_width=memory_width
    )
    for parameter in attention.parameters():
        nn.init.normal_(parameter, std=0.3)
    return attention.to(precision())


def states(rows: int, places: int, width: int = WIDTH) -> Tensor:
    return torch.randn(rows, places, width).to(precision()).requires_grad_()


def assert_oracle(
    attention: Attention, x: Tensor, near: Near, facts: Facts | None = None, source: Tensor | None = None
) -> None:
    """The kernel gives the oracle's output and gradients; what a padded query of a sequence returns has no meaning."""
    real = torch.ones(x.shape[:2], dtype=torch.bool)
    if source is None and facts is not None and facts.padding is not None:
        real = facts.padding.real
    wide, wide_x = deepcopy(attention).double(), x.detach().double().requires_grad_()
    wide_source = wide_x if source is None else source.detach().double().requires_grad_()
    wanted, _ = oracle(wide, wide_x, wide_source, near, 0 if facts is None else facts.offset)
    memory = None if source is None else attention.remember(source)
    found = attend(attention.problem(x, memory, facts), Kernel.COMPILED).transpose(1, 2).flatten(2)
    found = attention.output_map(found)
    assert found.isfinite().all()
    inputs, wide_inputs = ([one, *of.parameters()] for one, of in ((x, attention), (wide_x, wide)))
    if source is not None:
        inputs, wide_inputs = [*inputs, source], [*wide_inputs, wide_source]
    falls = torch.randn(wanted.shape).to(precision()) * real[..., None]
    assert_near(found * real[..., None], wanted * real[..., None], TIMES)
    to_inputs, to_wide = gradients([found], inputs, [falls]), gradients([wanted], wide_inputs, [falls])
    # That of a bias of keys is 0, of which rounding leaves a part of what was added up to it.
    least = 0.1 * max(one.norm().item() for one in to_wide)
    for one, right in zip(to_inputs, to_wide, strict=True):
        assert_near(one, right, TIMES, least)


@pytest.mark.parametrize("score", SCORES, ids=str)
@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_every_pattern_equals_the_oracle(score, position, monkeypatch) -> None:
    calls = watched(monkeypatch)
    for pattern in PATTERNS:
        assert_oracle(build(score, position, pattern), states(1, PLACES), lambda row, i, j, p=pattern: allowed(p, i, j))
    assert calls.names.count("mirada_look") == calls.names.count("mirada_look_back") == len(PATTERNS)


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_heads_that_share_equal_the_oracle(position, groups) -> None:
    attention = build(ScaledDot(), position, Causal(), groups=groups)
    assert_oracle(attention, states(2, PLACES), lambda row, i, j: j <= i)


@settings(max_examples=25)
@given(
    score=st.sampled_from(SCORES),
    position=st.sampled_from(POSITIONS),
    pattern=st.sampled_from(PATTERNS),
    lengths=st.lists(st.integers(0, PLACES), min_size=2, max_size=2),
    left=st.booleans(),
    seed=st.integers(0, 1_000),
)
def test_padding_equals_the_oracle(score, position, pattern, lengths, left, seed) -> None:
    torch.manual_seed(seed)
    real = torch.arange(PLACES)[None] < torch.tensor(lengths)[:, None]
    padding = Padding.from_mask(real.flip(1)) if left else Padding.from_lengths(lengths, PLACES)
    near = lambda row, i, j: allowed(pattern, i, j) and bool(padding.real[row, j])  # noqa: E731
    assert_oracle(build(score, position, pattern), states(2, PLACES), near, Facts(padding))


@settings(max_examples=25)
@given(
    score=st.sampled_from(SCORES),
    position=st.sampled_from(POSITIONS),
    sizes=st.tuples(st.integers(1, 5), st.integers(1, PLACES)),
    pattern=st.sampled_from([Full(), Causal(), Window(2, 1)]),
    padded=st.booleans(),
    seed=st.integers(0, 1_000),
)
def test_another_sequence_equals_the_oracle(score, position, sizes, pattern, padded, seed) -> None:
    torch.manual_seed(seed)
    queries, keys = sizes
    padding = Padding.from_lengths([keys, keys // 2]) if padded else None
    attention = build(score, position, pattern, memory_width=MEMORY_WIDTH)

    def near(row: int, i: int, j: int) -> bool:
        return allowed(pattern, i, j) and (padding is None or bool(padding.real[row, j]))

    assert_oracle(attention, states(2, queries), near, Facts(padding), states(2, keys, MEMORY_WIDTH))


@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
def test_a_step_with_an_offset_equals_the_oracle(pattern) -> None:
    """Two queries in the middle of a longer memory."""
    attention = build(ScaledDot(), Rotary(50.0), pattern)
    near = lambda row, i, j: allowed(pattern, i, j)  # noqa: E731
    assert_oracle(attention, states(2, 2), near, Facts(offset=4), states(2, PLACES))


@pytest.mark.parametrize("per_row", [False, True])
def test_edges_equal_the_oracle(per_row) -> None:
    """A graph for all rows or one for each, isolated nodes included."""
    graph = torch.rand(2 if per_row else 1, PLACES, PLACES) < 0.4
    graph[:, 3] = False
    rows, i, j = graph.nonzero(as_tuple=True)
    facts = Facts(edges=Edges.of(i, j, query_count=PLACES, rows=rows if per_row else None))
    near = lambda row, i, j: bool(graph.expand(2, -1, -1)[row, i, j])  # noqa: E731
    assert_oracle(build(ScaledDot()), states(2, PLACES), near, facts)


def test_a_whole_attention_learns_by_the_library(monkeypatch) -> None:
    """One call for each of four maps, one for the look, and one for the gradients of each."""
    calls, attention, x = watched(monkeypatch), build(ScaledDot(), None, Causal()), states(2, PLACES)
    found = attention(x)
    found.sum().backward()
    maps, back = ["mirada_map"] * 3, ["mirada_maps_back", "mirada_look_back", "mirada_maps_back"]
    assert calls.names == [*maps, "mirada_look", "mirada_map", *back]
    with choice.by_torch():
        assert_near(found, attention(x).double(), TIMES)


class TestRefusals:
    @staticmethod
    def refused(attention: Attention, x: Tensor | None = None, kind: torch.dtype | None = None) -> str | None:
        kind = kind or precision()
        problem = attention.to(kind).problem(states(2, PLACES, attention.width).to(kind) if x is None else x)
        why = compiled.refusal(problem)
        if why is not None:
            with pytest.raises(ValueError, match="COMPILED cannot answer"):
                attend(problem, Kernel.COMPILED)
        return why

    def test_it_refuses_no_dot_product(self) -> None:
        for score in SCORES:
            assert self.refused(build(score)) is None

    @pytest.mark.parametrize("score", [Additive(), Additive("leaky_relu"), Static(), Free(2)], ids=str)
    def test_another_score(self, score) -> None:
        assert self.refused(build(score)) == "the score is not a dot product"

    @pytest.mark.parametrize("position", [Shaw(2), Shaw(1, keys=False), Shaw(1, values=False)], ids=str)
    def test_relative_positions(self, position) -> None:
        assert self.refused(build(ScaledDot(), position)) == "relative positions enter the score or the values"

    def test_keys_that_are_shared_where_values_are_not(self) -> None:
        attention = Attention(WIDTH, heads=Heads(4, groups=2, width=6), score=Collaborative(6))
        assert self.refused(attention) == "there are 1 key heads and 2 value heads"

    def test_odd_heads(self) -> None:
        assert self.refused(Attention(15, heads=3)) == "heads of width 5 are not made of pairs"

    def test_odd_values(self) -> None:
        attention = Attention(15, heads=Heads(3, groups=1, width=5), score=Collaborative(6))
        assert "not made of pairs" in self.refused(attention)

    def test_heads_of_no_width(self) -> None:
        attention = Attention(WIDTH, heads=Heads(4, groups=1, width=6), score=Uniform())
        assert self.refused(attention) == "heads of width 0 are not made of pairs"

    @pytest.mark.parametrize("kind", ["float16", "float64"])
    def test_another_precision(self, kind) -> None:
        why = self.refused(build(ScaledDot()), kind=getattr(torch, kind))
        assert why == f"it computes bf16 and float32, not {kind}"

    def test_no_gradient_wanted(self) -> None:
        with torch.no_grad():
            assert self.refused(build(ScaledDot())) == IN_USE

    def test_several_threads(self) -> None:
        torch.set_num_threads(2)
        assert self.refused(build(ScaledDot())) == IN_USE

    def test_no_library(self, monkeypatch) -> None:
        monkeypatch.setattr(compiled, "why_not", lambda _: "it was not compiled")
        assert self.refused(build(ScaledDot())) == "it was not compiled"


class TestPlan:
    @staticmethod
    def planned(pattern, length: int, kind: torch.dtype | None = None, **more) -> Kernel:
        kind = kind or precision()
        attention = Attention(64, heads=4, pattern=pattern, **more).to(kind)
        told = attention.explain(length).plan
        x = torch.zeros(1, length, 64).to(kind)
        assert attention.plan(x).kernel is told.kernel
        return told.kernel

    @pytest.mark.parametrize("pattern", [Full(), Causal(), Strided(2)], ids=str)
    @pytest.mark.parametrize("length", [1, 17, 61, 509])
    def test_it_is_chosen_to_learn(self, pattern, length) -> None:
        assert self.planned(pattern, length) is Kernel.COMPILED

    def test_its_reason(self) -> None:
        plan = Attention(64, heads=4).to(precision()).explain(61).plan
        kind, until = str(precision()).removeprefix("torch."), COMPILED_UNTIL[precision()]
        assert plan.reason == f"training in {kind} on cpu: our own is faster up to {until} × {until} pairs"

    @pytest.mark.parametrize("kind", [torch.float16, torch.float64])
    def test_it_is_not_in_another_precision(self, kind) -> None:
        assert self.planned(Full(), 61, kind) is not Kernel.COMPILED

    def test_it_is_not_without_gradients(self) -> None:
        with torch.no_grad():
            assert self.planned(Causal(), 61) is not Kernel.COMPILED

    def test_it_is_not_with_several_threads(self) -> None:
        torch.set_num_threads(2)
        assert self.planned(Causal(), 61) is not Kernel.COMPILED

    def test_it_is_not_within_by_torch(self) -> None:
        with choice.by_torch():
            assert self.planned(Causal(), 61) is not Kernel.COMPILED

    def test_it_is_not_for_another_score(self) -> None:
        assert self.planned(Full(), 61, score=Additive()) is Kernel.DENSE

    def test_few_neighbours_are_left_to_those_who_compute_few(self) -> None:
        assert self.planned(Window(64, 0), 1_021) is Kernel.BLOCKED

    def test_very_many_pairs_are_left_to_torch(self) -> None:
        attention, until = Attention(64, heads=4).to(precision()), COMPILED_UNTIL[precision()]
        assert attention.explain(until).plan.kernel is Kernel.COMPILED
        assert attention.explain(until + 1).plan.kernel is Kernel.FUSED

    def test_it_computes_every_pair(self) -> None:
        problem = build(ScaledDot(), None, Causal()).problem(states(2, PLACES))
        assert explain(problem, Kernel.COMPILED).pairs == PLACES**2


def test_a_memory_without_places_or_rows_is_answered_by_nothing() -> None:
    attention, nobody = build(ScaledDot(), groups=4), torch.zeros(2, 4, 0, 6).to(precision())
    found = attend(attention.problem(states(2, 3), Memory(nobody, nobody)), Kernel.COMPILED)
    assert found.shape == (2, 4, 3, 6)
    assert not found.any()
