"""Runs of masked models and of ELMo: learning, going on bit for bit, beginning from one another, and wrong turns."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from mirada.models.build import build
from mirada.models.folder import FolderError, assign
from mirada.models.reading_folder import load_reader
from mirada.models.text_folders import load
from mirada.training.preparing import Files
from mirada.training.result import ReadTextResult
from mirada.training.run import Request
from mirada.training.settings import ConfigError, Tree, merge
from tests.training.small import run
from tests.treebanks import write_treebank

SUBJECTS = ("the cat", "the dog", "a bird", "my sister")
VERBS = {"the cat": "sleeps on the mat", "the dog": "barks at the moon", "a bird": "sings", "my sister": "reads books"}
SETTINGS: dict[str, Tree] = {
    "mlm": {
        "data": {"dev_share": 0.1, "test_share": 0.1, "vocabulary": 480, "longest": 32},
        "model": {"width": 32, "feed_forward": 64, "stack": {"layers": 1, "heads": 2}},
        "training": {
            "batch_tokens": 240,
            "dropout": 0.1,
            "budget": {"steps": 160},
            "save_minutes": 0.001,
            "next_sentence": True,
            "rate": 0.01,
        },
    },
    "elmo": {
        "data": {"dev_share": 0.1, "test_share": 0.1, "vocabulary": 480, "longest": 24},
        "model": {"width": 24, "layers": 2, "task_width": 8},
        "training": {"batch_tokens": 240, "dropout": 0.1, "budget": {"steps": 60}, "save_minutes": 0.001, "rate": 0.02},
    },
}


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    lines = [f"{SUBJECTS[number * number % 7 % 4]} {VERBS[SUBJECTS[number * number % 7 % 4]]}" for number in range(400)]
    path.write_text("".join(line + (".\n\n" if number % 5 == 4 else ".\n") for number, line in enumerate(lines)))
    return path


def request(task: str, text: Path, output: Path, **changes: object) -> Request:
    return Request(Files((text,)), output, None, merge(SETTINGS[task], changes), task=task)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folders(text: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for task in SETTINGS:
        found[task] = tmp_path_factory.mktemp("trained") / task
        outcome, listener = run(request(task, text, found[task]))
        assert outcome.finished
        assert isinstance(outcome.result, ReadTextResult)
        assert outcome.result.test is not None
        assert any("subwords to train on" in said for said in listener.said)
    return found


def score_of(folder: Path, name: str) -> float:
    return json.loads((folder / "config.json").read_text())["scores"][name]["score"]


def test_words_are_learnt_from_what_stands_around_them(folders: dict[str, Path]) -> None:
    assert score_of(folders["mlm"], "loss") < 2.0, "the frequencies of words alone lose 2.9"
    assert score_of(folders["mlm"], "accuracy") > 40
    assert 0 <= score_of(folders["mlm"], "next_sentence_accuracy") <= 100
    assert score_of(folders["elmo"], "loss") < 2.0
    assert score_of(folders["elmo"], "backward_perplexity") > 1


@pytest.mark.parametrize("task", SETTINGS)
def test_a_stopped_run_goes_on_as_if_it_had_not_been(
    text: Path, folders: dict[str, Path], tmp_path: Path, task: str
) -> None:
    asked = request(task, text, tmp_path / "model")
    assert run(asked, stop_at=31)[0].step == 31
    outcome, listener = run(asked)
    assert outcome.finished
    assert any("was prepared before" in said for said in listener.said)
    weights = [(folder / "model.safetensors").read_bytes() for folder in (folders[task], tmp_path / "model")]
    assert weights[0] == weights[1]
    assert run(asked)[0].result == outcome.result, "a finished run tells its result again"


@pytest.mark.parametrize("task", SETTINGS)
def test_another_task_begins_from_the_very_tensors(folders: dict[str, Path], task: str) -> None:
    found = load_reader(folders[task])
    written = load_file(folders[task] / "model.safetensors")
    of_reader = {name.removeprefix("reader."): one for name, one in written.items() if name.startswith("reader.")}
    assert set(found.tensors) == set(of_reader)
    assert all(torch.equal(found.tensors[name], tensor) for name, tensor in of_reader.items())
    reader = build(found.config, found.subwords.size)
    assign(reader, found.tensors, folders[task])
    trained = load(folders[task]).model.reader.eval()
    tokens = torch.tensor([[2, *found.subwords.encode("the cat sleeps")]])
    assert torch.equal(reader.eval()(tokens), trained(tokens))


def test_a_finished_folder_holds_what_is_needed(folders: dict[str, Path]) -> None:
    for task, folder in folders.items():
        names = {path.name for path in folder.iterdir()}
        assert {"config.json", "model.safetensors", "subwords.model", "card.md", "curves.png"} <= names
        assert f"--start {folder.name}" in (folder / "card.md").read_text()
        assert load(folder).config.task == task


def test_a_model_goes_on_from_another(text: Path, folders: dict[str, Path], tmp_path: Path) -> None:
    settings: Tree = {"training": {"budget": {"steps": 2}, "batch_tokens": 240, "rate": 1e-5}}
    for task, folder in folders.items():
        asked = Request(Files((text,)), tmp_path / task, None, settings, start=folder, task=task)  # type: ignore[arg-type]
        outcome, _ = run(asked)
        assert outcome.result is not None
        assert outcome.result.development.loss < 2.0
    without = merge(settings, {"training": {"next_sentence": False}})
    asked = Request(Files((text,)), tmp_path / "without", None, without, start=folders["mlm"], task="mlm")
    assert run(asked)[0].finished
    assert not any(name.startswith("follows") for name in load_file(tmp_path / "without" / "model.safetensors"))
    other: Tree = {"model": {"width": 8}}
    with pytest.raises(ConfigError, match="brings its own model"):
        run(Request(Files((text,)), tmp_path / "other", None, other, start=folders["mlm"], task="mlm"))
    with pytest.raises(ConfigError, match="was trained with --task elmo, not with --task mlm"):
        run(Request(Files((text,)), tmp_path / "other", None, {}, start=folders["elmo"], task="mlm"))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"masking": {"masked": 0.9, "random": 0.2}}, r"are more than all"),
        ({"model": {"position": "learned(20)"}}, r"model\.position has 20 places, fewer than data\.longest = 32"),
        ({"model": {"spelling": 9}}, r"model\.spelling = 9 reads words as bags"),
        ({"model": {"segments": 0}}, r"training\.next_sentence tells two segments apart"),
        ({"data": {"units": "characters"}}, r"data\.units"),
        ({"masking": {"shared": 0.1}}, r"did you mean masking\.share\?"),
    ],
)
def test_what_does_not_fit_is_told(text: Path, tmp_path: Path, changes: Tree, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        run(request("mlm", text, tmp_path / "model", **changes))
    assert not (tmp_path / "model").exists()


def test_text_that_is_none_is_told(tmp_path: Path, text: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n\n")
    with pytest.raises(ValueError, match="there is no text to learn subwords from"):
        run(request("mlm", empty, tmp_path / "model"))
    with pytest.raises(ConfigError, match="--preset big is not known; use tiny, small, base, bert-base, bert-large"):
        run(Request(Files((text,)), tmp_path / "other", "big", {}, task="mlm"))
    (tmp_path / "lm").mkdir()
    (tmp_path / "lm" / "config.json").write_text('{"task": "lm"}')
    with pytest.raises(FolderError, match="holds no model that reads"):
        load_reader(tmp_path / "lm")


@pytest.mark.parametrize("task", SETTINGS)
def test_a_tagger_begins_from_it_and_can_be_stopped(folders: dict[str, Path], tmp_path: Path, task: str) -> None:
    treebank = write_treebank(tmp_path / "x.conllu")
    settings: Tree = {"training": {"budget": {"steps": 6}, "batch_tokens": 200, "dropout": 0.1, "rate": 0.01}}
    asked = [
        Request(Files((treebank,)), tmp_path / name, None, settings, start=folders[task], task="tag")
        for name in ("whole", "stopped")
    ]
    assert run(asked[0])[0].finished
    assert run(asked[1], stop_at=3)[0].step == 3
    assert run(asked[1])[0].finished
    whole, stopped = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "stopped"))
    assert all(torch.equal(tensor, stopped[name]) for name, tensor in whole.items())
    before = load_file(folders[task] / "model.safetensors")
    kept = {name for name, tensor in before.items() if name in whole and torch.equal(whole[name], tensor)}
    frozen = {name for name in before if name.startswith("reader.models.")}
    assert kept == frozen, "a masked model learns on; of ELMo the two language models stay as they were"
