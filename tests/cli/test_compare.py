"""`mirada compare`, as a user meets it; what translates is a stand-in, since the comparison is what is tested."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import torch
from safetensors.torch import save_file
from typer.testing import CliRunner, Result

from mirada.attention import parse
from mirada.cli.app import app
from mirada.decoding.options import Search
from mirada.evaluation.translation import by_length, paired_bootstrap, score
from mirada.export.folder import ABOUT, INSIDE, MODEL, SETTINGS, SUBWORDS, VOCABULARY, Exported, is_exported, read_about
from mirada.models.config import StackConfig, TransformerConfig
from mirada.models.folder import CONFIG, WEIGHTS, FolderConfig, read_config
from mirada.text.asking import Asked
from mirada.training import checkpoint
from mirada.training.checkpoint import Progress

USUAL = TransformerConfig()
SOURCES = ["ein Satz", "noch ein Satz mit ein paar Worten mehr als der", "und der letzte von ihnen"] * 4
REFERENCES = ["one sentence here", "one more sentence, with some more words than it", "and the last one of them"] * 4


@dataclass(frozen=True)
class Translation:
    text: str
    tokens: tuple[str, ...]
    flags: tuple[str, ...] = ()


class Translator:
    """Gives the reference with as many words wrong as the model's name has letters."""

    def __init__(self, folder: Path, engine: str = "auto") -> None:
        about = read_about(folder) if is_exported(folder) else read_config(folder)
        self.source, self.target = about.source, about.target
        self.wrong = len(folder.name)
        exported = is_exported(folder) or is_exported(folder / INSIDE)
        self.engine = ("ctranslate2" if exported else "torch") if engine == "auto" else engine

    @classmethod
    def load(cls, folder: Path, engine: str) -> "Translator":
        return cls(folder, engine)

    def engine_for(self, search: Search) -> SimpleNamespace:
        return SimpleNamespace(engine=SimpleNamespace(name=self.engine), why="as asked")

    context = 0

    def translate(self, texts: Sequence[str | Asked], beam: int = 5) -> list[Translation]:
        return [self._translated(one if isinstance(one, str) else one.text) for one in texts]

    def _translated(self, text: str) -> Translation:
        words = REFERENCES[SOURCES.index(text)].split()
        words = ["wrong"] * self.wrong + words[self.wrong :]
        return Translation(" ".join(words), tuple(words), ("repetition",) if text == SOURCES[0] else ())


def texts(folder: Path) -> list[str]:
    return [one.text for one in Translator(folder).translate(SOURCES)]


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("mirada.translator")
    module.Translator, module.Translation = Translator, Translation  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mirada.translator", module)


def model(folder: Path, target: str = "en", shape: TransformerConfig = USUAL) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    config = FolderConfig(source="de", target=target, vocabulary=300, model=shape)
    (folder / CONFIG).write_text(config.model_dump_json(), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Test:
    __test__ = False
    folder: Path
    source: Path
    reference: Path

    def run(self, *words: str | Path) -> Result:
        given = [*words, "--input", self.source, "--reference", self.reference]
        return CliRunner().invoke(app, ["compare", *map(str, given)], catch_exceptions=False)


@pytest.fixture
def test(tmp_path: Path) -> Test:
    source, reference = tmp_path / "a.de", tmp_path / "a.en"
    source.write_text("\n".join(SOURCES) + "\n", encoding="utf-8")
    reference.write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    return Test(tmp_path, source, reference)


def test_json_has_all_that_was_measured(test: Test) -> None:
    first, worse, same = (model(test.folder / name) for name in ("a", "bcd", "e"))
    checkpoint.save(first, Progress(step=7, tokens=12_000, seconds=60.0), {"x": torch.zeros(1)})
    save_file({"w": torch.zeros(3, 5), "b": torch.zeros(7)}, first / WEIGHTS)
    found = json.loads(test.run(first, worse, same, "--json", "--beam", "2").stdout)
    assert (found["sentences"], found["beam"]) == (12, 2)
    rows = found["models"]
    assert [row["model"] for row in rows] == [str(first), str(worse), str(same)]
    for row, folder in zip(rows, (first, worse, same), strict=True):
        assert {name: row[name] for name in ("bleu", "chrf")} == score(texts(folder), REFERENCES).as_json()
        assert row["by_length"] == [one.as_json() for one in by_length(SOURCES, texts(folder), REFERENCES)]
        assert row["flagged"] == 4
        assert row["translating"]["tokens_per_second"] > 0
    assert rows[0]["parameters"] == 22
    assert rows[0]["training"] == {"seconds": 60.0, "tokens": 12_000, "tokens_per_second": 200.0}
    assert rows[1]["parameters"] is None
    assert rows[1]["training"] == {"seconds": None, "tokens": None, "tokens_per_second": None}


def test_the_others_are_tested_against_the_first(test: Test) -> None:
    first, worse, same = (model(test.folder / name) for name in ("a", "bcd", "e"))
    rows = json.loads(test.run(first, worse, same, "--json").stdout)["models"]
    assert rows[0]["against_first"] is None
    assert rows[1]["against_first"] == paired_bootstrap(texts(worse), texts(first), REFERENCES).as_json()
    assert rows[1]["against_first"]["bleu"]["p_value"] < 0.05
    assert rows[2]["against_first"]["bleu"]["difference"] == 0


def test_text_for_people(test: Test) -> None:
    first, worse, same = (model(test.folder / name) for name in ("a", "bcd", "e"))
    checkpoint.save(first, Progress(step=7, tokens=12_000, seconds=90.0), {"x": torch.zeros(1)})
    result = test.run(first, worse, same)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    bleu = [f"{score(texts(folder), REFERENCES).bleu.score:.2f}" for folder in (first, worse, same)]
    assert [line.split()[1] for line in lines[1:4]] == [bleu[0], bleu[1] + "*", bleu[2]]
    assert "1.5 min" in lines[1]
    assert "133/s" in lines[1]
    assert lines[2].count("–") == 3
    assert "bcd against a:" in lines
    assert sum("more than chance; " in line for line in lines) == 2
    assert sum("may be chance; " in line for line in lines) == 2
    headers = [line.split()[-4:] for line in lines if "by words" in line]
    assert headers == [["sentences", "a", "bcd", "e"]] * 2
    assert sum(line.startswith("6–10 ") for line in lines) == 2


def export(folder: Path) -> Path:
    folder.mkdir()
    for name in (SETTINGS, MODEL, VOCABULARY, SUBWORDS):
        (folder / name).write_bytes(b"")
    about = Exported(source="de", target="en", vocabulary=300, longest=40)
    (folder / ABOUT).write_text(about.model_dump_json(), encoding="utf-8")
    return folder


def test_an_exported_model_is_compared_as_well(test: Test) -> None:
    exported = export(test.folder / "bc")
    rows = json.loads(test.run(model(test.folder / "a"), exported, "--json").stdout)["models"]
    assert rows[1]["bleu"] == score(texts(exported), REFERENCES).bleu.as_json()
    assert (rows[1]["parameters"], rows[1]["attentions"]) == (None, [])


def test_kernels_stand_side_by_side_with_their_reasons(test: Test) -> None:
    encoder = StackConfig(layers=2, pattern=parse("window(2, 2)"))
    folders = [model(test.folder / "a"), model(test.folder / "bc", shape=TransformerConfig(encoder=encoder))]
    lines = test.run(*folders).stdout.splitlines()
    first = lines.index("encoder, at itself")
    assert lines[first + 1].split()[:4] == ["a", "3", "×", "full,"]
    assert lines[first + 4].split()[:5] == ["bc", "2", "×", "window(2,", "2),"]
    rows = json.loads(test.run(*folders, "--json").stdout)["models"]
    for row, place in zip(rows, (first + 3, first + 6), strict=True):
        told = row["attentions"][0]["using"]
        assert lines[place].split(maxsplit=1) == ["using", f"{told['kernel']}: {told['reason']}"]
    assert [one["looks_at"] for one in rows[1]["attentions"]] == ["itself", "itself", "the source"]


@pytest.mark.parametrize(
    ("engine", "told"), [("auto", [True, False]), ("torch", [True, True]), ("ctranslate2", [False, False])]
)
def test_kernels_of_torch_are_told_where_torch_computed(test: Test, engine: str, told: list[bool]) -> None:
    folders = [model(test.folder / "a"), model(test.folder / "bc")]
    export(folders[1] / INSIDE)
    rows = json.loads(test.run(*folders, "--engine", engine, "--json").stdout)["models"]
    assert [bool(row["attentions"]) for row in rows] == told


@pytest.mark.parametrize(("name", "start"), [("plot.png", b"\x89PNG"), ("plot.svg", b"<?xml")])
def test_the_picture(test: Test, name: str, start: bytes) -> None:
    plot = test.folder / name
    result = test.run(model(test.folder / "a"), model(test.folder / "b"), "--output", plot)
    assert f"{plot} written" in result.stderr
    assert plot.read_bytes().startswith(start)


def test_folders_of_the_same_name_are_told_apart(test: Test) -> None:
    one, other = model(test.folder / "x" / "m"), model(test.folder / "y" / "m")
    assert f"{other} against {one}:" in test.run(one, other).stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("a",), "only {folder}/a was given; name two models or more"),
        (("a", "b", "--output", "plot.pdf"), "cannot write plot.pdf: a picture is .png or .svg; use plot.svg"),
        (("a", "b", "--output", "absent/plot.svg"), "--output absent/plot.svg cannot be written"),
        (("a", "f"), "{folder}/a translates de to en and {folder}/f de to fr"),
    ],
)
def test_wrong_use(test: Test, words: tuple[str, ...], told: str) -> None:
    for name, target in (("a", "en"), ("b", "en"), ("f", "fr")):
        model(test.folder / name, target)
    result = test.run(*(test.folder / word if len(word) == 1 else word for word in words))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"mirada: {told.format(folder=test.folder)}")


def test_a_model_that_is_none(test: Test) -> None:
    result = test.run(model(test.folder / "a"), test.folder / "absent")
    assert result.exit_code == 1
    assert f"{test.folder / 'absent'} is no folder of a model" in result.stderr
