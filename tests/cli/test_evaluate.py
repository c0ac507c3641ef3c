"""`mirada evaluate`, as a user meets it; what translates is a stand-in, since scores are what is tested."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner, Result

from mirada.cli.evaluate import evaluate
from mirada.decoding.options import Search
from mirada.evaluation.translation import score
from mirada.models.config import TransformerConfig
from mirada.models.folder import CONFIG, FolderConfig, read_config
from mirada.text.asking import Asked

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(evaluate)

SOURCES = ["ein Satz", "noch ein Satz mit ein paar Worten mehr als der", "und der letzte von ihnen"] * 4
REFERENCES = ["one sentence here", "one more sentence, with some more words than it", "and the last one of them"] * 4
calls: list[tuple[int, int]] = []


@dataclass(frozen=True)
class Translation:
    text: str
    flags: tuple[str, ...] = ()


class Translator:
    """Gives the reference with a word wrong; the worse the model's name says it is, the more."""

    def __init__(self, folder: Path, engine: str = "auto") -> None:
        config = read_config(folder)
        self.source, self.target = config.source, config.target
        self.engine = engine
        self.wrong = len(folder.name)

    @classmethod
    def load(cls, folder: Path, engine: str) -> "Translator":
        return cls(folder, engine)

    def engine_for(self, search: Search) -> SimpleNamespace:
        return SimpleNamespace(engine=SimpleNamespace(name=f"{self.engine} of {search.beam}"), why="as asked")

    context = 0

    def translate(self, texts: Sequence[str | Asked], beam: int = 5) -> list[Translation]:
        calls.append((len(texts), beam))
        return [self._translated(one if isinstance(one, str) else one.text) for one in texts]

    def _translated(self, text: str) -> Translation:
        words = REFERENCES[SOURCES.index(text)].split()
        words[0 : self.wrong - 1] = ["wrong"] * len(words[0 : self.wrong - 1])
        return Translation(" ".join(words), ("repetition",) if text == SOURCES[0] else ())


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    calls.clear()
    module = ModuleType("mirada.translator")
    module.Translator, module.Translation = Translator, Translation  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mirada.translator", module)


def model(folder: Path, target: str = "en") -> Path:
    folder.mkdir(exist_ok=True)
    config = FolderConfig(source="de", target=target, vocabulary=300, model=TransformerConfig())
    (folder / CONFIG).write_text(config.model_dump_json(), encoding="utf-8")
    return folder


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Test:
    __test__ = False
    model: Path
    source: Path
    reference: Path

    def run(self, *more: str | Path) -> Result:
        words = [self.model, "--input", self.source, "--reference", self.reference, *more]
        return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)

    def sentence(self, *more: str | Path, status: int = 1) -> str:
        result = self.run(*more)
        assert result.exit_code == status
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        assert calls == []
        return line.removeprefix("mirada: ")


@pytest.fixture
def test(tmp_path: Path) -> Test:
    return Test(model(tmp_path / "ab"), write(tmp_path / "a.de", SOURCES), write(tmp_path / "a.en", REFERENCES))


def translated(folder: Path) -> list[str]:
    found = [one.text for one in Translator(folder).translate(SOURCES)]
    calls.clear()
    return found


def test_json_starts_with_the_scores(test: Test) -> None:
    result = test.run("--json", "--beam", "3")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert list(found)[:2] == ["bleu", "chrf"]
    assert {name: found[name] for name in ("bleu", "chrf")} == score(translated(test.model), REFERENCES).as_json()
    assert "case:lc" in found["bleu_lowercased"]["signature"]
    assert [(row["shortest"], row["sentences"]) for row in found["by_length"]] == [(1, 8), (6, 4)]
    assert (found["sentences"], found["flagged"], found["beam"]) == (12, 4, 3)
    assert "against" not in found


def test_the_beam_is_passed_on(test: Test) -> None:
    test.run("--beam", "3")
    assert calls == [(12, 3)]
    assert test.run("--beam", "0").exit_code == 2


def test_the_engine_is_passed_on_and_told(test: Test) -> None:
    result = test.run("--engine", "torch", "--beam", "3", "--json", "-v")
    assert json.loads(result.stdout)["engine"] == "torch of 3"
    assert f"{test.model}: engine: torch of 3 (as asked)" in result.stderr
    assert json.loads(test.run("--json").stdout)["engine"] == "auto of 5"
    assert test.run("--engine", "abacus").exit_code == 2


def test_text_for_people(test: Test) -> None:
    result = test.run()
    own = score(translated(test.model), REFERENCES)
    lines = result.stdout.splitlines()
    assert lines[0] == f"{'BLEU':<18}{own.bleu.score:6.2f}  {own.bleu.signature}"
    assert "12 sentences, 4 translations flagged." in lines
    assert f"12 sentences translated by {test.model}" in result.stderr
    assert test.run("--quiet").stderr == ""
    assert "line 1: repetition: wrong sentence here" in test.run("-v").stderr


def test_against_another_model(test: Test, tmp_path: Path) -> None:
    worse = model(tmp_path / "much")
    result = test.run("--against", worse, "--json")
    against = json.loads(result.stdout)["against"]
    assert against["model"] == str(worse)
    assert against["bleu"]["difference"] > 0
    assert against["bleu"]["p_value"] < 0.05
    assert against["bleu"]["baseline"]["score"] == score(translated(worse), REFERENCES).bleu.as_json()["score"]
    assert "more than chance" in test.run("--against", worse).stdout
    assert "may be chance" in test.run("--against", test.model).stdout


def test_against_a_model_of_other_languages(test: Test, tmp_path: Path) -> None:
    said = test.sentence("--against", model(tmp_path / "other", "fr"), status=2)
    assert "translates de to en" in said
    assert "de to fr" in said


def test_a_target_without_spaces_is_cut_otherwise(test: Test) -> None:
    model(test.model, "zh")
    found = json.loads(test.run("--json").stdout)
    assert "tok:zh" in found["bleu"]["signature"]
    assert "bleu_lowercased" not in found


def test_the_translations_are_saved(test: Test, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    test.run("--hypotheses", out)
    assert out.read_text(encoding="utf-8").splitlines() == translated(test.model)


def test_the_translations_are_not_saved_over_the_input(test: Test) -> None:
    assert "would be overwritten" in test.sentence("--hypotheses", test.reference, status=2)


@pytest.mark.parametrize("name", ["absent/out.txt", "ab"])
def test_a_place_that_cannot_be_written(test: Test, tmp_path: Path, name: str) -> None:
    assert f"{tmp_path / name} cannot be written" in test.sentence("--hypotheses", tmp_path / name, status=2)


def test_different_numbers_of_lines(test: Test) -> None:
    write(test.reference, REFERENCES[:-1])
    assert test.sentence() == (
        f"{test.source} has 12 lines and {test.reference} has 11; they must have the same number, line for line"
    )


def test_empty_files(test: Test) -> None:
    write(test.source, [])
    write(test.reference, [])
    assert test.sentence() == f"{test.source} is empty; it must hold a sentence on each line"


def test_a_missing_file(test: Test) -> None:
    test.source.unlink()
    assert test.sentence() == f"{test.source} does not exist; check the name and the directory"


def test_a_line_that_is_no_text(test: Test) -> None:
    test.source.write_bytes(b"gut\n\xff\n")
    assert test.sentence().startswith(f"{test.source}:2: byte 1 is 0xff, which is not UTF-8")


def test_a_model_that_is_none(test: Test, tmp_path: Path) -> None:
    (test.model / CONFIG).unlink()
    assert f"{test.model / CONFIG} is missing" in test.sentence()
