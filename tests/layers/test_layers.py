"""The layers by themselves: the loss and its gradient, the norms, the dropout."""

import pytest
import torch
from torch.nn import functional

from mirada.attention import Sinusoidal
from mirada.layers import output as output_module
from mirada.layers.convolution import CausalConvolution
from mirada.layers.embedding import Embedding
from mirada.layers.noise import LEVELS, Noise
from mirada.layers.norm import BatchNorm, Norm
from mirada.layers.output import OutputLayer


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("chunk", [3, 512])
def test_the_loss_and_its_gradient_are_those_of_torch(monkeypatch, smoothing, chunk) -> None:
    monkeypatch.setattr(output_module, "CHUNK", chunk)
    torch.manual_seed(0)
    layer = OutputLayer.of(11, 5).double()
    torch.nn.init.normal_(layer.bias)
    states = torch.randn(7, 5, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(0, 11, (7,))
    inputs = [states, layer.weight, layer.bias]
    logits = functional.linear(states, layer.weight, layer.bias)
    wanted = functional.cross_entropy(logits, targets, label_smoothing=smoothing)
    found = layer.loss(states, targets, smoothing)
    torch.testing.assert_close(found, wanted)
    for one, other in zip(torch.autograd.grad(3 * found, inputs), torch.autograd.grad(3 * wanted, inputs), strict=True):
        torch.testing.assert_close(one, other)


def test_a_loss_over_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no place"):
        OutputLayer.of(5, 3).loss(torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64))


def test_scores_are_log_probabilities() -> None:
    scores = OutputLayer.of(11, 5).scores(torch.randn(3, 5))
    torch.testing.assert_close(scores.exp().sum(-1), torch.ones(3))


def test_batch_norm_leaves_padding_out_and_equals_torch_without() -> None:
    torch.manual_seed(0)
    ours, theirs = BatchNorm(5), torch.nn.BatchNorm1d(5)
    x = torch.randn(3, 4, 5)
    torch.testing.assert_close(ours(x), theirs(x.flatten(0, 1)).view(3, 4, 5))
    real = torch.tensor([[True] * 4, [True] * 2 + [False] * 2, [True] * 3 + [False]])
    changed = x.masked_fill(~real[..., None], 1e6)
    torch.testing.assert_close(ours(x, real)[real], ours(changed, real)[real])
    ours.eval()
    torch.testing.assert_close(ours(x)[0], ours(x[:1])[0])


def test_batch_norm_of_one_place_says_so() -> None:
    with pytest.raises(ValueError, match="two real places"):
        BatchNorm(3)(torch.zeros(1, 1, 3))


@pytest.mark.parametrize("kind", ["layer", "rms", "batch"])
def test_every_norm_keeps_the_shape(kind) -> None:
    assert Norm(6, kind)(torch.randn(2, 3, 6)).shape == (2, 3, 6)


def test_dropout_keeps_the_mean_and_drops_its_share() -> None:
    x = torch.ones(200, 500)
    dropped = Noise(0.25, seed=1, step=2).drop(x)
    assert abs(float((dropped == 0).float().mean()) - 0.25) < 0.01
    assert abs(float(dropped.mean()) - 1) < 0.01


def test_dropout_draws_anew_at_every_place_and_its_gradient_has_the_same_holes() -> None:
    noise = Noise(0.5, seed=1, step=2)
    x = torch.ones(37, requires_grad=True)
    first, second = noise.drop(x), noise.drop(x)
    assert not torch.equal(first, second)
    (gradient,) = torch.autograd.grad(first.sum(), x)
    assert torch.equal(gradient, first.detach())


def test_no_dropout_is_the_same_tensor() -> None:
    x = torch.ones(3)
    assert Noise(0.0, seed=1, step=2).drop(x) is x
    with pytest.raises(ValueError, match="dropout = 1"):
        Noise(1.0, seed=1, step=1)


@pytest.mark.parametrize("threshold", [1, 2, 128, 254, 255])
def test_a_number_is_kept_whose_byte_reaches_the_threshold(threshold: int) -> None:
    noise = Noise(threshold / LEVELS, seed=3, step=5)
    drawn = torch.empty(125, dtype=torch.int64)
    drawn.random_(-(2**63), None, generator=torch.Generator().set_state(noise.generator.get_state()))
    kept = noise.mask(torch.empty(1_000))
    assert kept is not None
    assert (kept != 0).equal(drawn.view(torch.uint8) >= threshold)
    assert noise.mask(torch.empty(1_000, dtype=torch.bfloat16)) is not None


def test_the_highest_rates_keep_a_little() -> None:
    kept = Noise(0.9999, seed=1, step=1).mask(torch.empty(100_000))
    assert kept is not None
    assert 0 < int(kept.count_nonzero()) < 1_000


def test_positions_side_by_side_need_room() -> None:
    with pytest.raises(ValueError, match="no room"):
        Embedding(7, 8, Sinusoidal(), "concatenate", position_width=8)


def test_a_convolution_adds_a_map_of_each_place_and_those_before_it() -> None:
    convolution = CausalConvolution(4, places=3).double()
    x = torch.randn(2, 5, 4, dtype=torch.float64)
    torch.nn.init.normal_(convolution.places_map.bias)
    maps, bias = convolution.places_map.weight.split(4, 1), convolution.places_map.bias
    for row in range(2):
        for place in range(5):
            seen = sum(maps[back] @ x[row, place - back] for back in range(3) if place >= back)
            torch.testing.assert_close(convolution(x)[row, place], x[row, place] + seen + bias)
    with pytest.raises(ValueError, match="sees nothing before a place; use 2 or more"):
        CausalConvolution(4, places=1)
