"""Readers of pictures and captioners: their sizes, their laws, and what cannot be built."""

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from mirada.attention import Full, Grid, record
from mirada.corpora.pair import Place
from mirada.corpora.pictures.fitting import choose_shape
from mirada.corpora.pictures.picture import Picture, PictureShape
from mirada.models.build import build_captioner, build_patches
from mirada.models.captioner_config import CaptionerConfig
from mirada.models.config import StackConfig
from mirada.models.labelling_config import ClassifierHeadConfig
from mirada.models.patches_config import PatchesConfig
from mirada.models.patches_presets import ALL
from mirada.models.picture_folder import build_classifier

SHAPE = PictureShape(height=6, width=10, channels=3)
STACK = StackConfig(layers=2, heads=2)
SMALL = PatchesConfig(patch=2, width=8, feed_forward=16, stack=STACK)


def test_a_reader_has_a_state_for_each_patch_and_the_class_token() -> None:
    pictures = torch.randn(3, 1, 3, 6, 10)
    assert build_patches(SMALL, SHAPE)(pictures).shape == (3, 15, 8)
    reader = build_patches(SMALL.model_copy(update={"class_token": True}), SHAPE, seed=1)
    assert reader(pictures).shape == (3, 16, 8)
    torch.testing.assert_close(reader(pictures)[1:2], reader(pictures[1:2]))


def test_without_positions_patches_may_change_places() -> None:
    reader = build_patches(SMALL.model_copy(update={"position": "none"}), SHAPE, seed=1)
    pictures = torch.randn(1, 1, 3, 6, 10)
    swapped = pictures.flip(-1).unflatten(-1, (5, 2)).flip(-1).flatten(-2)  # columns of patches in reverse
    states, other = reader(pictures), reader(swapped)
    torch.testing.assert_close(other.view(3, 5, 8).flip(1), states.view(3, 5, 8))


def test_a_grid_keeps_patches_to_their_neighbours_and_lets_the_class_token_see_all() -> None:
    pattern = Grid(3, 5, 1, prefix=1)
    stack = StackConfig(layers=1, heads=2, pattern=pattern)
    reader = build_patches(SMALL.model_copy(update={"stack": stack, "class_token": True}), SHAPE, seed=1)
    pictures = torch.randn(1, 1, 3, 6, 10)
    changed = pictures.clone()
    changed[..., :2, :2] += 1  # the first patch
    differ = (reader(pictures) - reader(changed)).abs().amax(-1)[0] > 1e-6
    assert differ.nonzero().flatten().tolist() == [0, 1, 2, 6, 7]
    with record(reader) as maps:
        reader(pictures)
    assert len(maps) == 1
    assert SMALL.stack.pattern == Full()


@pytest.mark.parametrize(
    ("height", "width", "patch"), [(28, 28, 4), (8, 8, 2), (72, 72, 8), (64, 64, 8), (32, 32, 4), (16, 48, 4)]
)
def test_patches_suit_the_size_of_the_pictures(height: int, width: int, patch: int) -> None:
    assert PatchesConfig().grid(PictureShape(height=height, width=width)).patch == patch
    assert PatchesConfig(stem="convolution").grid(PictureShape(height=height, width=width)).patch == patch


@pytest.mark.parametrize("side", range(9, 97))
def test_every_size_that_is_chosen_can_be_cut(side: int) -> None:
    shape = choose_shape([Picture((np.zeros((side, side), dtype=np.uint8),), Place("", 1))], None, None, None)
    assert shape is not None
    assert abs(shape.height - side) <= 4
    for stem in ("linear", "convolution"):
        assert PatchesConfig(stem=stem).grid(shape).places <= 360


def test_sizes_that_do_not_fit_are_told() -> None:
    with pytest.raises(ValueError, match=r"model.patch = 4 does not divide pictures of 6 × 10; use --set data.size=8"):
        SMALL.model_copy(update={"patch": 4}).grid(SHAPE)
    with pytest.raises(ValueError, match=r"no patch suits pictures of 29 × 29; use --set data.size=24"):
        PatchesConfig().grid(PictureShape(height=29, width=29))
    with pytest.raises(ValidationError, match=r"model.stack.heads"):
        PatchesConfig(width=10)


def test_a_captioner_says_step_by_step_what_it_says_at_once() -> None:
    config = CaptionerConfig(patch=2, width=8, feed_forward=16, encoder=STACK, decoder=STACK, cross={"heads": 2})
    model = build_captioner(config, SHAPE, 11, seed=1).eval()
    pictures, tokens = torch.randn(2, 1, 3, 6, 10), torch.tensor([[2, 5, 7], [2, 9, 4]])
    with torch.inference_mode():
        wanted = model.output.scores(model(pictures, None, tokens, None).flatten(0, 1)).view(2, 3, 11)
        state = model.start(pictures, None)
        for place in range(3):
            scores, state = model.step(tokens[:, place], state)
            torch.testing.assert_close(scores, wanted[:, place])
    assert len(model.looks_at_source()) == 2


def test_the_paper_size_has_as_many_parameters_as_the_paper_says() -> None:
    """ViT-B/16 on 224 × 224 with 1,000 labels: 86 M (Dosovitskiy et al. 2021, table 1)."""
    preset = ALL["vit-b16"]
    shape = PictureShape(height=preset.size or 0, width=preset.size or 0, channels=3)
    with torch.device("meta"):
        model = build_classifier(preset.config, ClassifierHeadConfig(pooling="first"), shape, 1_000)
    assert sum(one.numel() for one in model.parameters()) == pytest.approx(86e6, rel=0.04)
