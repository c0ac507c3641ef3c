"""`mirada explain`: the kernel of every layer, its cost by hand, and how it grows."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.attention import parse
from mirada.cli.app import app
from mirada.models.build import build
from mirada.models.config import LanguageConfig, LanguageModelConfig, NgramConfig, RecurrentLanguageConfig, StackConfig
from mirada.models.folder import tensors_of
from mirada.models.language_folder import LanguageFolderConfig, save
from mirada.text.characters import Characters
from tests.translators import random_folder

WIDTH, HEADS, CONTEXT = 8, 2, 2_048


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


def language_folder(folder: Path, model: LanguageConfig) -> Path:
    units = Characters("abc")
    config = LanguageFolderConfig(units="characters", vocabulary=units.size, model=model)
    tensors = {} if isinstance(model, NgramConfig) else tensors_of(build(model, units.size, seed=1))
    save(folder, config, tensors, units, "A model for tests.\n")
    return folder


def looking(folder: Path, pattern: str) -> Path:
    stack = StackConfig(layers=3, heads=HEADS, pattern=parse(pattern))
    return language_folder(folder, LanguageModelConfig(context=CONTEXT, width=WIDTH, feed_forward=8, stack=stack))


def attentions_of(folder: Path, *words: object) -> list[dict[str, object]]:
    result = mirada("explain", folder, *words, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    found: list[dict[str, object]] = told["attentions"]
    return found


def test_a_window_is_linear_and_forgets(tmp_path: Path) -> None:
    (one,) = attentions_of(looking(tmp_path / "model", "window(100, 0)"))
    assert one["names"] == [f"stack.blocks.{number}.self_attention" for number in range(3)]
    assert (one["pattern"], one["position"]) == ("causal & window(100, 0)", "none")
    using = one["using"]
    pairs = 64 * 32 * 132  # blocks of 32 places, each looking at 100 before it
    assert (using["kernel"], using["pairs"], using["all_pairs"]) == ("BLOCKED", pairs, CONTEXT**2)
    assert using["flops"] == 2 * HEADS * pairs * 2 * (WIDTH // HEADS)
    assert one["step"]["kept"] == 100
    assert one["step"]["flops"] == 2 * HEADS * 101 * 2 * (WIDTH // HEADS)
    assert one["power"] == pytest.approx(1, abs=0.02)
    assert [row["length"] for row in one["growth"]] == [64, 256, 1_024, CONTEXT, 4_096, 16_384]


def test_full_attention_is_quadratic_and_keeps_all(tmp_path: Path) -> None:
    (one,) = attentions_of(looking(tmp_path / "model", "full"), "--length", 500, "--batch", 3)
    assert (one["pattern"], one["using"]["kernel"]) == ("causal", "FUSED")
    assert one["using"]["flops"] == 2 * 3 * HEADS * (500 * 500 // 2) * 2 * (WIDTH // HEADS)
    assert (one["step"]["kept"], one["power"]) == (500, pytest.approx(2))


def test_a_union_keeps_what_its_stride_needs(tmp_path: Path) -> None:
    (one,) = attentions_of(looking(tmp_path / "model", "window(16, 0) | strided(45)"))
    assert (one["using"]["kernel"], one["training"]["kernel"]) == ("GATHERED", "GATHERED")
    assert "tiles of causal & (window(16, 0) | strided(45))" in one["using"]["reason"]
    assert one["step"]["kept"] == CONTEXT


def test_a_translator_looks_at_itself_and_at_the_source(tmp_path: Path) -> None:
    folder = random_folder(tmp_path / "translator")
    encoder, decoder, cross = attentions_of(folder, "--length", 40)
    assert [one["looks_at"] for one in (encoder, decoder, cross)] == ["itself", "itself", "the source"]
    assert [one["pattern"] for one in (encoder, decoder, cross)] == ["full", "causal", "full"]
    assert [one["step"] is None for one in (encoder, decoder, cross)] == [True, False, True]
    lines = mirada("explain", folder).stdout
    assert "encoder.blocks.0.self_attention, at itself" in lines
    assert "1 × 128 places" in lines
    assert "grows as n^2.0" in lines


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (NgramConfig(), "kind ngram, which has no attention over a sequence"),
        (RecurrentLanguageConfig(width=4), "kind recurrent_language, which has no attention over a sequence"),
    ],
    ids=["ngram", "recurrent"],
)
def test_a_model_without_attention_is_told(tmp_path: Path, model: LanguageConfig, told: str) -> None:
    result = mirada("explain", language_folder(tmp_path, model))
    assert (result.exit_code, told in result.stderr) == (2, True)


def test_wrong_words_are_told(tmp_path: Path) -> None:
    assert "is no folder of a model" in mirada("explain", tmp_path / "none").stderr
    folder = random_folder(tmp_path / "translator")
    assert "length = 200,000; use 1 to 131,072" in mirada("explain", folder, "--length", 200_000).stderr
