"""The crew: parts of a step side by side, in order, and a run that does not depend on who computes them."""

import threading
from pathlib import Path

import pytest
import torch

from mirada.training import decisions, record
from mirada.training.crew import Crew, parts_for
from mirada.training.decisions import decide_parts
from mirada.training.settings import validate
from tests.training.small import request, run, write_corpus


@pytest.mark.parametrize(
    ("threads", "tokens", "parts"),
    [(1, 9_000, 1), (2, 1_400, 2), (2, 1_399, 1), (8, 4_000, 4), (6, 2_100, 3), (5, 2_000, 1)],
)
def test_a_step_is_cut_so_that_every_thread_has_enough_to_do(threads: int, tokens: int, parts: int) -> None:
    assert parts_for(threads, tokens) == parts


def test_a_part_holds_the_longest_pair() -> None:
    assert parts_for(2, 2_000, fewest=1_001) == 1


@pytest.mark.parametrize("count", [1, 3])
def test_results_come_in_order_with_their_numbers(count: int) -> None:
    assert list(Crew(count, 3).map(lambda number, item: (number, item), list("abcdefg"))) == list(enumerate("abcdefg"))


def test_the_workers_work_at_the_same_time_and_leave_the_caller_its_threads() -> None:
    before = torch.get_num_threads()
    meeting = threading.Barrier(2, timeout=20)
    assert (
        list(Crew(2, 2).map(lambda number, _: (meeting.wait() >= 0, torch.get_num_threads()), "ab")) == [(True, 1)] * 2
    )
    assert torch.get_num_threads() == before


def test_a_failure_of_a_worker_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        list(Crew(2, 2).map(lambda number, item: item // number, [1, 1]))


@pytest.mark.usefixtures("two_threads")
def test_a_run_in_two_parts_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path)
    changes: dict[str, object] = {"batch_tokens": 1_400, "dropout": 0.2, "accumulate": 2, "budget": {"steps": 12}}
    asked = [request(corpus, tmp_path / name, training=changes) for name in ("whole", "broken")]
    run(asked[0])
    run(asked[1], stop_at=7)
    run(asked[1])
    whole, broken = ((one.output / "model.safetensors").read_bytes() for one in asked)
    assert whole == broken
    found = record.read(asked[0].output)
    assert found is not None
    assert found.decided["parts"] == 2


@pytest.mark.usefixtures("two_threads")
def test_batch_norm_sees_its_batch_whole(tmp_path: Path) -> None:
    changes: dict[str, object] = {"batch_tokens": 1_400, "budget": {"steps": 2}}
    asked = request(write_corpus(tmp_path), tmp_path / "model", training=changes, model={"norm": "batch"})
    run(asked)
    found = record.read(asked.output)
    assert found is not None
    assert found.decided["parts"] == 1


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(
    ("width", "precision", "missing", "parts"),
    [
        (256, "fp32", None, 2),
        (512, "fp32", "there is no compiler", 1),
        (512, "fp32", None, 2),
        (512, "bf16", "there is no compiler", 1),
        (512, "bf16", None, 2),  # each operation of the compiled library is the work of one thread
    ],
)
def test_threads_share_the_products_of_wide_models(width, precision, missing, parts, monkeypatch) -> None:
    monkeypatch.setattr(decisions, "why_not", lambda _: missing)
    training = {"batch_tokens": 4_000, "precision": precision}
    config = validate({"model": {"width": width}, "training": training}, "a test")
    assert decide_parts(config, None, torch.device("cpu"), 100) == parts
