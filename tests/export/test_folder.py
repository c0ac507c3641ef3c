"""An exported folder that is damaged, foreign or not whole, and what is said of it."""

import json
import shutil
from pathlib import Path

import pytest

from mirada.export import folder as folders
from mirada.export.choice import EngineName, open_engines
from mirada.export.ctranslate2 import write
from mirada.export.engine import ExportedEngine
from mirada.export.folder import ABOUT, MODEL, SETTINGS, SUBWORDS, VOCABULARY, ExportError, fingerprint
from mirada.models.folder import WEIGHTS, load
from mirada.text.vocabulary import learn
from mirada.translator import Translator
from tests.export.models import model_folder, random_model, shape


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    write(random_model(shape()), folder)
    return folder


@pytest.fixture
def exported(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "copy")
    return tmp_path / "copy"


def refused(folder: Path) -> str:
    with pytest.raises(ExportError) as found:
        Translator.load(folder)
    return str(found.value)


@pytest.mark.parametrize("name", [SETTINGS, MODEL, VOCABULARY, SUBWORDS])
def test_a_missing_file(exported, name) -> None:
    (exported / name).unlink()
    assert f"{name} is missing; copy the whole folder, or export the model again" in refused(exported)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'"x"', b"[" * 100_000, b"\xff", b"{}", b'{"source": 3}'])
def test_a_damaged_description(exported, data) -> None:
    (exported / ABOUT).write_bytes(data)
    assert f"{ABOUT} is damaged" in refused(exported)


def test_a_newer_or_unknown_description(exported) -> None:
    about = json.loads((exported / ABOUT).read_text())
    (exported / ABOUT).write_text(json.dumps(about | {"schema_number": 2}))
    assert "has schema 2; this version of mirada reads up to 1" in refused(exported)
    (exported / ABOUT).write_text(json.dumps(about | {"run": "rm"}))
    assert "run: Extra inputs" in refused(exported)


@pytest.mark.parametrize("data", [b"", b"no model at all", bytes(200)])
def test_a_damaged_model(exported, data) -> None:
    (exported / MODEL).write_bytes(data)
    assert "cannot be loaded by CTranslate2" in refused(exported)


def test_a_cut_model(exported) -> None:
    whole = (exported / MODEL).read_bytes()
    (exported / MODEL).write_bytes(whole[: len(whole) // 2])
    assert "cannot be loaded by CTranslate2" in refused(exported)


def test_subwords_of_another_model(exported) -> None:
    learn(["Another text altogether, with other words in it."], 400).subwords.save(exported / SUBWORDS)
    assert "one of them is from another model" in refused(exported)
    (exported / SUBWORDS).write_bytes(b"nothing")
    assert "no SentencePiece model" in refused(exported)


@pytest.mark.parametrize("data", [b"", b"{}", b'["<pad>"]', b"[" * 100_000])
def test_a_damaged_vocabulary(exported, data) -> None:
    (exported / VOCABULARY).write_bytes(data)
    assert VOCABULARY in refused(exported)


def test_a_file_larger_than_it_can_be(exported, monkeypatch) -> None:
    monkeypatch.setitem(folders.LARGEST, SETTINGS, 10)
    assert "at most 10 are read" in refused(exported)


def test_without_ctranslate2_it_is_said(exported, monkeypatch) -> None:
    monkeypatch.setattr("mirada.export.engine.is_installed", lambda: False)
    assert "pip install 'mirada[ctranslate2]'" in refused(exported)


def test_weights_are_told_apart(tmp_path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(bytes(1_000_000))
    second.write_bytes(bytes(999_999) + b"x")
    assert fingerprint(first) != fingerprint(second)
    second.write_bytes(bytes(1_000_000))
    assert fingerprint(first) == fingerprint(second)
    second.write_bytes(b"")
    assert fingerprint(second)


class TestInside:
    """An export within a model's own folder."""

    @pytest.fixture
    def model(self, tmp_path: Path) -> Path:
        folder = model_folder(tmp_path / "model")
        (folder / "export").mkdir()
        write(load(folder), folder / "export", weights=folder / WEIGHTS)
        return folder

    def test_it_is_used_and_torch_where_it_cannot_be(self, model) -> None:
        from mirada.decoding.options import Search

        engines = open_engines(model)
        assert isinstance(engines.first, ExportedEngine)
        assert engines.choose(Search()).engine.name == "ctranslate2"
        assert engines.choose(Search(sampling=True)).engine.name == "torch"
        assert engines.loaded.config.source == "en"

    def test_one_can_be_asked_for(self, model) -> None:
        assert open_engines(model, EngineName.TORCH).first.name == "torch"
        assert open_engines(model, EngineName.CTRANSLATE2).first.name == "ctranslate2"
        with pytest.raises(ExportError, match="torch cannot compute it"):
            open_engines(model / "export", EngineName.TORCH)

    def test_an_export_of_other_weights_is_not_used(self, model) -> None:
        weights = model / WEIGHTS
        weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\0")
        engines = open_engines(model)
        assert engines.first.name == "torch"
        with pytest.raises(ExportError, match="exported from other weights; make it again with `mirada export"):
            open_engines(model, EngineName.CTRANSLATE2)

    def test_a_damaged_export_is_not_used(self, model) -> None:
        (model / "export" / MODEL).write_bytes(b"x")
        assert open_engines(model).first.name == "torch"

    def test_without_ctranslate2_torch_serves(self, model, monkeypatch) -> None:
        monkeypatch.setattr("mirada.export.engine.is_installed", lambda: False)
        assert open_engines(model).first.name == "torch"

    def test_no_export_at_all(self, model) -> None:
        shutil.rmtree(model / "export")
        assert open_engines(model).first.name == "torch"
        with pytest.raises(ExportError, match="holds no exported model; make one with"):
            open_engines(model, EngineName.CTRANSLATE2)
