"""The façade of language models: texts that can be had again, and scores of others."""

from dataclasses import replace
from math import log
from pathlib import Path

import pytest

from mirada.generator import Generator
from mirada.models.build import build
from mirada.models.config import LanguageModelConfig, StackConfig
from mirada.models.folder import FolderError, tensors_of
from mirada.models.language_folder import CHARACTERS, LanguageFolderConfig, save
from mirada.models.ngram import Ngram
from mirada.text.characters import Characters
from tests.viewing.generators import RECURRENT, generator

LETTERS = "abcdefgh "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    units = Characters(LETTERS)
    model = LanguageModelConfig(context=6, width=8, feed_forward=8, stack=StackConfig(layers=1, heads=2))
    config = LanguageFolderConfig(units="characters", vocabulary=units.size, model=model)
    tensors = tensors_of(build(model, units.size, seed=2))
    # Nearly uniform, so that every token would be said, the special ones too.
    save(tmp_path, config, {name: tensor * 1e-3 for name, tensor in tensors.items()}, units, "A model for tests.\n")
    return tmp_path


def test_the_same_seed_writes_the_same_text(folder: Path) -> None:
    generator = Generator.load(folder)
    first, second = generator.generate("abc", 40, 2, seed=3)
    assert first.text.startswith("abc")
    assert len(first.text) == 3 + 40 == 3 + first.tokens
    assert first.text != second.text
    assert generator.generate("abc", 40, seed=3)[0].text == first.text, "whatever is written beside it"
    assert generator.generate("abc", 40, seed=4)[0].text == second.text


@pytest.mark.parametrize("prompt", ["", "abc", "the fox " * 9], ids=["nothing", "short", "longer than the context"])
@pytest.mark.parametrize("kind", ["causal", "recurrent", "ngram"])
def test_the_prompt_is_read_once_for_all_texts(kind: str, prompt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = generator(shape=RECURRENT) if kind == "recurrent" else generator()
    if kind == "ngram":
        text = writer.loaded.units.encode(["the fox jumps", "a dog"])
        counted = Ngram.count(text, 3, writer.loaded.units.size, writer.loaded.units.line_end)
        writer = Generator(replace(writer.loaded, model=counted))
    alone = [writer.generate(prompt, 7, seed=seed)[0] for seed in range(3)]
    read: list[int] = []
    start = writer.loaded.model.start
    monkeypatch.setattr(writer.loaded.model, "start", lambda source: read.append(len(source)) or start(source))
    together = writer.generate(prompt, 7, 3)
    assert read[0] == 1
    assert [one.text for one in together] == [one.text for one in alone]
    assert len({one.text for one in together}) > 1
    logs = [one.log_probability for one in alone]
    assert [one.log_probability for one in together] == pytest.approx(logs, abs=1e-4)


def test_only_text_is_written(folder: Path) -> None:
    written = Generator.load(folder).generate("", 500)[0]
    assert set(written.text) == {*LETTERS, "\n"}
    assert written.tokens == len(written.text)


def test_the_likeliest_token_alone_is_greedy(folder: Path) -> None:
    generator = Generator.load(folder)
    texts = {generator.generate("a", 12, top_k=1, seed=seed)[0].text for seed in range(3)}
    assert len(texts) == 1
    assert {generator.generate("a", 12, temperature=1e-9, seed=seed)[0].text for seed in range(3)} == texts


def test_a_uniform_model_scores_as_such(folder: Path) -> None:
    generator = Generator.load(folder)
    score = generator.score(["abc", "", "de"])
    assert (score.tokens, score.characters, score.context, score.stride) == (8, 8, 6, 6)
    assert score.loss == pytest.approx(log(14), abs=0.01)
    assert score.perplexity == pytest.approx(14, abs=0.2)
    assert score.bits_per_character == pytest.approx(score.loss / log(2))
    assert generator.score(["abc", "", "de"], stride=2).signature.startswith("context:6|stride:2")
    assert generator.unknown(["xyz", "a"]) == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"length": 0}, "length = 0; use 1 to 100,000"),
        ({"temperature": 0.0}, "temperature = 0.0; use a number above 0"),
        ({"top_p": 2.0}, "top_p = 2.0"),
        ({"count": 0}, "n_best = 0"),
    ],
)
def test_wrong_wishes_are_told(folder: Path, words: dict[str, float], told: str) -> None:
    with pytest.raises(ValueError, match=told.replace(".", r"\.")):
        Generator.load(folder).generate("a", **words)  # type: ignore[arg-type]


def test_units_of_another_model_are_told(folder: Path) -> None:
    (folder / CHARACTERS).write_bytes(Characters("xyz").to_bytes())
    with pytest.raises(FolderError, match="has 8 units, but the model was trained with 14"):
        Generator.load(folder)
    (folder / CHARACTERS).write_bytes(b"{}")
    with pytest.raises(FolderError, match=r"characters\.json: this is no vocabulary"):
        Generator.load(folder)
    (folder / CHARACTERS).unlink()
    with pytest.raises(FolderError, match="is missing"):
        Generator.load(folder)
