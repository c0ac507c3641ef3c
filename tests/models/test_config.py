"""The union of model configs: by kind, old ones without it, and every error under its own name."""

import pytest
from pydantic import ValidationError

from mirada.attention import Additive, Uniform
from mirada.models.config import ModelConfig as AnyModel
from mirada.models.config import RecurrentConfig, Strict, TransformerConfig, problems
from mirada.training.settings import ConfigError, kind_in, merge, preset_tree, read_sets, validate


class Holder(Strict):
    model: AnyModel = TransformerConfig()


def told(**model: object) -> str:
    with pytest.raises(ValidationError) as error:
        Holder.model_validate({"model": model})
    return problems(error.value, Holder, "here")


def test_the_kind_decides_and_the_transformer_needs_none() -> None:
    assert isinstance(Holder.model_validate({"model": {"width": 64}}).model, TransformerConfig)
    assert isinstance(Holder.model_validate({"model": {"kind": "transformer"}}).model, TransformerConfig)
    recurrent = Holder.model_validate({"model": {"kind": "recurrent", "attention": {"score": "mean"}}})
    assert isinstance(recurrent.model, RecurrentConfig)
    assert recurrent.model.attention.score == Uniform()
    assert Holder.model_validate_json(recurrent.model_dump_json()) == recurrent
    none = Holder.model_validate({"model": {"kind": "recurrent", "attention": {"score": "none"}}})
    assert none.model.attention.score is None
    assert Holder.model_validate_json(none.model_dump_json()) == none


def test_an_unknown_kind_is_told_with_those_that_are_known() -> None:
    assert "use kind = transformer or recurrent" in told(kind="recurent")


def test_an_unknown_key_is_compared_with_those_of_its_own_kind() -> None:
    assert "model.decoder.cel is not known; did you mean model.decoder.cell?" in told(
        kind="recurrent", decoder={"cel": "gru"}
    )
    assert "model.feed_foward is not known; did you mean model.feed_forward?" in told(feed_foward=3)
    assert "feed_forward" not in told(kind="recurrent", feed_forward=3).partition("did you mean")[2]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"encoder": {"cell": "lstn"}}, "model.encoder.cell: Input should be 'rnn', 'gru' or 'lstm'"),
        ({"encoder": {"width": 255}}, "the directions of model.encoder = 2 does not divide model.encoder.width = 255"),
        (
            {"encoder": {"width": 128}, "attention": {"score": "dot"}},
            "model.encoder.width = 128 and model.decoder.width = 256; make them equal, or use bilinear or additive",
        ),
        ({"attention": {"feeding": True, "when": "before"}}, "use model.attention.when = after"),
        ({"attention": {"feeding": True, "when": "after", "score": "none"}}, "model.attention.feeding = false"),
        (
            {"attention": {"heads": 3}},
            "model.attention.heads = 3 does not divide model.encoder.width = 256",
        ),
        ({"attention": {"score": "adaptive"}}, "'adaptive' is not known; a score is one of dot"),
        ({"encoder": {"layers": 0}, "decoder": {"width": -1}}, "model.decoder.width"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_told_with_what_does(change: dict[str, object], sentence: str) -> None:
    assert sentence in told(kind="recurrent", **change)


@pytest.mark.parametrize("name", ["tiny", "small", "base", "big"])
def test_presets_have_a_recurrent_shape(name: str) -> None:
    model = validate(preset_tree(name, "recurrent"), "here").model
    assert isinstance(model, RecurrentConfig)
    assert model.encoder.width == model.decoder.width == model.width == validate(preset_tree(name), "here").model.width
    assert model.attention.score == Additive()


def test_settings_choose_the_kind_and_everything_in_it() -> None:
    sets = read_sets(["model.kind=recurrent", "model.decoder.cell=gru", "model.attention.score=bilinear"])
    config = validate(merge(preset_tree("tiny", kind_in(sets)), sets), "here")
    assert config.model.decoder.cell == "gru"
    assert config.model.look.startswith("bilinear, ")
    with pytest.raises(ConfigError, match=r"model\.feed_forward is not known"):
        validate(merge(preset_tree("tiny", kind_in(sets)), merge(sets, read_sets(["model.feed_forward=3"]))), "here")
