"""Maps and the feed-forward layer, compiled: what torch gives, for any number of rows and any even width."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional

from mirada.layers.feed_forward import FeedForward
from mirada.operations import choice
from mirada.operations.maps import feed_forward, map_states
from tests.operations.compiled import MARKS, assert_near, assert_same, gradients, linear, precision, random, watched

pytestmark = MARKS

# Rows, inputs and outputs. A tile has 8 rows and 32 columns, and a weight's gradient is added up over 1,024 rows at a
# time; of rows of 262 numbers some hundreds stay in the cache, of the widest a single tile.
SIZES = [
    (1, 2, 2),
    (1, 34, 58),
    (7, 46, 6),
    (11, 62, 74),
    (1_031, 262, 38),
    (1_025, 10, 22),
    (2_053, 14, 26),
    (11, 32_822, 6),
]
ACTIVATIONS = {"relu": functional.relu, "gelu": functional.gelu}


def mapped(x: Tensor, *numbers: Tensor | None) -> tuple[Tensor, ...]:
    """The formula: numbers are weights and biases in turn."""
    return tuple(functional.linear(x, weight, bias) for weight, bias in zip(numbers[::2], numbers[1::2], strict=True))


def assert_mapped(x: Tensor, maps: list[nn.Linear]) -> None:
    numbers = [number for one in maps for number in (one.weight, one.bias)]
    assert_same(lambda y, *_: map_states(y, maps), mapped, [x, *numbers])


def layer(width: int, inner: int) -> tuple[nn.Linear, nn.Linear]:
    """The two maps of a feed-forward layer."""
    return linear(width, inner), linear(inner, width)


@pytest.mark.parametrize(("rows", "inputs", "outputs"), SIZES)
def test_a_map(rows, inputs, outputs) -> None:
    assert_mapped(random(rows, inputs), [linear(inputs, outputs)])


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("rows", [1, 13, 1_031])
def test_maps_of_the_same_states(rows, count) -> None:
    """Of other widths each, every second without a bias."""
    maps = [linear(34, outputs, bias=number % 2 == 1) for number, outputs in enumerate((22, 46, 2, 62)[:count])]
    assert_mapped(random(rows, 34), maps)


@settings(max_examples=60)
@given(
    rows=st.integers(1, 41),
    inputs=st.integers(1, 43),
    maps=st.lists(st.tuples(st.integers(1, 47), st.booleans()), min_size=1, max_size=4),
    seed=st.integers(0, 1_000),
)
def test_maps_of_any_size(rows, inputs, maps, seed) -> None:
    torch.manual_seed(seed)
    assert_mapped(random(rows, 2 * inputs), [linear(2 * inputs, 2 * outputs, bias) for outputs, bias in maps])


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("rows", "width", "inner"), SIZES)
def test_a_feed_forward_layer(rows, width, inner, activation) -> None:
    def formula(y: Tensor, weight: Tensor, bias: Tensor, output_weight: Tensor, output_bias: Tensor) -> Tensor:
        hidden = ACTIVATIONS[activation](functional.linear(y, weight, bias))
        return functional.linear(hidden, output_weight, output_bias)

    maps = layer(width, inner)
    numbers = [number for one in maps for number in (one.weight, one.bias)]
    assert_same(lambda y, *_: feed_forward(y, *maps, activation), formula, [random(rows, width), *numbers])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_tails_of_an_activation(activation) -> None:
    """Number by number, with weights that change nothing: from where it is 0 to where it is x itself."""
    x = torch.linspace(-11, 11, 2 * 997).to(precision()).view(-1, 2).requires_grad_()
    maps = [nn.Linear(2, 2).to(precision()) for _ in range(2)]
    for one in maps:
        nn.init.eye_(one.weight)
        nn.init.zeros_(one.bias)
    y = feed_forward(x, *maps, activation)
    wide = x.detach().double().requires_grad_()
    wanted = ACTIVATIONS[activation](wide)
    torch.testing.assert_close(y.double(), wanted, rtol=0.005, atol=1e-8)
    (found,), (right,) = (torch.autograd.grad(one.sum(), of) for one, of in ((y, x), (wanted, wide)))
    torch.testing.assert_close(found.double(), right, rtol=0.005, atol=1e-6)


@pytest.mark.parametrize("activation", ["relu", "gelu", "swiglu"])
def test_the_layer_of_a_model(activation, monkeypatch) -> None:
    feed, x = FeedForward(34, 46, activation).to(precision()), random(2, 7, 34)
    found = feed(x)
    calls = watched(monkeypatch)
    with choice.by_torch():
        wanted = feed(x)
    assert not calls
    assert found.shape == x.shape
    assert_near(found, wanted.double(), 0.02)  # torch rounds between its steps, too


class TestStates:
    def test_of_more_axes(self) -> None:
        x, maps = random(3, 5, 7, 22), [linear(22, 26)]
        (y,) = map_states(x, maps)
        (flat,) = map_states(x.flatten(0, 2), maps)
        assert torch.equal(y.flatten(0, 2), flat)
        assert y.shape == (3, 5, 7, 26)
        (to_x,) = torch.autograd.grad(y.sum(), x)
        assert to_x.shape == x.shape

    def test_of_one_axis(self) -> None:
        assert_mapped(random(22), [linear(22, 26)])

    def test_that_lie_elsewhere(self) -> None:
        assert_mapped(random(22, 13).detach().T.requires_grad_(), [linear(22, 26), linear(22, 2)])
        assert_mapped(random(13, 3, 22)[:, 1].detach().requires_grad_(), [linear(22, 26)])
        assert_mapped(random(1, 22).detach().expand(13, 22).requires_grad_(), [linear(22, 26)])

    def test_whose_gradient_lies_elsewhere(self) -> None:
        x, one = random(13, 22), linear(22, 26)
        falls = random(26, 13, learns=False)
        found = gradients(map_states(x, [one]), [x, one.weight, one.bias], [falls.T])
        plain = gradients(map_states(x, [one]), [x, one.weight, one.bias], [falls.T.contiguous()])
        assert all(map(torch.equal, found, plain))

    def test_that_need_no_gradient(self, monkeypatch) -> None:
        x, one, both = random(13, 22), linear(22, 26), layer(22, 34)
        calls = watched(monkeypatch)
        for run in (lambda y: map_states(y, [one])[0], lambda y: feed_forward(y, *both, "gelu")):
            numbers = [number for a_map in ([one] if run(x).shape[-1] == 26 else both) for number in a_map.parameters()]
            wanted = torch.autograd.grad(run(x).sum(), numbers)
            assert calls[-1][-1] is not None
            found = torch.autograd.grad(run(x.detach()).sum(), numbers)
            assert calls[-1][-1] is None, "the address for their gradient"
            assert all(map(torch.equal, found, wanted))

    def test_of_which_one_map_is_not_used(self) -> None:
        x, maps = random(13, 22), [linear(22, 26), linear(22, 34), linear(22, 2)]
        numbers = [number for one in maps for number in (one.weight, one.bias)]
        assert_same(lambda y, *_: map_states(y, maps)[::2], lambda *all_: mapped(*all_)[::2], [x, *numbers])


class TestRows:
    """What becomes of a row does not depend on the others, to the bit."""

    @pytest.mark.parametrize("rows", [17, 1_031])
    def test_of_maps(self, rows) -> None:
        x, maps, falls = random(rows, 262), [linear(262, 38), linear(262, 6)], random(rows, 44, learns=False)

        def run(part: slice) -> tuple[Tensor, ...]:
            own = x[part].detach().requires_grad_()
            found = map_states(own, maps)
            return *found, *gradients(found, [own], falls[part].split([38, 6], -1))

        self.assert_by_rows(run, rows)

    @pytest.mark.parametrize("activation", ACTIVATIONS)
    def test_of_a_feed_forward_layer(self, activation) -> None:
        x, maps, falls = random(17, 34), layer(34, 58), random(17, 34, learns=False)

        def run(part: slice) -> tuple[Tensor, ...]:
            own = x[part].detach().requires_grad_()
            found = feed_forward(own, *maps, activation)
            return found, *gradients([found], [own], [falls[part]])

        self.assert_by_rows(run, 17)

    @staticmethod
    def assert_by_rows(run, rows: int) -> None:
        together = run(slice(None))
        for first, end in pairwise([0, 1, 3, 8, 11, rows - 1, rows]):
            assert all(
                torch.equal(one, all_[first:end]) for one, all_ in zip(run(slice(first, end)), together, strict=True)
            )


def test_the_same_call_gives_the_same_bits() -> None:
    x, maps, both = random(1_031, 34), [linear(34, 46), linear(34, 22, bias=False)], layer(34, 58)
    numbers = [number for one in (*maps, *both) for number in one.parameters()]

    def run() -> list[Tensor]:
        outputs = [*map_states(x, maps), feed_forward(x, *both, "gelu")]
        return [*outputs, *torch.autograd.grad([one.sum() for one in outputs], [x, *numbers])]

    assert all(map(torch.equal, run(), run()))


def test_a_larger_call_before_leaves_nothing_behind() -> None:
    """The library keeps the room that it needs; what a smaller call finds there is of no account."""
    x, maps, both = random(7, 22), [linear(22, 26), linear(22, 10)], layer(22, 34)

    def run(states: Tensor, maps: list[nn.Linear], both: tuple[nn.Linear, nn.Linear]) -> list[Tensor]:
        numbers = [number for one in (*maps, *both) for number in one.parameters()]
        outputs = [*map_states(states, maps), feed_forward(states, *both, "gelu")]
        return [*outputs, *torch.autograd.grad([one.sum() for one in outputs], [states, *numbers])]

    wanted = run(x, maps, both)
    larger = torch.full((1_031, 62), math.nan).to(precision()).requires_grad_()
    run(larger, [linear(62, 74), linear(62, 58)], layer(62, 82))
    assert all(map(torch.equal, run(x, maps, both), wanted))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=str)
class TestNoNumber:
    """What is no number reaches its whole row, and no other."""

    @staticmethod
    def with_it(number: float) -> Tensor:
        x = random(11, 34).detach()
        x[3, 5] = number
        return x.requires_grad_()

    def test_through_a_map(self, number) -> None:
        (y,) = map_states(self.with_it(number), [linear(34, 46)])
        assert not y[3].isfinite().any()
        assert y[[0, 1, 2, 4, 5, 6, 7, 8, 9, 10]].isfinite().all()

    @pytest.mark.parametrize("activation", ACTIVATIONS)
    def test_through_a_feed_forward_layer(self, number, activation) -> None:
        x, maps = self.with_it(number), layer(34, 46)
        y = feed_forward(x, *maps, activation)
        assert not y[3].isfinite().any()
        assert y[[0, 1, 2, 4, 5, 6, 7, 8, 9, 10]].isfinite().all()
        to_output_weight = torch.autograd.grad(y.sum(), maps[1].weight)[0]
        assert not to_output_weight.isfinite().all()

    def test_of_a_weight_and_of_a_gradient(self, number) -> None:
        x, one = random(11, 34), linear(34, 46)
        falls = torch.ones(11, 46)
        falls[2, 7] = number
        to_x, to_weight, to_bias = gradients(map_states(x, [one]), [x, one.weight, one.bias], [falls])
        assert not to_x[2].isfinite().any()
        assert not to_weight[7].isfinite().any()
        assert not to_bias[7].isfinite()
        assert to_x[3:].isfinite().all()
        one.weight.data[4, 4] = number
        assert not map_states(x, [one])[0][:, 4].isfinite().any()


class TestLeftToTorch:
    """What the library does not serve is computed by torch, to the bit."""

    @staticmethod
    def assert_by_torch(x: Tensor, maps: list[nn.Linear], monkeypatch: pytest.MonkeyPatch) -> None:
        calls = watched(monkeypatch)
        found = map_states(x, maps)
        assert not calls
        assert all(map(torch.equal, found, [one(x) for one in maps]))

    @staticmethod
    def assert_layer_by_torch(x: Tensor, maps: tuple[nn.Linear, nn.Linear], monkeypatch: pytest.MonkeyPatch) -> None:
        calls = watched(monkeypatch)
        for name, activation in ACTIVATIONS.items():
            found = feed_forward(x, *maps, name)
            assert not calls
            assert torch.equal(found, maps[1](activation(maps[0](x))))

    @pytest.mark.parametrize(("inputs", "outputs"), [(17, 22), (22, 17), (17, 19)])
    def test_odd_widths(self, inputs, outputs, monkeypatch) -> None:
        self.assert_by_torch(random(5, inputs), [linear(inputs, outputs)], monkeypatch)
        self.assert_layer_by_torch(random(5, inputs), layer(inputs, outputs), monkeypatch)

    def test_one_of_several_maps(self, monkeypatch) -> None:
        self.assert_by_torch(random(5, 22), [linear(22, 26), linear(22, 17)], monkeypatch)

    def test_too_many_maps_and_none(self, monkeypatch) -> None:
        self.assert_by_torch(random(5, 22), [linear(22, 26) for _ in range(5)], monkeypatch)
        assert map_states(random(5, 22), []) == ()

    @pytest.mark.parametrize("kind", [torch.float64, torch.float16])
    def test_another_precision(self, kind, monkeypatch) -> None:
        self.assert_by_torch(random(5, 22).to(kind), [linear(22, 26).to(kind)], monkeypatch)
        self.assert_layer_by_torch(random(5, 22).to(kind), tuple(one.to(kind) for one in layer(22, 26)), monkeypatch)

    def test_no_rows(self, monkeypatch) -> None:
        self.assert_by_torch(random(0, 22), [linear(22, 26)], monkeypatch)
        self.assert_layer_by_torch(random(3, 0, 22), layer(22, 26), monkeypatch)

    def test_frozen_weights(self, monkeypatch) -> None:
        maps = [linear(22, 26), linear(22, 34)]
        maps[1].weight.requires_grad_(False)
        self.assert_by_torch(random(5, 22), maps, monkeypatch)
        both = layer(22, 26)
        both[0].weight.requires_grad_(False)
        self.assert_layer_by_torch(random(5, 22), both, monkeypatch)

    def test_a_frozen_bias_gets_no_gradient(self) -> None:
        x, one = random(5, 22), linear(22, 26)
        one.bias.requires_grad_(False)
        map_states(x, [one])[0].sum().backward()
        assert one.bias.grad is None
        assert one.weight.grad is not None

    def test_no_gradient_wanted(self, monkeypatch) -> None:
        with torch.no_grad():
            self.assert_by_torch(random(5, 22), [linear(22, 26)], monkeypatch)
            self.assert_layer_by_torch(random(5, 22), layer(22, 26), monkeypatch)

    def test_several_threads(self, monkeypatch) -> None:
        torch.set_num_threads(2)
        self.assert_by_torch(random(5, 22), [linear(22, 26)], monkeypatch)
        self.assert_layer_by_torch(random(5, 22), layer(22, 26), monkeypatch)

    def test_asked_for(self, monkeypatch) -> None:
        with choice.by_torch():
            self.assert_by_torch(random(5, 22), [linear(22, 26)], monkeypatch)
            self.assert_layer_by_torch(random(5, 22), layer(22, 26), monkeypatch)


def test_the_library_is_called(monkeypatch) -> None:
    """Once for each map, and once for all gradients."""
    calls = watched(monkeypatch)
    x = random(5, 22)
    torch.autograd.grad([one.sum() for one in map_states(x, [linear(22, 26), linear(22, 2)])], x)
    assert calls.names == ["mirada_map", "mirada_map", "mirada_maps_back"]
    calls.clear()
    torch.autograd.grad(feed_forward(x, *layer(22, 26), "relu").sum(), x)
    assert calls.names == ["mirada_map", "mirada_map", "mirada_feed_forward_back"]


class TestWhatTorchRefuses:
    """What does not fit is left to torch, which says what is wrong, and what it can compute it computes."""

    def test_states_of_another_width(self) -> None:
        with pytest.raises(RuntimeError, match="mat1 and mat2"):
            map_states(random(3, 24), [linear(12, 16)])
        with pytest.raises(RuntimeError, match="mat1 and mat2"):
            feed_forward(random(3, 4), linear(12, 16), linear(16, 12), "relu")

    def test_layers_without_a_bias(self, monkeypatch) -> None:
        calls = watched(monkeypatch)
        states = random(3, 12)
        said = feed_forward(states, linear(12, 16, bias=False), linear(16, 12), "relu")
        torch.autograd.grad(said.sum(), states)
        assert calls == []

    def test_numbers_of_another_kind(self, monkeypatch) -> None:
        calls, one = watched(monkeypatch), linear(12, 16)
        one.bias = torch.nn.Parameter(one.bias.double())
        with pytest.raises(RuntimeError):
            map_states(random(3, 12), [one])
        assert calls == []
