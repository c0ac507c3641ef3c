"""Cases that a run must be careful with: the user's files, limits of places, larger and smaller budgets."""

import json
import math
from pathlib import Path

import pytest
import torch
from torch import nn

from mirada.layers.norm import BatchNorm
from mirada.models.folder import FolderError
from mirada.tasks.task import Score
from mirada.training import checkpoint, record
from mirada.training.checkpoint import Progress
from mirada.training.loop import is_best
from mirada.training.optimizer import Optimizer
from mirada.training.settings import ConfigError
from mirada.training.stretches import Settings
from tests.training.small import request, run, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def test_no_file_of_the_user_is_removed(tmp_path: Path) -> None:
    """A folder with a `data` of the user's own looks like a run's, and is none."""
    (tmp_path / "data").mkdir()
    corpus = write_corpus(tmp_path / "data")
    before = corpus.read_bytes()
    for output in (tmp_path, tmp_path / "data"):
        with pytest.raises(FolderError, match=r"stands in|holds other files"):
            run(request(corpus, output))
    assert corpus.read_bytes() == before


def test_learned_places_are_enough_for_all_that_a_run_does(corpus: Path, tmp_path: Path) -> None:
    asked = request(corpus, tmp_path / "model", model={"position": "learned(16)"}, training={"budget": {"steps": 3}})
    outcome, listener = run(asked)
    assert outcome.finished
    assert any("more than 16 tokens and are left out" in text for text in listener.said)


def test_a_smaller_budget_than_was_used_is_told(corpus: Path, tmp_path: Path) -> None:
    run(request(corpus, tmp_path / "model"), stop_at=10)
    with pytest.raises(FolderError, match="has made 10 steps already"):
        run(request(corpus, tmp_path / "model", training={"budget": {"steps": 5}}))
    found = record.read(tmp_path / "model")
    assert found is not None
    assert found.budget.steps == 60, "the record is as it was"


def test_a_model_that_cannot_be_built_is_told_before_the_data_is_read(corpus: Path, tmp_path: Path) -> None:
    wrong = request(corpus, tmp_path / "model", model={"width": 18, "encoder": {"position": "rotary"}})
    with pytest.raises(ConfigError, match="cannot be built"):
        run(wrong)
    assert not (tmp_path / "model").exists()


def test_a_checkpoint_without_its_record_is_refused(corpus: Path, tmp_path: Path) -> None:
    run(request(corpus, tmp_path / "model"), stop_at=2)
    (tmp_path / "model" / record.NAME).unlink()
    with pytest.raises(FolderError, match=r"no training\.json"):
        run(request(corpus, tmp_path / "model"))


def test_a_damaged_checkpoint_never_takes_the_place_of_a_good_one(tmp_path: Path) -> None:
    for step in (1, 2):
        checkpoint.save(tmp_path, Progress(step=step), {"x": torch.full((3,), float(step))})
    (tmp_path / checkpoint.CURRENT).write_bytes(b"torn")
    told: list[str] = []
    found = checkpoint.load(tmp_path, told.append)
    assert found is not None
    assert found[0].step == 1
    assert checkpoint.CURRENT in told[0]
    checkpoint.save(tmp_path, Progress(step=3), found[1])
    assert not (tmp_path / checkpoint.CURRENT).read_bytes().startswith(b"torn")
    (tmp_path / checkpoint.CURRENT).unlink()
    again = checkpoint.load(tmp_path, told.append)
    assert again is not None
    assert again[0].step == 1


def test_a_score_that_is_no_number_is_kept_and_is_worst(tmp_path: Path) -> None:
    scores = (Score(step=1, loss=math.nan), Score(step=2, loss=3.0))
    checkpoint.save(tmp_path, Progress(step=2, scores=scores), {"x": torch.zeros(1)})
    found = checkpoint.load(tmp_path, print)
    assert found is not None
    assert math.isnan(found[0].scores[0].loss)
    assert is_best(scores[1], scores[:1], "loss")


def test_batch_norm_forgets_a_bad_step() -> None:
    inner = BatchNorm(3).train()
    optimizer = Optimizer(inner, Settings(), torch.float32)
    optimizer.add(optimizer.gradients(inner(torch.randn(2, 5, 3)).square().sum()))
    optimizer.step(0.01, 1.0)
    before = inner.mean.clone()
    optimizer.add(optimizer.gradients(inner(torch.full((2, 5, 3), math.nan)).sum()))
    optimizer.step(0.01, 1.0)
    assert inner.mean.equal(before)


def test_bf16_leaves_buffers_exact() -> None:
    inner = nn.Sequential(BatchNorm(3))
    Optimizer(inner, Settings(), torch.bfloat16)
    assert next(inner.parameters()).dtype == torch.bfloat16
    assert next(inner.buffers()).dtype == torch.float32


def test_every_changed_file_is_named(tmp_path: Path) -> None:
    one = {"train": [{"bytes": 3, "hash": "a"}, {"bytes": 5, "hash": "b"}]}
    other = json.loads(json.dumps(one))
    other["train"][1]["hash"] = "c"
    assert record.differences(one, other) == ["train.2.hash: 'b' before, 'c' now"]


def test_a_run_whose_data_was_prepared_in_another_way_is_refused(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(request(corpus, tmp_path / "model"), stop_at=3)
    monkeypatch.setattr(record, "FORMAT", 0)  # as if another version had begun it
    with pytest.raises(FolderError, match="preparation: "):
        run(request(corpus, tmp_path / "model"))
