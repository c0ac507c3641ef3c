"""A run that is stopped, killed or refused: what it leaves, and how it goes on."""

import hashlib
import multiprocessing
import random
import signal
from pathlib import Path

import pytest

from mirada.models.folder import FolderError
from mirada.training import checkpoint, metrics
from mirada.training.preparing import Files
from mirada.training.run import Request
from tests.training.small import request, run, run_alone, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def unbroken(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken") / "model"
    outcome, _ = run(request(corpus, folder))
    assert outcome.finished
    return folder


def weights_of(folder: Path) -> str:
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def test_the_same_command_gives_the_same_bytes(corpus: Path, unbroken: Path, tmp_path: Path) -> None:
    run(request(corpus, tmp_path / "again"))
    assert weights_of(tmp_path / "again") == weights_of(unbroken)


@pytest.mark.parametrize("at", [13, 59])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(corpus: Path, unbroken: Path, tmp_path: Path, at: int) -> None:
    asked = request(corpus, tmp_path / "model")
    outcome, listener = run(asked, stop_at=at)
    assert (outcome.finished, outcome.step) == (False, at)
    assert not (tmp_path / "model" / "model.safetensors").exists()
    outcome, listener = run(asked)
    assert outcome.finished
    assert listener.steps[0] == at + 1
    assert weights_of(tmp_path / "model") == weights_of(unbroken)
    lines = [line["step"] for line in metrics.read(tmp_path / "model")]
    assert lines == [line["step"] for line in metrics.read(unbroken)]


def test_killed_at_ten_random_moments_it_ends_with_the_same_weights(corpus: Path, tmp_path: Path) -> None:
    """Kill -9 while the data is prepared, while the model learns, and while files are written: all is made good."""
    longer = {"budget": {"steps": 300}}
    unbroken, broken = (request(corpus, tmp_path / name, training=longer) for name in ("unbroken", "broken"))
    assert killed(unbroken, 120) is None
    chance = random.Random()  # other moments on every run: no moment may be a bad one
    kills = [killed(broken, chance.uniform(0.05, 0.8)) for _ in range(4)]
    run(broken, stop_at=1)  # the data is prepared: from here on, each start goes some steps further
    kills += [killed(broken, chance.uniform(0.05, 0.4)) for _ in range(6)]
    assert None not in kills, "the run ended before it was killed ten times; make it longer"
    assert killed(broken, 120) is None
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "unbroken"), f"killed after {kills} seconds"


def killed(asked: Request, seconds: float) -> float | None:
    """Run in a process of its own and kill it after so many seconds; None where it had ended by itself."""
    # A server that has imported everything and trained nothing: autograd cannot be used after a fork of this process.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.training.small"])
    child = context.Process(target=run_alone, args=(asked,))
    child.start()
    child.join(seconds)
    if child.exitcode is not None:
        return None
    child.kill()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    return seconds


def test_a_finished_run_says_so_and_a_larger_budget_goes_on(corpus: Path, unbroken: Path) -> None:
    before = weights_of(unbroken)
    outcome, listener = run(request(corpus, unbroken))
    assert outcome.finished
    assert outcome.result is not None, "what it reached is read from its folder"
    assert (outcome.step, outcome.total) == (60, 60)
    assert any("is finished" in text for text in listener.said)
    assert weights_of(unbroken) == before
    outcome, listener = run(request(corpus, unbroken, training={"budget": {"steps": 70}}))
    assert listener.steps == list(range(61, 71))
    assert (outcome.finished, outcome.step) == (True, 70)


def test_another_run_is_refused_with_its_differences(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    run(request(corpus, folder), stop_at=2)
    with pytest.raises(FolderError, match=r"training\.seed: 1 before, 5 now"):
        run(request(corpus, folder, training={"seed": 5}))
    with pytest.raises(FolderError, match=r"model\.width: 16 before, 32 now"):
        run(request(corpus, folder, model={"width": 32}))
    changed = tmp_path / "en-es.tsv"
    changed.write_text(corpus.read_text() + "A new line.\tUna línea nueva.\n")
    with pytest.raises(FolderError, match=r"data\.train"):
        run(request(changed, folder))
    outcome, _ = run(request(corpus, folder), stop_at=4)
    assert outcome.step == 4


def test_a_torn_checkpoint_costs_the_work_since_the_one_before(corpus: Path, unbroken: Path, tmp_path: Path) -> None:
    asked = request(corpus, tmp_path / "model")
    run(asked, stop_at=40)
    path = tmp_path / "model" / checkpoint.CURRENT
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(bytes(data))
    outcome, listener = run(asked)
    assert any(checkpoint.CURRENT in text and "damaged" in text for text in listener.said)
    assert outcome.finished
    path.write_bytes(bytes(data[: len(data) // 2]))
    assert checkpoint.load(tmp_path / "model", lambda text: None) is not None


def test_a_folder_with_other_files_is_left_alone(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(FolderError, match="holds other files"):
        run(request(corpus, tmp_path))


RECURRENT = {
    "data": {"vocabulary": 500, "variants": 2, "dev_share": 0.1, "test_share": 0.02},
    "model": {
        "kind": "recurrent",
        "width": 16,
        "encoder": {"width": 16},
        "decoder": {"width": 16},
        "attention": {"when": "before"},
    },
    "training": {
        "batch_tokens": 600,
        "validation_sentences": 4,
        "budget": {"steps": 12},
        "dropout": 0.2,
        "save_minutes": 0.001,
    },
}


def test_a_stopped_recurrent_run_goes_on_as_if_it_had_not_been(corpus: Path, tmp_path: Path) -> None:
    files = Files((corpus,), source="en", target="es")
    unbroken, broken = (Request(files, tmp_path / name, None, RECURRENT) for name in ("unbroken", "broken"))
    _, listener = run(unbroken)
    assert any("(recurrent): 1 + 1 layers, width 16, lstm 16 to lstm 16" in text for text in listener.said)
    outcome, _ = run(broken, stop_at=7)
    assert (outcome.finished, outcome.step) == (False, 7)
    assert run(broken)[0].finished
    assert weights_of(tmp_path / "broken") == weights_of(tmp_path / "unbroken")
