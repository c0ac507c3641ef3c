"""The package that Argos Translate installs: one folder in a zip file, with all that it reads."""

import json
from zipfile import ZipFile

import sentencepiece

from mirada.export.argos import pack, package_name
from mirada.export.ctranslate2 import write
from tests.export.models import random_model, shape
from tests.translators import subwords


def test_the_layout(tmp_path) -> None:
    (tmp_path / "folder").mkdir()
    exported = write(random_model(shape()), tmp_path / "folder").model_copy(update={"target": "pt-BR"})
    (tmp_path / "folder" / "card.md").write_text("A card.\n")
    assert package_name(exported) == "translate-en_pt"
    for name in ("one", "two"):
        pack(tmp_path / "folder", exported, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with ZipFile(tmp_path / "one") as file:
        assert sorted(file.namelist()) == [
            "translate-en_pt/README.md",
            "translate-en_pt/metadata.json",
            "translate-en_pt/model/config.json",
            "translate-en_pt/model/model.bin",
            "translate-en_pt/model/shared_vocabulary.json",
            "translate-en_pt/sentencepiece.model",
        ]
        about = json.loads(file.read("translate-en_pt/metadata.json"))
        pieces = sentencepiece.SentencePieceProcessor(model_proto=file.read("translate-en_pt/sentencepiece.model"))
    assert (about["type"], about["from_code"], about["to_code"], about["to_name"]) == ("translate", "en", "pt", "pt-BR")
    assert {"argos_version", "from_name"} <= about.keys()
    assert int(about["package_version"].partition(".")[0]) > 100  # no index has a later one that would replace it
    assert pieces.encode("Go home.", out_type=str) == [subwords().pieces[one] for one in subwords().encode("Go home.")]


def test_ctranslate2_reads_what_argos_gives_it(tmp_path) -> None:
    """Argos Translate sets no end mark and gives pieces of its own making."""
    import ctranslate2

    write(random_model(shape()), tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    assert (settings["add_source_eos"], settings["decoder_start_token"], settings["eos_token"]) == (True, "<s>", "</s>")
    (found,) = ctranslate2.Translator(str(tmp_path)).translate_batch([["▁Go", "no such piece"]], beam_size=4)
    assert set(found.hypotheses[0]) <= set(subwords().pieces)
