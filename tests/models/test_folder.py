"""A model's folder: what is written is read again, and what is damaged, foreign or missing is told by name."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from mirada.models.folder import FolderError, load, read_config, save, tensors_of
from mirada.translator import Translator

FIXTURES = Path(__file__).parents[1] / "fixtures" / "models"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FIXTURES / "schema-1", tmp_path / "model"))


@pytest.mark.parametrize("made", sorted(FIXTURES.iterdir()), ids=lambda path: path.name)
def test_folders_of_all_versions_still_load_and_say_the_same(made: Path) -> None:
    expected = json.loads((made / "expected.json").read_text(encoding="utf-8"))
    translator = Translator.load(made)
    said = translator.translate([one["source"] for one in expected], beam=3, align=True)
    for one, found in zip(expected, said, strict=True):
        assert found.text == one["text"]
        assert found.score == pytest.approx(one["score"], abs=1e-4)
        assert [list(link) for link in found.alignment or ()] == one["alignment"]


def test_what_is_saved_is_loaded(folder: Path, tmp_path: Path) -> None:
    loaded = load(folder)
    save(tmp_path / "copy", loaded.config, tensors_of(loaded.model), loaded.subwords, "# A card\n")
    again = load(tmp_path / "copy")
    assert again.config == loaded.config
    assert all(
        again_one.equal(one) for again_one, one in zip(again.model.parameters(), loaded.model.parameters(), strict=True)
    )
    assert again.model.output.weight is again.model.embedding.weight, "what was tied stays tied"
    assert (folder / "model.safetensors").read_bytes() == (tmp_path / "copy" / "model.safetensors").read_bytes()


def test_loading_draws_no_numbers(folder: Path) -> None:
    before = torch.get_rng_state()
    load(folder)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "subwords.model"])
def test_a_missing_or_truncated_file_is_told_by_name(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    for damaged in (data[: len(data) // 2], b"", b"PK\x03\x04 something else"):
        (folder / name).write_bytes(damaged)
        with pytest.raises(FolderError, match=name.replace(".", r"\.")):
            load(folder)
    (folder / name).unlink()
    with pytest.raises(FolderError, match="is missing"):
        load(folder)


def test_tensors_of_another_model_are_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    save_file(tensors | {"embedding.weight": torch.zeros(3, 3)}, path)
    with pytest.raises(FolderError, match=r"embedding\.weight: \(3, 3\) in the file"):
        load(folder)
    save_file({"x": torch.zeros(2)}, path)
    with pytest.raises(FolderError, match="does not fit the config"):
        load(folder)


def test_subwords_of_another_model_are_refused(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"vocabulary": config["vocabulary"] + 1}))
    with pytest.raises(FolderError, match="the file is from another model"):
        load(folder)


def test_subwords_that_do_not_know_the_slots_of_the_model_are_refused(folder: Path) -> None:
    assert load(folder).config.slots == 0, "a folder that says nothing of slots has none"
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"slots": 12}))
    with pytest.raises(FolderError, match="500 subwords and 0 slots, but the model was trained with 500 and 12"):
        load(folder)


def test_a_newer_folder_and_an_unknown_key_are_told(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"schema_number": 99}))
    with pytest.raises(FolderError, match="install a newer one"):
        read_config(folder)
    (folder / "config.json").write_text(json.dumps(config | {"vocabulry": 3}))
    with pytest.raises(FolderError, match=r"vocabulry is not known; did you mean vocabulary\?"):
        read_config(folder)
    (folder / "config.json").write_text("[1]")
    with pytest.raises(FolderError, match="holds no JSON object"):
        read_config(folder)


def test_a_config_cannot_ask_for_the_impossible(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["model"]["width"] = 10**9
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(FolderError, match=r"model\.width"):
        load(folder)


def test_what_is_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="is no folder of a model"):
        load(tmp_path / "nothing")
