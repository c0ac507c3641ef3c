"""A run with context: what it learns from, what its folder says, and that without context nothing is changed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mirada.cli.app import app
from mirada.corpora.demo import documents
from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store
from mirada.demonstration import documents as demonstration
from mirada.demonstration.documents import right_endings, write_documents
from mirada.models.folder import read_config
from mirada.text.subwords import END
from mirada.training.config import DataConfig
from mirada.training.preparing import Files, prepare_data
from mirada.training.run import Request
from mirada.training.settings import merge
from mirada.translator import Translator
from tests.training.small import SETTINGS, run
from tests.training.test_resume import weights_of
from tests.translators import config


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return write_documents(tmp_path_factory.mktemp("documents"), documents(80, 4, 4, 1))


@pytest.fixture(scope="module")
def whole(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "model"
    outcome, listener = run(asked(files, folder))
    assert outcome.finished
    assert any("80 train documents" in line for line in listener.said)
    return folder


def asked(files: Files, output: Path) -> Request:
    changes = {"data": {"context": 1}, "training": {"budget": {"steps": 20}, "validations": 2}}
    return Request(files, output, None, merge(SETTINGS, changes))


def test_a_run_with_context_goes_on_bit_for_bit(files: Files, whole: Path, tmp_path: Path) -> None:
    run(asked(files, tmp_path / "broken"), stop_at=7)
    outcome, _ = run(asked(files, tmp_path / "broken"))
    assert outcome.finished
    assert weights_of(tmp_path / "broken") == weights_of(whole)


def test_its_folder_says_so_and_its_translator_reads_documents(whole: Path) -> None:
    described, store = read_config(whole), Store.open(whole / "data" / "train")
    assert described.context == 1
    rows = [side(row).tolist() for row in range(len(store)) for side in (store.source, store.target)]
    assert described.longest_text == max(row[-2::-1].index(END) + 1 if END in row[:-1] else len(row) for row in rows)
    assert described.longest_text < described.longest
    told = CliRunner().invoke(app, ["info", str(whole)], catch_exceptions=False).stdout
    assert "translation from en to es, each text read with up to 1 before it" in told
    known = json.loads(CliRunner().invoke(app, ["info", str(whole), "--json"], catch_exceptions=False).stdout)
    assert known["context"] == 1
    assert "80 documents; sources are read with up to 1 sentences before them" in (whole / "card.md").read_text()
    rows = json.loads((whole / "data" / "test.json").read_bytes())
    assert [len(row) for row in rows[:2]] == [2, 3]
    assert rows[1][2] == rows[0][0]
    translator = Translator.load(whole)
    sentences = [row[0] for row in rows[:2]]
    read, alone = translator.translate(sentences, document=True), translator.translate(sentences)
    assert read[0].score == pytest.approx(alone[0].score, abs=1e-4)
    assert abs(read[1].score - alone[1].score) > 1e-3


def test_a_run_that_begins_from_a_model_reads_as_it_does(files: Files, whole: Path, tmp_path: Path) -> None:
    training = {"batch_tokens": 600, "validation_sentences": 4, "validations": 1, "budget": {"steps": 2}}
    run(Request(files, tmp_path / "second", None, {"training": training}, start=whole))
    assert read_config(tmp_path / "second").context == 1


def test_sources_are_stored_with_what_stands_before_them_as_far_as_there_is_room(files: Files, tmp_path: Path) -> None:
    data = DataConfig(vocabulary=500, variants=2, context=1)
    wide = prepare_data(tmp_path / "wide", files, data, 1, None, 50, lambda line: None)
    for store in (wide.dev, wide.train):
        assert {store.source(row).tolist().count(END) for row in range(len(store))} == {1, 2}
    assert [len(pair.context) for pair in wide.dev_pairs[:4]] == [0, 1, 0, 1]
    room = int(wide.train.source_lengths.max()) - 5
    narrow = prepare_data(tmp_path / "narrow", files, data, 1, wide.subwords, 50, lambda line: None, places=room)
    assert len(narrow.train) == len(wide.train)
    assert narrow.train.source_lengths.max() <= room
    assert narrow.train.made_from != wide.train.made_from


def test_what_a_model_made_has_no_documents(files: Files, tmp_path: Path) -> None:
    synthetic = Files(files.train, source="en", target="es", synthetic=(tmp_path / "x.tsv",))
    with pytest.raises(CorpusError, match=r"data.context = 2 and synthetic pairs .* or give --context 0"):
        prepare_data(tmp_path, synthetic, DataConfig(context=2), 1, None, 5, print)


def test_the_documents_of_the_grammar_can_be_written_and_other_tasks_have_no_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TRAIN", "DEV", "TEST"):
        monkeypatch.setattr(demonstration, name, 4)

    def said(*words: str) -> str:
        return CliRunner().invoke(app, list(words)).output

    assert "--documents writes files; say where to with --output" in said("demo", "--documents")
    told = said("demo", "--documents", "--output", str(tmp_path / "files"))
    assert f"mirada train {tmp_path / 'files' / 'train.en'}" in told
    assert (tmp_path / "files" / "test.en").read_text().splitlines()[2::3] == [""] * 4
    (tmp_path / "x.txt").write_text("A text.\n")
    refused = said("train", "--task", "lm", str(tmp_path / "x.txt"), "--context", "1", "--output", str(tmp_path / "lm"))
    assert "--context is for translators; leave it out with --task lm" in refused


def test_without_context_nothing_is_said_of_it() -> None:
    """So that folders, records and the fingerprints of prepared data are those of versions that knew no context."""
    assert "context" not in DataConfig().model_dump(mode="json")
    assert DataConfig(context=2).model_dump(mode="json")["context"] == 2
    assert "context" not in config().model_dump_json()
    assert "longest_text" not in config().model_dump_json()
    assert '"context":2' in config().model_copy(update={"context": 2}).model_dump_json()


def test_endings_are_counted_in_the_second_sentences() -> None:
    made = documents(0, 0, 4, 3).test
    perfect = [text for one in made for text in (one.first.target, one.second.target, "")]
    assert right_endings(perfect, made) == 4
    others = [text for one in made for text in (one.first.target, made[0].second.target, "")]
    assert right_endings(others, made) == sum(one.ending == made[0].ending for one in made) < 4
