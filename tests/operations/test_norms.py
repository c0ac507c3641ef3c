"""Layer norm, compiled: what torch gives, for any number of rows and any width."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional

from mirada.layers.norm import Norm
from mirada.operations import choice
from mirada.operations.norms import layer_norm
from tests.operations.compiled import MARKS, assert_same, gradients, precision, random, watched

pytestmark = MARKS


def norm_of(width: int) -> nn.LayerNorm:
    """A norm in bf16 whose gain and shift are not those that it begins with."""
    norm = nn.LayerNorm(width)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    return norm.to(precision())


def assert_normed(x: Tensor, norm: nn.LayerNorm) -> None:
    def formula(y: Tensor, gain: Tensor, shift: Tensor) -> Tensor:
        return functional.layer_norm(y, gain.shape, gain, shift, norm.eps)

    assert_same(lambda y, *_: layer_norm(y, norm), formula, [x, norm.weight, norm.bias])


@pytest.mark.parametrize("width", [2, 3, 17, 31, 34, 62, 131])
@pytest.mark.parametrize("rows", [1, 7, 1_031])
def test_rows_of_any_width(rows, width) -> None:
    assert_normed(random(rows, width), norm_of(width))


@settings(max_examples=60)
@given(
    rows=st.integers(1, 23),
    width=st.integers(17, 101),
    mean=st.floats(-300, 300),
    size=st.floats(3, 100),
    seed=st.integers(0, 1_000),
)
def test_rows_of_any_mean_and_deviation(rows, width, mean, size, seed) -> None:
    torch.manual_seed(seed)
    assert_normed((torch.randn(rows, width) * size + mean).to(precision()).requires_grad_(), norm_of(width))


def test_rows_that_do_not_vary() -> None:
    """Their deviation is that of epsilon: what is left is the shift, and finite."""
    x, norm = torch.full((5, 23), 3.0).to(precision()).requires_grad_(), norm_of(23)
    y = layer_norm(x, norm)
    torch.testing.assert_close(y, norm.bias.expand(5, 23))
    assert all(one.isfinite().all() for one in torch.autograd.grad(y.square().sum(), [x, *norm.parameters()]))


def test_states_of_more_axes_that_lie_elsewhere() -> None:
    x, norm = random(3, 23, 5), norm_of(23)
    turned = x.detach().transpose(1, 2).requires_grad_()
    assert_normed(turned, norm)
    assert torch.equal(layer_norm(turned, norm).flatten(0, 1), layer_norm(turned.flatten(0, 1), norm))


def test_states_that_need_no_gradient() -> None:
    x, norm = random(13, 22), norm_of(22)
    wanted = torch.autograd.grad(layer_norm(x, norm).square().sum(), norm.parameters())
    found = torch.autograd.grad(layer_norm(x.detach(), norm).square().sum(), norm.parameters())
    assert all(map(torch.equal, found, wanted))


def test_a_row_does_not_depend_on_the_others() -> None:
    x, norm, falls = random(11, 37), norm_of(37), random(11, 37, learns=False)

    def run(part: slice) -> tuple[Tensor, Tensor]:
        own = x[part].detach().requires_grad_()
        found = layer_norm(own, norm)
        return found, *gradients([found], [own], [falls[part]])

    together = run(slice(None))
    for row in range(11):
        alone = run(slice(row, row + 1))
        assert all(torch.equal(one, all_[row : row + 1]) for one, all_ in zip(alone, together, strict=True))


def test_the_same_call_gives_the_same_bits() -> None:
    x, norm = random(1_031, 37), norm_of(37)

    def run() -> list[Tensor]:
        y = layer_norm(x, norm)
        return [y, *torch.autograd.grad(y.square().sum(), [x, *norm.parameters()])]

    assert all(map(torch.equal, run(), run()))


@pytest.mark.parametrize("number", [math.nan, math.inf], ids=str)
def test_what_is_no_number_reaches_its_row(number) -> None:
    x, norm = random(7, 37).detach(), norm_of(37)
    x[3, 5] = number
    y = layer_norm(x.requires_grad_(), norm)
    assert y[3].isnan().all()
    assert y[[0, 1, 2, 4, 5, 6]].isfinite().all()
    to_x, to_gain = torch.autograd.grad(y.sum(), [x, norm.weight])
    assert to_x[3].isnan().all()
    assert to_x[[0, 1, 2, 4, 5, 6]].isfinite().all()
    assert to_gain.isnan().all()


class TestLeftToTorch:
    @staticmethod
    def assert_by_torch(x: Tensor, norm: nn.LayerNorm, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = watched(monkeypatch)
        found = layer_norm(x, norm)
        assert not calls
        assert torch.equal(found, norm(x))

    def test_another_precision(self, monkeypatch) -> None:
        self.assert_by_torch(random(5, 22).double(), norm_of(22).double(), monkeypatch)

    def test_a_wider_norm(self, monkeypatch) -> None:
        self.assert_by_torch(random(5, 22).bfloat16(), norm_of(22).float(), monkeypatch)

    def test_a_frozen_gain(self, monkeypatch) -> None:
        norm = norm_of(22)
        norm.weight.requires_grad_(False)
        self.assert_by_torch(random(5, 22), norm, monkeypatch)

    def test_no_rows(self, monkeypatch) -> None:
        self.assert_by_torch(random(0, 22), norm_of(22), monkeypatch)

    def test_no_gradient_wanted(self, monkeypatch) -> None:
        with torch.no_grad():
            self.assert_by_torch(random(5, 22), norm_of(22), monkeypatch)

    def test_several_threads(self, monkeypatch) -> None:
        torch.set_num_threads(2)
        self.assert_by_torch(random(5, 22), norm_of(22), monkeypatch)

    def test_asked_for(self, monkeypatch) -> None:
        with choice.by_torch():
            self.assert_by_torch(random(5, 22), norm_of(22), monkeypatch)


@pytest.mark.parametrize(("kind", "names"), [("layer", ["mirada_norm"]), ("rms", []), ("batch", [])])
def test_which_norms_of_a_model_the_library_computes(kind, names, monkeypatch) -> None:
    calls = watched(monkeypatch)
    Norm(22, kind).to(precision())(random(2, 5, 22))
    assert calls.names == names
