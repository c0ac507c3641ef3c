"""Products of matrices by oneDNN: which are, and that they are what torch's own are."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from mirada.layers.output import OutputLayer
from mirada.operations import products
from mirada.operations.maps import feed_forward, map_states

NEAR = {"rtol": 1e-4, "atol": 1e-3}  # sums of up to 2,048 products of about 1, in another order
LARGE = [(64, 256, 257), (2_048, 33, 63), (3, 50, 140, 200)]  # rows, inputs and outputs: 2²² products or more
SMALL = (8, 256, 256)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes that oneDNN has multiplied from now on, on a processor whose vectors MKL leaves half unused."""
    shapes: list[tuple[int, ...]] = []
    by_onednn = torch.ops.mkldnn._linear_pointwise

    def noted(x: Tensor, weight: Tensor, *rest: Any) -> Tensor:
        shapes.append((*x.shape, len(weight)))
        return by_onednn(x, weight, *rest)

    monkeypatch.setattr(products, "_idles_by_mkl", torch.backends.mkldnn.is_available)
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", noted)
    return shapes


@pytest.fixture(autouse=True)
def processors() -> Iterator[None]:
    """What was read of this processor is read anew before and after each test."""
    products._idles_by_mkl.cache_clear()
    yield
    products._idles_by_mkl.cache_clear()


def leaves(*shape: int, bias: bool) -> list[Tensor | None]:
    """States, a weight and perhaps a bias, which learn."""
    *rows, inputs, outputs = shape
    x, weight = torch.randn(*rows, inputs, requires_grad=True), torch.randn(outputs, inputs, requires_grad=True)
    return [x, weight, torch.randn(outputs, requires_grad=True) if bias else None]


def learnt(compute: Callable[..., Tensor], numbers: list[Tensor | None]) -> list[Tensor]:
    """What is computed, and the gradients."""
    y = compute(*numbers)
    y.backward(torch.ones_like(y).cumsum(-1) / y.shape[-1])
    held = [one for one in numbers if one is not None]
    gradients = [one.grad for one in held if one.grad is not None]
    for one in held:
        one.grad = None
    return [y.detach(), *gradients]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", LARGE)
def test_a_linear_map_is_what_torch_makes_of_it(taken, shape, bias) -> None:
    numbers = leaves(*shape, bias=bias)
    ours = learnt(products.linear, numbers)
    assert len(taken) == 3  # forwards, to the states, to the weight
    torch.testing.assert_close(ours, learnt(functional.linear, numbers), **NEAR)


def test_nothing_is_computed_for_what_does_not_learn(taken) -> None:
    x, weight, bias = leaves(64, 256, 257, bias=True)
    assert x is not None
    products.linear(x.detach(), weight, bias).sum().backward()
    assert len(taken) == 2
    assert x.grad is None


def test_without_gradients_torch_decides(taken) -> None:
    with torch.no_grad():
        products.linear(*leaves(64, 256, 257, bias=True))
    assert not taken


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(leaves(*SMALL, bias=True), id="small"),
        pytest.param([torch.randn(64, 256).bfloat16(), torch.randn(257, 256).bfloat16()], id="bf16"),
        pytest.param([torch.randn(64, 256).double(), torch.randn(257, 256).double()], id="float64"),
    ],
)
def test_the_rest_is_left_to_torch(taken, numbers) -> None:
    torch.testing.assert_close(products.linear(*numbers), functional.linear(*numbers))
    torch.testing.assert_close(products.multiplied(*numbers), functional.linear(*numbers))
    assert not taken


def test_widths_that_do_not_fit_are_refused_as_by_torch(taken) -> None:
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        products.linear(torch.randn(512, 256), torch.randn(512, 128))
    assert not taken


@pytest.mark.parametrize(
    ("processor", "idles"),
    [
        ({"cpu_name": "AMD EPYC 9755 128-Core Processor", "avx512_vp2intersect": True}, True),
        ({"cpu_name": "AMD EPYC 9654 96-Core Processor", "avx512_vp2intersect": False}, False),
        ({"cpu_name": "Intel(R) Core(TM) i7-1185G7", "avx512_vp2intersect": True}, False),  # MKL uses all of it there
        ({}, False),
    ],
)
def test_only_zen_5_computes_with_more_than_mkl_uses(monkeypatch, processor, idles) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: processor)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    assert products._idles_by_mkl() is idles


def test_maps_and_feed_forward_layers_compute_by_it(taken) -> None:
    x = torch.randn(128, 256, requires_grad=True)
    maps = [nn.Linear(256, 256), nn.Linear(256, 128, bias=False)]
    torch.testing.assert_close(map_states(x, maps), tuple(one(x) for one in maps), **NEAR)
    inner, output = nn.Linear(256, 512), nn.Linear(512, 256)
    torch.testing.assert_close(feed_forward(x, inner, output, "relu"), output(inner(x).relu()), **NEAR)
    assert [shape[1:] for shape in taken] == [(256, 256), (256, 128), (256, 512), (512, 256)]


def test_the_loss_and_its_gradients_compute_by_it(taken) -> None:
    """Over two chunks, the second of them too small."""
    states, layer = torch.randn(520, 64, requires_grad=True), OutputLayer.of(500, 64)
    targets = torch.randint(500, (520,))
    layer.loss(states, targets, 0.1).backward()
    assert taken == [(512, 64, 500), (512, 500, 64), (500, 512, 64)]
    ours = [one.grad for one in (states, layer.weight, layer.bias)]
    for one in (states, layer.weight, layer.bias):
        one.grad = None
    logits = functional.linear(states, layer.weight, layer.bias)
    functional.cross_entropy(logits, targets, label_smoothing=0.1).backward()
    torch.testing.assert_close(ours, [one.grad for one in (states, layer.weight, layer.bias)])
