"""Many texts are shared between two calls of an exported engine, and nobody can tell."""

from pathlib import Path

import pytest

from mirada.decoding.options import Search
from mirada.export.ctranslate2 import write
from mirada.export.engine import ExportedEngine
from mirada.translator import Translator
from tests.export.models import random_model, shape
from tests.translators import TEXTS

MANY = [f"{text} {word}." for word in ("no", "two", "the dog") for text in TEXTS] + ["", " ", *TEXTS, *TEXTS]


@pytest.fixture
def translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Translator:
    monkeypatch.setattr("mirada.decoding.limits.LENGTHS", 1)
    monkeypatch.setattr("mirada.decoding.limits.MORE", 2)
    write(random_model(shape()), tmp_path)
    return Translator.load(tmp_path)


def test_the_translations_are_those_of_one_call(translator, monkeypatch) -> None:
    search = Search(beam=2, n_best=2)
    alone = translator.translate_with(MANY, search, align=True)
    counts: list[int] = []
    honest = ExportedEngine.decode
    monkeypatch.setattr(
        ExportedEngine,
        "decode",
        lambda self, sources, asked, demands=(): counts.append(len(sources)) or honest(self, sources, asked, demands),
    )
    monkeypatch.setattr("mirada.translator.LEAST_SHARED", 4)
    shared = translator.translate_with(MANY, search, align=True)
    assert [one.source for one in shared] == MANY
    assert [(one.text, one.alignment, one.flags) for one in shared] == [
        (one.text, one.alignment, one.flags) for one in alone
    ]
    different = len({text for text in MANY if text.strip()})
    assert min(sorted(counts)[-2:]) >= different // 2  # or more, where a text is read in parts


def test_an_error_in_a_share_is_that_of_the_call(translator, monkeypatch) -> None:
    monkeypatch.setattr("mirada.translator.LEAST_SHARED", 4)
    with pytest.raises(ValueError, match="draws no samples"):
        translator.translate_with(MANY, Search(sampling=True))
