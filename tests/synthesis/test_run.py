"""Distillation and back-translation from end to end: what is trained on, what is looked at, and how a run goes on."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from mirada.corpora.demo import generate
from mirada.corpora.pair import CorpusError
from mirada.models.folder import FolderError
from mirada.synthesis import corpus
from mirada.synthesis.run import STUDENT, back_translate, distill
from mirada.training.config import RunConfig
from mirada.training.preparing import Files
from mirada.training.run import Request, examine
from mirada.training.settings import merge
from mirada.translator import Translator
from tests.synthesis.writers import StoppedError, Writer, folder_of
from tests.training.small import SETTINGS, Listener, run, write_corpus

PAIRS = [made.pair for made in generate(300, 1)]
TEACHER = {pair.source: f"{pair.target} Así es." for pair in PAIRS}  # what a teacher says is told from what stood there
SHORT = merge(SETTINGS, {"training": {"budget": {"steps": 8}}})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files((write_corpus(tmp_path_factory.mktemp("corpus")),), source="en", target="es")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "CHUNK", 40)


def speak(monkeypatch: pytest.MonkeyPatch, writer: Writer) -> Writer:
    """Whoever loads a model gets this one."""
    monkeypatch.setattr(Translator, "load", lambda folder: writer)
    return writer


def held_out(folder: Path) -> list[list[str]]:
    return [pair for part in ("dev", "test") for pair in json.loads((folder / "data" / f"{part}.json").read_bytes())]


def weights_of(folder: Path) -> str:
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def test_a_student_learns_from_its_teacher_and_is_looked_at_beside_people(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Request(files, tmp_path / "usual", None, SHORT)
    run(usual)
    writer = speak(monkeypatch, Writer(TEACHER))
    asked = Request(files, tmp_path / "student", None, merge(STUDENT, SHORT))
    with_pairs = distill(asked, folder_of(tmp_path / "teacher"), Listener())
    outcome, _ = run(with_pairs)
    assert outcome.finished
    assert writer.beams == {5}
    assert held_out(tmp_path / "student") == held_out(tmp_path / "usual"), "dev and test stay real, and the same"
    facts = json.loads((tmp_path / "student" / "data" / "prepared.json").read_bytes())
    assert facts["synthetic"] == facts["train"] > 0, "no original is among them"
    assert "have a side that a model wrote" in (tmp_path / "student" / "card.md").read_text()
    dropped = (tmp_path / "student" / "drops.tsv").read_text()
    assert f"source stands in dev or test\tthe same or nearly\t{held_out(tmp_path / 'usual')[0][0]}" in dropped


def test_a_stopped_student_goes_on_as_if_it_had_not_been(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = folder_of(tmp_path / "teacher")

    def student(folder: str, writer: Writer, stop_at: int | None = None) -> bool:
        speak(monkeypatch, writer)
        asked = Request(files, tmp_path / folder, None, merge(STUDENT, SHORT))
        return run(distill(asked, teacher, Listener()), stop_at)[0].finished

    assert student("unbroken", Writer(TEACHER))
    with pytest.raises(StoppedError):
        student("broken", Writer(TEACHER, stop_at=2))
    assert not student("broken", Writer(TEACHER), stop_at=5)
    silent = Writer({}, stop_at=0)
    assert student("broken", silent), "the teacher is not asked again"
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "unbroken")


def test_another_teacher_is_another_run(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, Writer(TEACHER))
    asked = Request(files, tmp_path / "student", None, merge(STUDENT, SHORT))
    run(distill(asked, folder_of(tmp_path / "teacher"), Listener()), stop_at=2)
    wider = replace(asked, settings=merge(asked.settings, {"data": {"synthetic": {"beam": 2}}}))
    with pytest.raises(FolderError, match="holds another run"):
        distill(wider, tmp_path / "teacher", Listener())


def test_back_translated_pairs_stand_beside_real_ones(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [made.pair for made in generate(120, 77)]
    (tmp_path / "mono.es").write_text("".join(f"{pair.target}\n" for pair in lines))
    speak(monkeypatch, Writer({pair.target: f"Well: {pair.source}" for pair in lines}, ("es", "en")))
    usual = Request(files, tmp_path / "usual", None, SHORT)
    run(usual)
    asked = replace(usual, output=tmp_path / "mixed")
    outcome, listener = run(
        back_translate(asked, [tmp_path / "mono.es"], folder_of(tmp_path / "reverse", "es", "en"), Listener())
    )
    assert outcome.finished
    assert held_out(tmp_path / "mixed") == held_out(tmp_path / "usual")
    before, facts = (
        json.loads((tmp_path / name / "data" / "prepared.json").read_bytes()) for name in ("usual", "mixed")
    )
    assert 0 < facts["synthetic"] <= 120
    assert facts["train"] == before["train"] + facts["synthetic"]
    told = [text for text in listener.said if "of them synthetic" in text]
    assert len(told) == 1


def test_a_model_that_is_not_the_reverse_is_refused(files: Files, tmp_path: Path) -> None:
    (tmp_path / "mono.es").write_text("Un gato.\n")
    asked = Request(files, tmp_path / "model", None, SHORT)
    for languages in (("en", "es"), ("fr", "en"), ("es", "fr")):
        model = folder_of(tmp_path / "-".join(languages), *languages)
        with pytest.raises(FolderError, match=r"it must go from es to en: train one with --from es --to en"):
            back_translate(asked, [tmp_path / "mono.es"], model, Listener())
    assert not (tmp_path / "model").exists()


def test_pairs_that_a_model_made_have_no_documents(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examined: list[Request] = []

    def examining(request: Request) -> RunConfig:
        examined.append(request)
        return examine(request)

    monkeypatch.setattr("mirada.synthesis.run.examine", examining)
    asked = Request(files, tmp_path / "student", None, merge(SHORT, {"data": {"context": 1}}))
    with pytest.raises(CorpusError, match=r"data.context = 1 and synthetic pairs"):
        distill(asked, folder_of(tmp_path / "teacher"), Listener())
    assert examined == [asked]
    assert not (tmp_path / "student").exists()
