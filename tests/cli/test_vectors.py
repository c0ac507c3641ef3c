"""Word vectors on the command line: train, nearest, analogy, convert, evaluate, info, and embeddings that begin so."""

import json
from pathlib import Path

import pytest
import torch
from click.testing import Result
from typer.testing import CliRunner

from mirada.cli.app import app
from mirada.models.folder import read_tensors
from mirada.models.vectors_folder import load
from mirada.text.subwords import Subwords

TEXT = "the cat eats fish\nthe dog eats meat\na king and a queen rule\na man and a woman work\n" * 60
SMALL = ["--set=model.width=16", "--set=training.sample=0", "--set=data.least=2", "--epochs=4"]


def mirada(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def vectors(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vectors") / "words"
    result = mirada("train", "--task", "vectors", text, "--output", folder, *SMALL, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["finished"], told["words"]) == (True, 14)
    assert "mirada nearest" in result.stderr
    assert "# Word vectors" in (folder / "card.md").read_text()
    return folder


def test_near_words_and_analogies_are_told(vectors: Path, tmp_path: Path) -> None:
    told = json.loads(mirada("nearest", vectors, "cat", "King", "--count", 3, "--json").stdout)
    assert [len(near) for near in told["nearest"].values()] == [3, 3]
    assert "dog" in mirada("nearest", vectors, "cat").stdout
    drawn = mirada("nearest", vectors, "cat", "--output", tmp_path / "map.svg")
    assert (drawn.exit_code, (tmp_path / "map.svg").exists()) == (0, True)
    answers = json.loads(mirada("analogy", vectors, "man", "king", "woman", "--json").stdout)["answers"]
    assert not {"man", "king", "woman"} & {one["word"] for one in answers}
    assert mirada("analogy", vectors, "man", "king", "woman").stdout.count("\n") == 10


def test_wrong_words_are_told(vectors: Path, text: Path, tmp_path: Path) -> None:
    assert "'zebra' is not among the 14 words" in mirada("nearest", vectors, "zebra").stderr
    assert "pictures are .svg or .png" in mirada("nearest", vectors, "cat", "--output", "x.pdf").stderr
    assert "does not say what to write" in mirada("convert", vectors, "-o", tmp_path / "x.csv").stderr
    assert "is there already" in mirada("convert", vectors, "-o", vectors).stderr
    out = ("--output", tmp_path / "no")
    assert (
        "--model does not serve --task vectors"
        in mirada("train", "--task", "vectors", text, *out, "--model=ngram").stderr
    )
    assert "use --epochs or --minutes" in mirada("train", "--task", "vectors", text, *out, "--steps=3").stderr
    assert "holds word vectors, not a language model; use `mirada nearest" in mirada("generate", vectors).stderr
    assert "holds word vectors, not a translator; use `mirada nearest" in mirada("translate", vectors).stderr


@pytest.mark.parametrize("name", ["words.txt", "words.vec.gz", "words.bin", "folder"])
def test_vectors_become_files_and_folders_again(vectors: Path, tmp_path: Path, name: str) -> None:
    told = json.loads(mirada("convert", vectors, "--output", tmp_path / name, "--json").stdout)
    assert (told["words"], told["width"]) == (14, 16)
    assert mirada("nearest", tmp_path / name, "cat").stdout == mirada("nearest", vectors, "cat").stdout
    back = tmp_path / "back"
    assert mirada("convert", tmp_path / name, "--output", back).exit_code == 0
    assert (load(back).table == load(vectors).table).all()


def test_vectors_are_scored(vectors: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("cat\tdog\t9\ncat\tking\t1\ncat\tzebra\t3\n")
    result = mirada("evaluate", vectors, "--input", tmp_path / "pairs.tsv", "--json")
    told = json.loads(result.stdout)
    assert (told["pairs"], told["unknown"], told["spearman"]) == (2, 1, pytest.approx(1))
    (tmp_path / "questions.txt").write_text(": royal\nman king woman queen\n")
    told = json.loads(mirada("evaluate", vectors, "--input", tmp_path / "questions.txt", "--json").stdout)
    best = json.loads(mirada("analogy", vectors, "man", "king", "woman", "--json").stdout)["answers"][0]["word"]
    assert told["sections"] == {"royal": {"right": int(best == "queen"), "asked": 1}}
    assert mirada("convert", vectors, "-o", tmp_path / "words.txt").exit_code == 0
    assert "Spearman" in mirada("evaluate", tmp_path / "words.txt", "--input", tmp_path / "pairs.tsv").stdout


def test_info_tells_what_they_are(vectors: Path) -> None:
    lines = mirada("info", vectors).stdout
    assert "skipgram: width 16, window 5, 5 negatives, 224 parameters" in lines
    assert "14 words" in lines
    told = json.loads(mirada("info", vectors, "--json").stdout)
    assert (told["task"], told["training"]["status"], told["data"]["running"]) == ("vectors", "finished", 1200)


def test_an_embedding_begins_with_them(vectors: Path, text: Path, tmp_path: Path) -> None:
    words = ["train", "--task", "lm", text, "--set=data.units=subwords", "--steps=1"]
    words += [
        "--set=model.width=12",
        "--set=model.context=8",
        "--set=model.feed_forward=8",
        "--set=model.stack={layers=1,heads=2}",
    ]
    words += ["--set=training.batch_tokens=80", "--set=training.rate=1e-9", "--set=training.precision=fp32"]
    begun = mirada(*words, "--vectors", vectors, "--output", tmp_path / "with")
    assert begun.exit_code == 0, begun.stderr
    assert mirada(*words, "--output", tmp_path / "without").exit_code == 0
    pieces = Subwords.load(tmp_path / "with" / "subwords.model").pieces
    known = torch.tensor(
        [piece.startswith("▁") and load(vectors).words.find(piece[1:]) is not None for piece in pieces]
    )
    assert f"{int(known.sum())} of {len(pieces)} subwords begin with the vectors" in begun.stderr
    one, other = (
        read_tensors(tmp_path / name / "model.safetensors")["embedding.weight"] for name in ("with", "without")
    )
    assert torch.allclose(one[~known], other[~known], atol=1e-6)
    assert not torch.isclose(one[known], other[known], atol=1e-3).all(1).any()
    refused = mirada(*words, "--vectors", vectors, "--set=model.width=20", "--output", tmp_path / "wide")
    assert "fewer than the 20 of the model" in refused.stderr
