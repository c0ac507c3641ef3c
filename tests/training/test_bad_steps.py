"""Steps whose gradient is not finite: skipped, counted and told; three in a row end the run with good weights."""

from pathlib import Path

import pytest
import torch

from mirada.tasks import translation
from mirada.training import checkpoint
from mirada.training.loop import DivergedError
from tests.training.small import request, run, write_corpus


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch):
    """A loss that is no number in the steps one names."""
    plain = translation.loss_of
    calls = {"count": 0, "bad": set()}

    def loss_of(model, batch, noise, smoothing):
        loss = plain(model, batch, noise, smoothing)
        if noise is None:
            return loss
        calls["count"] += 1
        return loss * float("nan") if calls["count"] in calls["bad"] else loss

    monkeypatch.setattr(translation, "loss_of", loss_of)
    return calls


def test_a_bad_step_is_skipped_and_counted(breaking, tmp_path: Path) -> None:
    breaking["bad"] = {5, 6, 9}
    outcome, listener = run(request(write_corpus(tmp_path), tmp_path / "model"))
    assert outcome.finished
    found = checkpoint.load(tmp_path / "model", print)
    assert found is not None
    assert (found[0].step, found[0].updates, found[0].skipped) == (60, 57, 3)
    assert sum("not finite" in text for text in listener.said) == 3


def test_three_in_a_row_end_the_run(breaking, tmp_path: Path) -> None:
    breaking["bad"] = {7, 8, 9}
    asked = request(write_corpus(tmp_path), tmp_path / "model")
    with pytest.raises(DivergedError, match=r"up to step 9.*training\.rate"):
        run(asked)
    found = checkpoint.load(tmp_path / "model", print)
    assert found is not None
    assert all(bool(torch.isfinite(tensor).all()) for tensor in found[1].values())
    assert run(asked)[0].finished, "what is left can be tried from the last good weights"
