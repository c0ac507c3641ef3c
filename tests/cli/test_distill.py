"""`mirada distill`, and `mirada train` with text of one language, as a user meets them."""

import json
from pathlib import Path

import pytest

from mirada.corpora.demo import generate
from mirada.translator import Translator
from tests.cli.test_train import SMALL, mirada
from tests.synthesis.writers import Writer, folder_of
from tests.training.small import write_corpus

TRAIN = ["train", "{corpus}", "--from=en", "--to=es", "-o", "{output}"]
KNOWN = {made.pair.source: made.pair.target for made in generate(300, 1)}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def test_a_student_by_one_command_and_the_same_again(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = folder_of(tmp_path / "teacher")
    monkeypatch.setattr(Translator, "load", lambda folder: Writer(KNOWN))
    shape = [word for word in SMALL if "layers" not in word]
    words = ["distill", teacher, corpus, "--output", tmp_path / "student", *shape, "--steps", 4, "--json"]
    result = mirada(*words)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["finished"]
    assert "6 + 1 layers" in result.stderr
    assert "Translating" in result.stderr
    again = mirada(*words)
    assert "were made before" in again.stderr
    assert "is finished" in again.stderr
    assert again.stdout == result.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["distill", "{nothing}", "{corpus}", "-o", "{output}"], "is no folder of a model"),
        (["distill", "{teacher}", "{corpus}", "-o", "{output}", "--steps=2", "--epochs=2"], "use one of them"),
        (["distill", "{teacher}", "{nothing}.tsv", "-o", "{output}"], "does not exist"),
        ([*TRAIN, "--reverse={teacher}"], "go together"),
        ([*TRAIN, "--monolingual={empty}"], "go together"),
        (
            [*TRAIN, "--monolingual={empty}", "--reverse={teacher}"],
            "translates from en to es; to help a translator from en to es it must go from es to en",
        ),
        ([*TRAIN, "--monolingual={empty}", "--reverse={reverse}"], "no text can be translated"),
        ([*TRAIN, "--monolingual={nothing}", "--reverse={reverse}"], "does not exist"),
    ],
)
def test_a_wrong_turn_is_a_sentence(corpus: Path, tmp_path: Path, words: list[str], told: str) -> None:
    (tmp_path / "empty.txt").write_text("\n\n")
    places = {
        "corpus": corpus,
        "output": tmp_path / "model",
        "nothing": tmp_path / "nothing",
        "empty": tmp_path / "empty.txt",
        "teacher": folder_of(tmp_path / "teacher"),
        "reverse": folder_of(tmp_path / "reverse", "es", "en"),
    }
    result = mirada(*(word.format(**places) for word in words))
    assert result.exit_code in (1, 2)
    assert told in result.stderr
    assert "Traceback" not in result.stderr
