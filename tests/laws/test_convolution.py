"""A depthwise convolution is attention with Free weights and identity values."""

import torch
from hypothesis import strategies as some
from torch.nn.functional import conv1d, conv2d

from mirada.attention import Attention, Free, Grid, Heads, Maps, Window
from tests.laws.choices import answers, assert_close, law, seeds, states

radii = some.sampled_from([0, 1, 2, 3])
sides = some.sampled_from([1, 2, 3, 5, 7, 11])
groups = some.sampled_from([(1, 5), (5, 1), (3, 2), (2, 3)])  # how many heads, and channels of each


def convolution(channels: int, heads: int, score: Free, pattern: Grid | Window) -> Attention:
    """An attention that sees no content, on bare states, one head for each group of channels."""
    return Attention(channels, heads=Heads(heads), score=score, pattern=pattern, maps=Maps.identity())


@law(seed=seeds, height=sides, width=sides, radius=radii, group=groups)
def test_grid_attention_with_free_weights_is_conv2d(
    seed: int, height: int, width: int, radius: int, group: tuple[int, int]
) -> None:
    heads, each = group
    x = states(seed, height * width, width=heads * each)
    attention = convolution(heads * each, heads, Free(radius, columns=width), Grid(height, width, radius))
    side = 2 * radius + 1
    weight = attention.scorer.weight.view(heads, 1, side, side).repeat_interleave(each, 0)
    picture = x.mT.unflatten(-1, (height, width))
    wanted = conv2d(picture, weight, padding=radius, groups=heads * each).flatten(2).mT
    assert_close(attention(x), wanted)
    for output in answers(attention.problem(x)).values():
        assert_close(output.transpose(1, 2).flatten(2), wanted)


@law(seed=seeds, length=sides, radius=radii, group=groups)
def test_window_attention_with_free_weights_is_conv1d(
    seed: int, length: int, radius: int, group: tuple[int, int]
) -> None:
    heads, each = group
    x = states(seed, length, width=heads * each)
    attention = convolution(heads * each, heads, Free(radius), Window(radius, radius))
    weight = attention.scorer.weight[:, None].repeat_interleave(each, 0)
    wanted = conv1d(x.mT, weight, padding=radius, groups=heads * each).mT
    for output in answers(attention.problem(x)).values():
        assert_close(output.transpose(1, 2).flatten(2), wanted)


@law(seed=seeds, length=sides, radius=radii)
def test_a_causal_window_with_free_weights_is_a_causal_convolution(seed: int, length: int, radius: int) -> None:
    x = states(seed, length, width=5)
    attention = convolution(5, 5, Free(radius), Window(radius, 0))
    weight = attention.scorer.weight[:, None, : radius + 1]  # offsets −radius to 0
    wanted = conv1d(x.mT, weight, padding=radius, groups=5)[:, :, :length].mT
    for output in answers(attention.problem(x)).values():
        assert_close(output.transpose(1, 2).flatten(2), wanted)


@law(seed=seeds, radius=radii)
def test_the_gradient_of_the_weights_is_that_of_conv2d(seed: int, radius: int) -> None:
    height, width, channels = 3, 5, 2
    x = states(seed, height * width, width=channels)
    attention = convolution(channels, channels, Free(radius, columns=width), Grid(height, width, radius))
    direction = torch.randn(len(x), channels, height, width)
    side = 2 * radius + 1
    weight = attention.scorer.weight.detach().view(channels, 1, side, side).requires_grad_()
    picture = x.mT.unflatten(-1, (height, width))
    (wanted,) = torch.autograd.grad(
        (conv2d(picture, weight, padding=radius, groups=channels) * direction).sum(), weight
    )
    for output in answers(attention.problem(x)).values():
        total = (output[..., 0].unflatten(-1, (height, width)) * direction).sum()
        (found,) = torch.autograd.grad(total, attention.scorer.weight)
        assert_close(found.view_as(wanted), wanted)


@law(seed=seeds, prefix=some.sampled_from([1, 2, 3]))
def test_a_prefix_stands_outside_the_convolved_picture(seed: int, prefix: int) -> None:
    height, width, channels = 3, 5, 2
    x = states(seed, prefix + height * width, width=channels)
    score, pattern = Free(1, columns=width, prefix=prefix), Grid(height, width, 1, prefix=prefix)
    attention = convolution(channels, channels, score, pattern)
    weight = attention.scorer.weight.view(channels, 1, 3, 3)
    picture = x[:, prefix:].mT.unflatten(-1, (height, width))
    wanted = conv2d(picture, weight, padding=1, groups=channels).flatten(2)
    for output in answers(attention.problem(x)).values():
        assert_close(output[:, :, prefix:, 0], wanted)
        assert (output[:, :, :prefix] == 0).all()
