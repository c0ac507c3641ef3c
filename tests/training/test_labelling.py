"""Runs of taggers and classifiers: they learn, go on bit for bit, begin from each other, and refuse what cannot be."""

from pathlib import Path

import pytest
import torch

from mirada.corpora.pair import CorpusError
from mirada.labeller import Classifier, Tagger
from mirada.models.folder import FolderError, read_tensors
from mirada.training.classifying import ClassifyFamily
from mirada.training.preparing import Files
from mirada.training.result import LabelResult
from mirada.training.run import Request
from mirada.training.settings import ConfigError, Tree, merge
from tests.training.small import run
from tests.treebanks import TAGS, sentence, write_reviews, write_rings, write_treebank

SMALL: Tree = {
    "data": {"vocabulary": 400, "dev_share": 0.1, "test_share": 0.1},
    "model": {"width": 12, "spelling": 200, "stack": {"width": 16, "layers": 1}},
    "training": {"batch_tokens": 120, "dropout": 0.1, "budget": {"steps": 90}, "validations": 3, "rate": 0.01},
}
NUMBERS: Tree = {
    "data": {"dev_share": 0.1, "test_share": 0.1},
    "model": {"width": 16, "layers": 2},
    "training": {"batch_tokens": 64, "dropout": 0.0, "budget": {"steps": 150}, "validations": 3, "rate": 0.02},
}


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_treebank(tmp_path_factory.mktemp("treebank") / "train.conllu")


@pytest.fixture(scope="module")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reviews(tmp_path_factory.mktemp("reviews") / "reviews.train")


def request(path: Path, output: Path, task: str, base: Tree = SMALL, **changes: object) -> Request:
    return Request(Files((path,)), output, "tiny", merge(base, changes), task=task)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tagger(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "tagger"
    result = run(request(treebank, folder, "tag"))[0].result
    assert isinstance(result, LabelResult)
    assert result.test is not None
    assert result.test.accuracy > 0.95
    return folder


def weights_of(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def test_a_tagger_knows_its_words(tagger: Path) -> None:
    words = sentence(77)
    (found,) = Tagger.load(tagger).tag([words])
    assert found.labels == tuple(TAGS[word] for word in words)
    assert min(found.probabilities) > 0.5


def test_a_sentence_is_tagged_alike_whatever_stands_beside_it(tagger: Path) -> None:
    model, others = Tagger.load(tagger), [sentence(number) * (1 + number % 3) for number in range(30)]
    alone = model.tag([others[7]])[0]
    beside = model.tag(others)[7]
    assert alone.labels == beside.labels
    assert alone.probabilities == pytest.approx(beside.probabilities, abs=1e-5)


def test_a_stopped_tagger_goes_on_as_if_it_had_not_been(treebank: Path, tagger: Path, tmp_path: Path) -> None:
    asked = request(treebank, tmp_path / "model", "tag")
    assert run(asked, stop_at=41)[0].step == 41
    outcome, listener = run(asked)
    assert outcome.finished
    assert "The subwords were learnt before." in listener.said
    assert weights_of(tmp_path / "model") == weights_of(tagger)


@pytest.mark.parametrize("pooling", ["mean", "first", "max", "attention"])
def test_a_classifier_learns_with_every_pooling(reviews: Path, tmp_path: Path, pooling: str) -> None:
    changes: Tree = {"head": {"pooling": pooling}, "training": {"budget": {"steps": 80}}}
    result = run(request(reviews, tmp_path / "model", "classify", **changes))[0].result
    assert isinstance(result, LabelResult)
    assert result.test is not None
    assert result.test.accuracy > 0.9
    assert Classifier.load(tmp_path / "model").config.head.pooling == pooling
    found = Classifier.load(tmp_path / "model").classify(["the film is awful .", "the film is lovely ."])
    assert [one.label for one in found] == ["0", "1"]


def test_readers_of_subwords_serve_both_tasks(treebank: Path, reviews: Path, tmp_path: Path) -> None:
    model: Tree = {"kind": "encoder", "width": 16, "feed_forward": 32, "stack": {"layers": 1, "heads": 2}}
    base = {**SMALL, "model": {**model, "spelling": 0}}
    result = run(request(treebank, tmp_path / "tagger", "tag", base))[0].result
    assert isinstance(result, LabelResult)
    assert result.test is not None
    assert result.test.accuracy > 0.9
    started = {"data": SMALL["data"], "training": {"budget": {"steps": 3}, "batch_tokens": 120}}
    asked = Request(
        Files((reviews,)), tmp_path / "classifier", None, started, start=tmp_path / "tagger", task="classify"
    )
    assert run(asked)[0].finished
    loaded = Classifier.load(tmp_path / "classifier").loaded
    assert loaded.config.model == Tagger.load(tmp_path / "tagger").loaded.config.model


def test_the_head_is_kept_where_the_labels_are_the_same(treebank: Path, tagger: Path, tmp_path: Path) -> None:
    settings: Tree = {"data": SMALL["data"], "training": {"budget": {"steps": 1}, "batch_tokens": 120, "rate": 1e-9}}
    asked = Request(Files((treebank,)), tmp_path / "model", None, settings, start=tagger, task="tag")
    assert run(asked)[0].finished
    before, after = (read_tensors(folder / "model.safetensors") for folder in (tagger, tmp_path / "model"))
    assert all(torch.allclose(before[name], after[name], atol=1e-2) for name in before)
    settings = {**settings, "model": {"width": 8}}
    with pytest.raises(ConfigError, match="brings its own model"):
        run(Request(Files((treebank,)), tmp_path / "other", None, settings, start=tagger, task="tag"))


def test_a_perceptron_learns_what_no_line_divides_and_goes_on(tmp_path: Path) -> None:
    rings = write_rings(tmp_path / "rings.csv")
    outcome, listener = run(request(rings, tmp_path / "whole", "classify", NUMBERS))
    assert isinstance(outcome.result, LabelResult)
    assert outcome.result.development.values["accuracy"] > 90
    assert any("rows of numbers to train on" in said for said in listener.said)
    broken = request(rings, tmp_path / "broken", "classify", NUMBERS)
    run(broken, stop_at=70)
    assert run(broken)[0].finished
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "whole")
    found = Classifier.load(tmp_path / "whole").classify([(0.0, 0.0), (7000.0, 0.007)])
    assert [one.label for one in found] == ["in", "out"]
    with pytest.raises(ConfigError, match="holds rows of numbers, which a perceptron reads"):
        run(request(rings, tmp_path / "no", "classify", {"model": {"kind": "encoder"}}))


def test_balance_is_a_setting(reviews: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.train"
    lines = reviews.read_text().splitlines(keepends=True)
    few.write_text("".join([line for line in lines if line[0] == "1"] + lines[:20]))
    changes: Tree = {"data": {"balance": True}, "training": {"budget": {"steps": 3}}}
    outcome, listener = run(request(few, tmp_path / "model", "classify", **changes))
    assert outcome.finished
    assert any("every label is seen equally often" in said for said in listener.said)


def test_labels_never_met_are_told_and_count_as_wrong(treebank: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.conllu"
    test.write_text(treebank.read_text()[:2_000].rpartition("\n\n")[0].replace("\tVERB\t", "\tAUX\t") + "\n\n")
    changes: Tree = merge(SMALL, {"training": {"budget": {"steps": 2}}})
    outcome, listener = run(Request(Files((treebank,), (), (test,)), tmp_path / "m", "tiny", changes, task="tag"))
    assert isinstance(outcome.result, LabelResult)
    assert outcome.result.test is not None
    assert outcome.result.test.unmet > 0
    assert any("never met in training and count as wrong: 'AUX'" in said for said in listener.said)


def test_what_cannot_be_learnt_is_told(treebank: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"column xpos of .* holds nothing as a label"):
        run(request(treebank, tmp_path / "a", "tag", data={"column": "xpos"}))
    with pytest.raises(ValueError, match="holds only 'dep' as a label; two different ones"):
        run(request(treebank, tmp_path / "b", "tag", data={"column": "deprel"}))
    with pytest.raises(ConfigError, match=r"data\.column.* is no column that can be learnt"):
        run(request(treebank, tmp_path / "c", "tag", data={"column": "form"}))
    wrong = tmp_path / "wrong.conllu"
    wrong.write_text("no treebank\n\nat all\n")
    with pytest.raises(CorpusError, match=r"most of .* cannot be used"):
        run(request(wrong, tmp_path / "d", "tag"))
    run(request(treebank, tmp_path / "e", "tag", training={"budget": {"steps": 1}}))
    with pytest.raises(FolderError, match=r"model\.width: 12 before, 14 now"):
        run(request(treebank, tmp_path / "e", "tag", model={"width": 14}))


def test_the_data_serves_every_preset(reviews: Path, tmp_path: Path) -> None:
    family = ClassifyFamily(Files((reviews,)), tmp_path, {"data": {"vocabulary": 400}}, "the settings", None)
    ready = family.prepare("base", lambda said: None)
    for name in family.presets:
        learner = ready.subject(name).learner(torch.device("cpu"))
        assert learner.task.validate(0).loss > 0, "an id beyond the embedding would not be read"
