"""Taggers and classifiers on the command line: train, predict, evaluate, info, and every wrong turn."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app
from tests.translators import random_folder
from tests.treebanks import TAGS, as_conllu, sentence, write_reviews, write_rings, write_treebank

SMALL = [
    "--preset=tiny",
    "--set=data.vocabulary=400",
    "--set=model.width=12",
    "--set=model.spelling=200",
    "--set=model.stack.width=16",
    "--set=training.batch_tokens=120",
    "--set=training.rate=0.01",
    "--set=training.validations=2",
]


def mirada(*words: object, given: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=given, catch_exceptions=False)


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tagger")
    treebank = write_treebank(folder / "train.conllu")
    result = mirada("train", "--task", "tag", treebank, "-o", folder / "model", "--steps", 60, *SMALL, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["finished"], told["labels"]) == (True, 5)
    assert told["test"]["accuracy"] > 0.9
    assert "mirada predict" in result.stderr
    return folder / "model"


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classifier")
    reviews = write_reviews(folder / "reviews.train")
    result = mirada("train", "--task", "classify", reviews, "-o", folder / "model", "--steps", 60, *SMALL)
    assert result.exit_code == 0, result.stderr
    assert "Test set: accuracy" in result.stderr
    return folder / "model"


def test_a_treebank_is_filled_and_else_as_it_was(tagger: Path, tmp_path: Path) -> None:
    text = "".join(as_conllu(sentence(number), number) for number in (3, 44)) + "1\tbroken\n\n"
    given, wanted = tmp_path / "x.conllu", tmp_path / "out.conllu"
    blank = text
    for tag in set(TAGS.values()):
        blank = blank.replace(f"\t{tag}\t", "\t_\t")
    given.write_text(blank)
    result = mirada("predict", tagger, "--input", given, "--output", wanted)
    assert result.exit_code == 0, result.stderr
    assert wanted.read_text() == text
    assert "2 columns, where CoNLL-U has 10; the sentence is left as it was" in result.stderr


def test_lines_of_words_are_labelled(tagger: Path) -> None:
    result = mirada("predict", tagger, given="the cat sees a dog .\n\n")
    assert result.stdout.splitlines()[:3] == ["the\tDET", "cat\tNOUN", "sees\tVERB"]
    assert mirada("predict", tagger, given="the cat sees a dog.\n\n").stdout == result.stdout, "marks stand apart"
    told = json.loads(mirada("predict", tagger, "--json", given="the cat " * 200 + "\n").stdout)
    assert (told["task"], told["column"], told["remarks"]) == ("tag", "upos", 1)
    assert told["sentences"][0]["parts"] == 2
    assert len(told["sentences"][0]["labels"]) == 400


def test_a_tagger_is_evaluated(tagger: Path, tmp_path: Path) -> None:
    treebank = tmp_path / "test.conllu"
    treebank.write_text(as_conllu(["the", "cat", "sees", "a", "zebra", "."], 1) + as_conllu(sentence(9), 2))
    told = json.loads(mirada("evaluate", tagger, "--input", treebank, "--json").stdout)
    assert (told["count"], told["unmet"]) == (6 + len(sentence(9)), 1), "zebra is an X, which nobody has met"
    assert told["parts"]["unknown words"]["count"] == 1
    assert told["parts"]["known words"]["accuracy"] > 0.9
    for suffix in (".png", ".svg"):
        picture = tmp_path / f"confusion{suffix}"
        result = mirada("evaluate", tagger, "--input", treebank, "--output", picture)
        assert result.exit_code == 0, result.stderr
        assert picture.stat().st_size > 1_000
    assert "macro F1" in result.stdout
    assert "confusion: right labels down" in result.stdout


def test_texts_are_classified(classifier: Path, tmp_path: Path) -> None:
    result = mirada("predict", classifier, given="the film is awful .\n\nthe film is lovely .\n")
    assert [line.partition("\t")[0] for line in result.stdout.splitlines()] == ["0", "", "1"]
    assert "standard input:2: the text is empty" in result.stderr
    table = tmp_path / "x.csv"
    table.write_text("id,text\n1,the film is great .\n")
    told = json.loads(mirada("predict", classifier, "-i", table, "--json").stdout)
    assert told["predictions"][0]["label"] == "1"
    assert sum(told["predictions"][0]["probabilities"].values()) == pytest.approx(1, abs=1e-4)
    test = tmp_path / "test.tsv"
    test.write_text("label\ttext\n1\tis great\n7\tis great\n0\tis dull\n\tnothing\n")
    told = json.loads(mirada("evaluate", classifier, "--input", test, "--json").stdout)
    assert (told["count"], told["unmet"], told["left_out"]) == (3, 1, 1)
    assert told["accuracy"] == pytest.approx(2 / 3)


def test_rows_of_numbers(tmp_path: Path) -> None:
    rings = write_rings(tmp_path / "rings.csv")
    words = ("--task", "classify", rings, "-o", tmp_path / "model", "--steps", 40, "--preset", "tiny")
    result = mirada("train", *words)
    assert result.exit_code == 0, result.stderr
    points = tmp_path / "points.csv"
    points.write_text("x,y\n0,0\n7000,oops\n")
    result = mirada("predict", tmp_path / "model", "-i", points)
    assert len(result.stdout.splitlines()) == 2
    assert "column 'y' holds 'oops', which is no number; its label is empty" in result.stderr
    assert "perceptron" in mirada("info", tmp_path / "model").stdout


def test_info_tells_what_they_are(tagger: Path, classifier: Path) -> None:
    told = json.loads(mirada("info", tagger, "--json").stdout)
    assert (told["task"], told["training"]["status"], told["data"]["labels"]) == ("tag", "finished", 5)
    assert told["scores"]["accuracy"]["score"] > 90
    lines = mirada("info", classifier).stdout
    assert "classify" in lines
    assert "2 labels" in lines
    assert "recurrent_encoder: 1 layers of lstm 16" in lines


def test_the_models_of_tasks_are_not_mixed_up(tagger: Path, tmp_path: Path) -> None:
    translator = random_folder(tmp_path / "translator")
    assert "which fills no gaps and labels nothing" in mirada("predict", translator, given="x").stderr
    assert "labels what it reads, and does not translate" in mirada("translate", tagger, given="x").stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--task", "tag", "--columns", "a,b"), "--from, --to and --columns are for translators"),
        (("--task", "tag", "--model", "ngram"), "does not serve --task tag; use transformer or recurrent"),
        (("--task", "classify", "--columns", "label"), "does not name different columns"),
        (("--task", "classify", "--preset", "big"), "--preset big is not known; use tiny, small, base"),
        (("--task", "classify", "--set", "head.pool=max"), "head.pool is not known; did you mean head.pooling?"),
        (("--task", "tag", "--set", "data.colum=xpos"), "data.colum is not known; did you mean data.column?"),
    ],
)
def test_wrong_words_are_told(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    data = write_treebank(tmp_path / "x.conllu", 9)
    result = mirada("train", data, "-o", tmp_path / "model", *words)
    assert result.exit_code != 0
    assert told in result.stderr
    assert not (tmp_path / "model").exists()
