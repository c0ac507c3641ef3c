"""Patches are a strided convolution, and know where and when they stand."""

import pytest
import torch
from torch.nn import functional

from mirada.attention.position import sinusoidal
from mirada.layers.patches import ConvolutionalPatches, Patches, PatchGrid, PatchPlaces, cut, sinusoidal_places

GRID = PatchGrid(frames=1, rows=3, columns=5, patch=2, channels=3)


def test_patches_equal_a_convolution_whose_stride_is_its_size() -> None:
    patches = Patches(GRID, 7)
    pictures = torch.randn(2, 1, 3, 6, 10)
    kernel = patches.map.weight.view(7, 3, 2, 2)
    wanted = functional.conv2d(pictures[:, 0], kernel, patches.map.bias, stride=2).flatten(2).transpose(1, 2)
    torch.testing.assert_close(patches(pictures), wanted)


def test_frames_are_more_patches_one_frame_behind_another() -> None:
    clip = torch.randn(2, 4, 3, 6, 10)
    together = cut(clip, 2)
    assert together.shape == (2, 4 * 15, 12)
    torch.testing.assert_close(together[:, 15:30], cut(clip[:, 1:2], 2))


def test_pictures_that_patches_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="6 × 10 pixels cannot be cut into patches of 4 × 4"):
        cut(torch.zeros(1, 1, 1, 6, 10), 4)


def test_a_stem_of_convolutions_sees_beyond_its_patch() -> None:
    grid = PatchGrid(frames=2, rows=4, columns=4, patch=4, channels=1)
    stem = ConvolutionalPatches(grid, 12)
    clip = torch.randn(3, 2, 1, 16, 16)
    states = stem(clip)
    assert states.shape == (3, 32, 12)
    clip[0, 1, 0, 7, 7] += 100  # the last pixel of patch (1, 1) of the second frame
    changed = (stem(clip) - states).abs().amax(-1)[0] > 1e-6
    assert changed[16 + 5]
    assert changed[16 + 10]  # its neighbour sees it, too
    assert not changed[16]
    assert not changed[:16].any()  # another frame
    with pytest.raises(ValueError, match="halves the picture"):
        ConvolutionalPatches(GRID.__class__(1, 3, 5, 3, 3), 7)


def test_sinusoidal_places_tell_rows_columns_and_time() -> None:
    places = sinusoidal_places(GRID, 12)
    rows, columns = sinusoidal(torch.arange(3), 6, 10_000.0), sinusoidal(torch.arange(5), 6, 10_000.0)
    torch.testing.assert_close(places[7], torch.cat([rows[1], columns[2]]))
    clip = sinusoidal_places(PatchGrid(2, 3, 5, 2, 3), 14)
    torch.testing.assert_close(clip[15 + 7, :4], sinusoidal(torch.arange(2), 4, 10_000.0)[1])
    torch.testing.assert_close(clip[15 + 7, 4:], clip[7, 4:])
    assert len(clip.unique(dim=0)) == 30
    with pytest.raises(ValueError, match="too narrow"):
        PatchPlaces(GRID, 3, "sinusoidal")


@pytest.mark.parametrize("kind", ["learned", "sinusoidal", "none"])
def test_a_prefix_stands_before_the_places(kind: str) -> None:
    places = PatchPlaces(GRID, 12, kind, prefix=1)  # type: ignore[arg-type]
    found = places(torch.zeros(2, 16, 12))
    assert found.shape == (2, 16, 12)
    if kind != "learned":
        assert not found[:, 0].any()
    assert bool(found[:, 1:].any()) == (kind != "none")
