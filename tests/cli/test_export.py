"""`mirada export`, as a user meets it."""

import json
from pathlib import Path
from zipfile import ZipFile, is_zipfile

import pytest
import typer
from typer.testing import CliRunner, Result

from mirada.cli.export import export
from mirada.cli.translate import translate
from mirada.corpora.store import StoreWriter
from mirada.export.agreement import Sentences, compare
from mirada.export.engine import ExportedEngine
from tests.export.models import model_folder, shape
from tests.translators import TEXTS, subwords

app = typer.Typer()
app.command()(export)
app.command()(translate)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder(tmp_path_factory.mktemp("made") / "model")


@pytest.fixture
def model(made: Path, tmp_path: Path) -> Path:
    import shutil

    return shutil.copytree(made, tmp_path / "model")


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_text("\n".join(["Go home.", "", "12.5", *TEXTS[:2]]) + "\n")
    return path


@pytest.fixture(autouse=True)
def soon_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirada.decoding.limits.LENGTHS", 1)
    monkeypatch.setattr("mirada.decoding.limits.MORE", 2)


def run(*words: str | Path, lines: str = "") -> Result:
    return CliRunner().invoke(app, [*map(str, words)], input=lines, catch_exceptions=False)


def left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_an_export_serves_the_model_that_it_is_in(model, sentences) -> None:
    result = run("export", model, "--check", sentences, "-v")
    assert result.exit_code == 0, result.output
    assert "3 of 3 sentences" in result.stderr
    assert "are translated to the same text by both" in result.stderr
    assert (model / "export" / "card.md").read_text() == "A model for tests.\n"
    assert left_over(model) == []
    words = ("translate", model, "-v", "--beam", "2")
    fast, slow = (run(*words, "--engine", name, lines="Go home.\n") for name in ("auto", "torch"))
    assert "engine: ctranslate2 (the fastest for this export; not native: its numbers are float32, " in fast.stderr
    assert "engine: torch (as asked)" in slow.stderr
    assert fast.stdout == slow.stdout
    again = run("export", model, "--check", sentences, "-q")
    assert (again.exit_code, again.output) == (0, "")


def test_a_folder_of_its_own_and_json(model, sentences, tmp_path) -> None:
    output = tmp_path / "deep" / "exported"
    result = run("export", model, "-o", output, "--quantization", "float16", "--check", sentences, "--json", "-q")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["output"], told["quantization"], told["check"]["sentences"]) == (str(output), "float16", 3)
    assert told["bytes"] == sum(path.stat().st_size for path in output.iterdir())
    assert not (model / "export").exists()


def test_a_shortlist_is_tried_where_numbers_are_rounded(model, sentences, tmp_path) -> None:
    words = ("export", model, "--check", sentences, "--quantization", "float16", "--json")
    without_pairs = run(*words, "-o", tmp_path / "first")
    assert "No shortlist: " in without_pairs.stderr
    assert json.loads(without_pairs.stdout)["shortlist"]["kept"] is False
    with StoreWriter(model / "data" / "train", "test", subwords().size) as writer:
        writer.add(*([subwords().encode_flat(TEXTS, end=True)] for _ in range(2)))
    told = run(*words, "-o", tmp_path / "second")
    trial = json.loads(told.stdout)["shortlist"]
    assert (trial["sentences"], trial["kept"]) == (3, trial["same"] == 3)
    assert (tmp_path / "second" / "vmap.txt").exists() == trial["kept"]
    assert json.loads(run(*words, "--no-shortlist", "-o", tmp_path / "third").stdout)["shortlist"] is None
    assert left_over(tmp_path) == []


def test_a_package(model, sentences, tmp_path) -> None:
    words = ("export", model, "--format", "argos", "--check", sentences)
    named = run(*words, "-o", tmp_path / "mine.argosmodel")
    assert named.exit_code == 0, named.output
    assert "alone" not in named.stderr
    assert is_zipfile(tmp_path / "mine.argosmodel")
    assert run(*words, "-o", tmp_path / "packages").exit_code == 0
    assert [path.name for path in (tmp_path / "packages").iterdir()] == ["translate-en_es.argosmodel"]
    nowhere = run(*words)
    assert nowhere.exit_code == 1
    assert "name a file that ends with .argosmodel" in nowhere.stderr
    assert left_over(tmp_path) == []


def test_a_package_of_a_model_that_reads_documents_says_what_is_lost(sentences, tmp_path, monkeypatch) -> None:
    folder = model_folder(tmp_path / "model", context=2)
    compared: list[Sentences] = []
    monkeypatch.setattr("mirada.export.run.compare", lambda *given: compared.append(given[2]) or compare(*given))
    words = ("export", folder, "--check", sentences, "--json")
    package = run(*words, "--format", "argos", "-o", tmp_path / "mine.argosmodel")
    assert package.exit_code == 0, package.output
    told = json.loads(package.stdout)["lost"]
    assert "trained to read up to 2 sentences before each" in told
    assert told in package.stderr
    with ZipFile(tmp_path / "mine.argosmodel") as file:
        assert file.read("translate-en_es/README.md").decode() == f"A model for tests.\n\n## In this package\n{told}\n"
    whole = run(*words)
    assert json.loads(whole.stdout)["lost"] is None
    assert "alone" not in whole.stderr
    # Both are compared as they will be used: in a package every sentence is alone.
    assert [[len(one.context) for one in each.texts] for each in compared] == [[0, 0, 0], [0, 1, 2]]


def test_a_model_without_that_form(tmp_path) -> None:
    folder = model_folder(tmp_path / "model", shape(norm="batch", position_join="concatenate"))
    result = run("export", folder)
    assert result.exit_code == 1
    assert "no CTranslate2 form" in result.stderr
    assert "batch" in result.stderr
    assert "concatenate" in result.stderr
    assert not (folder / "export").exists()


@pytest.mark.parametrize(("quantization", "least"), [("none", "100%"), ("int8", "90%")])
def test_what_differs_is_not_written(model, sentences, monkeypatch, quantization, least) -> None:
    honest = ExportedEngine.decode
    monkeypatch.setattr(
        ExportedEngine,
        "decode",
        lambda self, sources, search, demands=(): honest(self, [[9, 9, 3] for _ in sources], search, demands),
    )
    result = run("export", model, "--check", sentences, "--quantization", quantization)
    assert result.exit_code == 1
    assert "of 3 sentences" in result.stderr
    assert f"{least} must be, so nothing was written" in result.stderr
    assert not (model / "export").exists()
    assert left_over(model) == []


def test_other_files_are_not_touched(model, sentences, tmp_path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear")
    result = run("export", model, "-o", tmp_path / "mine", "--check", sentences)
    assert result.exit_code == 1
    assert "holds other files; name a new folder" in result.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_sentences_that_say_nothing(model, tmp_path) -> None:
    (tmp_path / "empty.txt").write_text("\n12\n")
    result = run("export", model, "--check", tmp_path / "empty.txt")
    assert result.exit_code == 1
    assert "no sentence that the model can read" in result.stderr


def test_without_ctranslate2(model, monkeypatch) -> None:
    monkeypatch.setattr("mirada.export.run.is_installed", lambda: False)
    result = run("export", model)
    assert result.exit_code == 1
    assert "pip install 'mirada[ctranslate2]'" in result.stderr
