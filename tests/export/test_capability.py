"""Every reason at once why a model has no CTranslate2 form."""

import pytest

from mirada.attention import Additive, Dot, Learned, Rotary, Shaw, Window
from mirada.export.capability import reasons_against, require_form
from mirada.export.folder import ExportError
from mirada.models.config import LookConfig
from mirada.training.settings import preset_tree, validate
from tests.export.models import shape, stack


def test_all_reasons_are_told() -> None:
    model = shape(
        norm="batch",
        position_join="concatenate",
        encoder=stack(score=Additive(), pattern=Window(2, 2), position=Shaw(3)),
        decoder=stack(position=Rotary(), pattern=Window(4, 0)),
        cross=LookConfig(heads=4, score=Dot(), position=Rotary()),
    )
    found = reasons_against(model)
    for word in (
        "model.norm = 'batch'",
        "model.position_join = 'concatenate'",
        "model.cross.heads = 4 differs from model.decoder.heads = 2",
        "model.encoder.position = 'shaw(radius=3)' goes with no position at the embedding",
        "model.decoder.position = 'rotary' goes with no position at the embedding",
        "model.encoder.score = 'additive'",
        "model.encoder.pattern = 'window(2, 2)'",
        "model.decoder.pattern = 'window(4, 0)'",
        "model.cross.score = 'dot'",
        "model.cross.position = 'rotary'",
    ):
        assert sum(word in reason for reason in found) == 1, word
    assert len(found) == 10
    with pytest.raises(ExportError, match=r"has no CTranslate2 form: .*batch.*; and .*window") as refused:
        require_form(model)
    assert all(reason in str(refused.value) for reason in found)


@pytest.mark.parametrize("model", [shape(), shape(norm_order="post", activation="swiglu", position=Learned(9))])
def test_usual_models_have_one(model) -> None:
    assert reasons_against(model) == []
    require_form(model)


def test_a_fast_preset_has_one() -> None:
    assert reasons_against(validate(preset_tree("tiny-fast"), "here").model) == []
