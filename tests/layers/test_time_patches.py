"""Patches of time: golden cuts."""

import torch

from mirada.layers.time_patches import TimePatches, cut, patches_in


def test_the_last_patch_ends_with_the_series() -> None:
    series = torch.arange(7.0)[None, :, None]
    assert cut(series, 3, 2)[0, ..., 0].tolist() == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    assert cut(series, 4, 2)[0, ..., 0].tolist() == [[0, 0, 1, 2], [1, 2, 3, 4], [3, 4, 5, 6]]
    assert [patches_in(steps, 4, 2) for steps in (4, 5, 6, 7)] == [1, 2, 2, 3]


def test_all_channels_of_a_patch_are_mapped_together() -> None:
    layer = TimePatches(2, 3, 3, 5)
    series = torch.randn(7, 6, 2)
    expected = layer.map(series[:, 3:].reshape(7, -1))
    torch.testing.assert_close(layer(series)[:, 1], expected)
