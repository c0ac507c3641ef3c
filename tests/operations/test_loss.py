"""The loss, compiled: what torch gives, for any number of places and tokens, and finite where a target is unlikely."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from mirada.layers.output import OutputLayer
from mirada.operations import choice
from mirada.operations.loss import cross_entropy, serves
from tests.operations.compiled import MARKS, assert_near, precision, random, watched, widened

pytestmark = MARKS

# Places, width and tokens. The library takes 256 places at a time, and 32 tokens are a panel.
SIZES = [
    (1, 2, 11),
    (1, 34, 17),
    (7, 46, 31),
    (13, 22, 64),
    (256, 10, 37),
    (257, 34, 101),
    (521, 22, 997),
    (3, 262, 2_003),
]


def spoken(places: int, width: int, tokens: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """States, weight, bias and targets: logits differ by a few."""
    weight = (2 * torch.randn(tokens, width) / width**0.5).to(precision()).requires_grad_()
    return random(places, width), weight, random(tokens), torch.randint(tokens, (places,))


def formula(states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    return functional.cross_entropy(functional.linear(states, weight, bias), targets, label_smoothing=smoothing)


def assert_said(
    states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float, times: float = 1
) -> None:
    """Loss and gradients are those of the formula, when three times the loss is asked for."""
    learnt = states, weight, bias
    wide = [widened(one) for one in learnt]
    found, wanted = cross_entropy(*learnt, targets, smoothing), formula(*wide, targets, smoothing)
    assert found.item() == pytest.approx(wanted.item(), rel=1e-5, abs=1e-5)
    to_learnt, to_wide = torch.autograd.grad(3 * found, learnt), torch.autograd.grad(3 * wanted, wide)
    for one, right in zip(to_learnt, to_wide, strict=True):
        assert_near(one, right, times)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(("places", "width", "tokens"), SIZES)
def test_places_and_tokens(places, width, tokens, smoothing) -> None:
    assert_said(*spoken(places, width, tokens), smoothing)


@settings(max_examples=60)
@given(
    places=st.integers(1, 19),
    width=st.integers(11, 37),
    tokens=st.integers(11, 103),
    smoothing=st.sampled_from([0.0, 0.01, 0.1]),
    seed=st.integers(0, 1_000),
)
def test_any_size(places, width, tokens, smoothing, seed) -> None:
    torch.manual_seed(seed)
    # All numbers of a place are rounded together, up to four times: alone it may be off twice as much as among others.
    assert_said(*spoken(places, 2 * width, tokens), smoothing, 2)


@pytest.mark.parametrize("tokens", [1, 2, 3])
def test_few_tokens(tokens) -> None:
    # Of a single one nothing is left but what two sums differ by.
    assert_said(*spoken(7, 22, tokens), 0.0, times=20 if tokens == 1 and precision() == torch.float32 else 1)


def test_a_place_that_is_surely_right() -> None:
    """Nearly nothing is left to learn, and the little is right."""
    weight, bias = torch.zeros(31, 22).to(precision()).requires_grad_(), torch.zeros(31).to(precision())
    bias[5] = 12.0
    assert_said(random(7, 22), weight, bias.requires_grad_(), torch.full((7,), 5), 0.0)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("behind", [60.0, 100.0, 200.0, 1_000.0])
def test_a_target_that_is_far_less_likely_than_another_token(behind, smoothing) -> None:
    states, weight, bias = (
        random(7, 22),
        torch.zeros(31, 22).to(precision()).requires_grad_(),
        torch.zeros(31).to(precision()),
    )
    bias[5] = behind
    learnt = states, weight, bias.requires_grad_()
    targets = torch.full((7,), 3)
    found = cross_entropy(*learnt, targets, smoothing)
    assert found.isfinite()
    assert found > 0.9 * min(behind, 80.0)
    wide = [widened(one) for one in learnt]
    wanted = formula(*wide, targets, smoothing)
    to_learnt, to_wide = torch.autograd.grad(found, learnt), torch.autograd.grad(wanted, wide)
    for one, right in zip(to_learnt, to_wide, strict=True):
        assert one.isfinite().all()
        assert_near(one, right)


class TestStates:
    def test_that_need_no_gradient(self) -> None:
        states, weight, bias, targets = spoken(13, 22, 31)
        wanted = torch.autograd.grad(cross_entropy(states, weight, bias, targets, 0.1), [weight, bias])
        found = torch.autograd.grad(cross_entropy(states.detach(), weight, bias, targets, 0.1), [weight, bias])
        assert all(map(torch.equal, found, wanted))

    def test_that_lie_elsewhere(self) -> None:
        states, weight, bias, targets = spoken(13, 22, 31)
        turned = states.detach().T.contiguous().T.requires_grad_()
        apart = torch.stack([targets, targets + 1], 1)[:, 0]
        wanted = cross_entropy(states, weight, bias, targets, 0.1)
        found = cross_entropy(turned, weight, bias, apart, 0.1)
        assert torch.equal(found, wanted)
        assert torch.equal(*(torch.autograd.grad(loss, of)[0] for loss, of in ((found, turned), (wanted, states))))

    def test_a_place_does_not_depend_on_the_others(self) -> None:
        """To the bit where the number of places is a power of two, whose share rounds nothing."""
        states, weight, bias, targets = spoken(512, 22, 31)
        (together,) = torch.autograd.grad(cross_entropy(states, weight, bias, targets, 0.1), states)
        for place in (0, 7, 255, 256, 511):
            own = states[place : place + 1].detach().requires_grad_()
            alone = cross_entropy(own, weight, bias, targets[place : place + 1], 0.1)
            assert torch.equal(torch.autograd.grad(alone, own)[0], 512 * together[place : place + 1])


def test_the_same_call_gives_the_same_bits() -> None:
    *learnt, targets = spoken(521, 22, 101)

    def run() -> list[Tensor]:
        loss = cross_entropy(*learnt, targets, 0.1)
        return [loss, *torch.autograd.grad(loss, learnt)]

    assert all(map(torch.equal, run(), run()))


def test_a_gradient_may_be_asked_for_twice() -> None:
    *learnt, targets = spoken(7, 22, 31)
    loss = cross_entropy(*learnt, targets, 0.1)
    first, second = torch.autograd.grad(loss, learnt, retain_graph=True), torch.autograd.grad(2 * loss, learnt)
    assert all(torch.equal(2 * one, two) for one, two in zip(first, second, strict=True))


def test_a_larger_loss_before_leaves_nothing_behind() -> None:
    """The library keeps the room that it needs; what a smaller loss finds there is of no account."""
    *learnt, targets = spoken(7, 22, 31)

    def run() -> list[Tensor]:
        loss = cross_entropy(*learnt, targets, 0.1)
        return [loss, *torch.autograd.grad(loss, learnt)]

    wanted = run()
    states, *others = spoken(13, 34, 101)
    cross_entropy(torch.full_like(states, math.nan), *others, 0.0)
    assert all(map(torch.equal, run(), wanted))


@pytest.mark.parametrize("target", [-1, -100, 31, 2**40])
def test_a_target_that_is_no_token(target) -> None:
    *learnt, targets = spoken(7, 22, 31)
    targets[3] = target
    with pytest.raises(ValueError, match="7 places need as many targets, each one of 31 tokens"):
        cross_entropy(*learnt, targets, 0.1)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf], ids=str)
@pytest.mark.parametrize("which", [0, 1])
def test_what_is_no_number_is_not_hidden(which, number) -> None:
    """In the states its own place has no gradient; in a weight, every place."""
    *learnt, targets = spoken(7, 22, 31)
    targets[:] = 5
    learnt[which].data[3, 5] = number
    loss = cross_entropy(*learnt, targets, 0.0)
    if which == 0 or number != -math.inf:  # a logit of −∞ is that of a token that is never said
        assert not loss.isfinite()
        to_states, *_ = torch.autograd.grad(loss, learnt)
        assert not to_states[3].isfinite().all()
    if which == 0:
        assert to_states[[0, 1, 2, 4, 5, 6]].isfinite().all()


class TestLeftToTorch:
    @staticmethod
    def assert_by_torch(layer: OutputLayer, states: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
        calls, targets = watched(monkeypatch), torch.randint(len(layer.weight), (len(states),))
        assert not serves(states, layer.weight, layer.bias)
        found = layer.loss(states, targets, 0.1)
        assert not calls
        assert_near(found, formula(states.double(), layer.weight.double(), layer.bias.double(), targets, 0.1), times=2)

    def test_odd_widths(self, monkeypatch) -> None:
        self.assert_by_torch(OutputLayer.of(31, 23).to(precision()), random(7, 23), monkeypatch)

    def test_another_precision(self, monkeypatch) -> None:
        self.assert_by_torch(OutputLayer.of(31, 22).double(), random(7, 22).double(), monkeypatch)

    @pytest.mark.parametrize("name", ["weight", "bias"])
    def test_frozen_numbers(self, name, monkeypatch) -> None:
        layer = OutputLayer.of(31, 22).to(precision())
        getattr(layer, name).requires_grad_(False)
        self.assert_by_torch(layer, random(7, 22), monkeypatch)

    def test_no_gradient_wanted(self, monkeypatch) -> None:
        with torch.no_grad():
            self.assert_by_torch(OutputLayer.of(31, 22).to(precision()), random(7, 22), monkeypatch)

    def test_several_threads(self, monkeypatch) -> None:
        torch.set_num_threads(2)
        self.assert_by_torch(OutputLayer.of(31, 22).to(precision()), random(7, 22), monkeypatch)

    def test_asked_for(self, monkeypatch) -> None:
        with choice.by_torch():
            self.assert_by_torch(OutputLayer.of(31, 22).to(precision()), random(7, 22), monkeypatch)


def test_the_loss_of_a_model_calls_the_library(monkeypatch) -> None:
    calls, layer = watched(monkeypatch), OutputLayer.of(31, 22).to(precision())
    states, targets = random(7, 22), torch.randint(31, (7,))
    loss = layer.loss(states, targets, 0.1)
    loss.backward()
    assert calls.names == ["mirada_loss"]
    assert torch.equal(loss, cross_entropy(states, layer.weight, layer.bias, targets, 0.1))
    assert loss.dtype == torch.float32
    assert {one.grad.dtype for one in (states, layer.weight, layer.bias)} == {precision()}


@pytest.mark.parametrize("tokens", [4, 2_503, 7_001])
def test_a_target_far_below_all_others(tokens: int) -> None:
    """Where all others together are too likely for float32, too, as torch has it."""
    states, weight, bias, _ = spoken(5, 34, tokens)
    with torch.no_grad():
        bias[0] = -100
    assert_said(states, weight, bias, torch.zeros(5, dtype=torch.int64), 0.1)


def test_others_that_differ_far_above_the_target() -> None:
    states, weight = random(1, 2), torch.zeros(4, 2).to(precision()).requires_grad_()
    bias = torch.tensor([0.0, 200.0, 150.0, 90.0]).to(precision()).requires_grad_()
    loss = cross_entropy(states, weight, bias, torch.tensor([0]), 0.0)
    assert loss.item() == pytest.approx(200)
    assert torch.autograd.grad(loss, bias)[0].tolist() == pytest.approx([-1, 1, 0, 0], abs=1e-6)


def test_targets_of_another_kind() -> None:
    states, weight, bias, targets = spoken(7, 34, 31)
    wanted = cross_entropy(states, weight, bias, targets, 0.1)
    assert cross_entropy(states, weight, bias, targets.int(), 0.1).equal(wanted)
