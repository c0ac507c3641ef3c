"""Batches that are decoded side by side say what they say one after the other, and fail alike."""

import threading

import pytest
import torch

from mirada.decoding import search as searching
from mirada.decoding.options import Search
from mirada.decoding.search import decode_many
from mirada.decoding.workers import side_by_side, workers_on
from tests.models.build import END, small_transformer

# Few tokens, since an untrained model does not end by itself.
SEARCHES = [
    Search(beam=1, longest=4),
    Search(beam=3, n_best=2, longest=4),
    Search(sampling=True, temperature=0.8, n_best=2, longest=4),
]


def decoded(workers: int, search: Search, monkeypatch: pytest.MonkeyPatch, budget: int = 24):
    monkeypatch.setattr(searching, "workers_on", lambda device: workers)
    monkeypatch.setattr(searching, "BUDGET", budget * search.beam)
    torch.manual_seed(5)
    model = small_transformer().eval()
    sources = [[3 + (number * place) % 19 for place in range(2 + number % 7)] + [END] for number in range(13)]
    return decode_many(model, sources, search)


@pytest.mark.parametrize("search", SEARCHES)
def test_the_same_on_any_number_of_workers(search, monkeypatch) -> None:
    alone, *others = (decoded(workers, search, monkeypatch) for workers in (1, 2, 3))
    for found in others:
        assert [[one.tokens for one in some] for some in found] == [[one.tokens for one in some] for some in alone]


def test_no_worker_is_idle_at_the_end() -> None:
    lengths = [10] * 1_000
    for workers, sizes in ((1, [409, 409, 182]), (2, [307, 307, 307, 79]), (3, [409, 409, 182])):
        batches = searching._all_batches(lengths, {1: range(1_000)}, workers)
        assert [len(batch) for _, batch in batches] == sizes
        assert sorted(number for _, batch in batches for number in batch) == list(range(1_000))
    assert len(searching._all_batches(lengths, {1: range(30)}, 2)) == 1, "what fits into one batch is not divided"


def test_every_item_is_worked_on_by_threads_of_one_core() -> None:
    seen: dict[int, tuple[int, str]] = {}

    def work(item: int) -> None:
        seen[item] = torch.get_num_threads(), threading.current_thread().name

    side_by_side(work, range(6), 2)
    assert sorted(seen) == list(range(6))
    assert {threads for threads, _ in seen.values()} == {1}
    assert all(name.startswith("decode") for _, name in seen.values())
    side_by_side(work, [9], 2)
    assert seen[9][1] == threading.current_thread().name


def test_a_failure_is_raised() -> None:
    def work(item: int) -> None:
        if item == 3:
            raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        side_by_side(work, range(6), 2)


def test_another_device_has_one_worker() -> None:
    assert workers_on("meta") == 1
    assert workers_on("cpu") == torch.get_num_threads()
