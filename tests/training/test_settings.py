"""Settings: presets, files and the command line put together, and what is wrong with them told at once."""

from pathlib import Path

import pytest

from mirada.attention import Rotary, Shaw, Window
from mirada.corpora.verdict import PRESETS
from mirada.models.build import build
from mirada.training.settings import ConfigError, merge, preset_tree, read_sets, read_toml, validate


def test_the_command_line_wins_over_the_file_and_the_file_over_the_preset(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text('[model]\nwidth = 64\nnorm = "rms"\n[model.encoder]\nlayers = 5\n')
    tree = merge(preset_tree("small"), read_toml(path))
    config = validate(merge(tree, read_sets(["model.encoder.layers=2", "training.schedule=noam"])), "here")
    assert (config.model.width, config.model.norm, config.model.encoder.layers) == (64, "rms", 2)
    assert config.model.decoder.layers == 3
    assert config.training.schedule == "noam"


def test_every_word_of_attention_can_be_set() -> None:
    sets = [
        "model.encoder.pattern=window(3, 3)",
        "model.encoder.position=shaw(4, values=False)",
        "model.decoder.position=rotary",
        "model.cross.score=additive",
        "model.position=none",
    ]
    model = validate(read_sets(sets), "here").model
    assert model.encoder.pattern == Window(3, 3)
    assert model.encoder.position == Shaw(4, values=False)
    assert model.decoder.position == Rotary()
    assert model.position is None
    assert type(model).model_validate_json(model.model_dump_json()) == model


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("model.widht=3", "model.widht is not known; did you mean model.width?"),
        ("training.dropuot=0.1", "did you mean training.dropout?"),
        ("model.encoder.heads=3", "model.encoder.heads = 3 does not divide model.width = 256; use 2 or 4"),
        ("model.encoder.score=magic", "'magic' is not known; a score is one of dot"),
        ("model.encoder.position=shaw", "does not fit shaw(radius, keys, values)"),
        ("model.encoder.pattern=window(3", "cannot read the pattern"),
        ("training.dropout=1.5", "less than 1"),
        ("training.schedule=steep", "'linear', 'cosine', 'inverse_sqrt' or 'noam'"),
        ("model.width", "has no value"),
    ],
)
def test_a_wrong_setting_is_told_with_what_is_right(change: str, told: str) -> None:
    with pytest.raises(ConfigError) as problem:
        validate(merge(preset_tree("small"), read_sets([change])), "here")
    assert told in str(problem.value)


def test_all_errors_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as problem:
        validate(read_sets(["model.width=-1", "training.clip=-1", "data.longest=0"]), "here")
    assert all(name in str(problem.value) for name in ("model.width", "training.clip", "data.longest"))


def test_no_toml_is_told_by_name(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("width: 3")
    with pytest.raises(ConfigError, match=r"run\.toml is no TOML file"):
        read_toml(tmp_path / "run.toml")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_the_estimate_of_a_preset_is_near_its_real_size(preset) -> None:
    if preset.width > 512:
        pytest.skip("213 million parameters are built in a test of their own")
    model = build(validate(preset_tree(preset.name), "here").model, 8_000)
    real = sum(parameter.numel() for parameter in model.parameters())
    assert real == pytest.approx(preset.parameters(8_000), rel=0.02)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_the_fast_form_of_a_preset_has_a_deep_encoder_and_one_layer_to_decode(preset) -> None:
    usual, fast = (validate(preset_tree(name), "here") for name in (preset.name, f"{preset.name}-fast"))
    assert (fast.model.encoder.layers, fast.model.decoder.layers) == (2 * preset.layers, 1)
    assert (fast.model.width, fast.model.feed_forward) == (usual.model.width, usual.model.feed_forward)
    assert fast.model.encoder.groups is None
    assert fast.model.decoder.groups == fast.model.cross.groups < fast.model.decoder.heads
    assert fast.training == usual.training


def test_a_fast_form_is_one_of_the_transformer() -> None:
    with pytest.raises(ConfigError, match="use --preset tiny for a recurrent model"):
        preset_tree("tiny-fast", "recurrent")
    with pytest.raises(ConfigError, match="--preset huge-fast is not known; use tiny"):
        preset_tree("huge-fast")
