"""Batches of many clients: joined, fair, bounded, and without those who left."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.serving.batching import Batcher, fair
from mirada.serving.problem import Problem
from tests.serving.servers import SECONDS, wait_for


@dataclass(frozen=True)
class Doubling:
    """A work that doubles numbers, when its gate is open; 13 brings it down."""

    name: str = "doubling"
    gate: threading.Event = field(default_factory=threading.Event, compare=False)
    calls: list[list[int]] = field(default_factory=list, compare=False)

    def do(self, items: list[int]) -> list[int]:
        self.calls.append(list(items))
        assert self.gate.wait(SECONDS)
        if 13 in items:
            raise ArithmeticError("13")
        return [2 * item for item in items]


@pytest.fixture
def batcher() -> Iterator[Batcher]:
    made = Batcher(batch=8, queue=5)
    made.start()
    yield made
    made.close(SECONDS)


@pytest.fixture
def work() -> Doubling:
    return Doubling()


def held(batcher: Batcher, work: Doubling) -> None:
    """Let the thread work at a first request, which does not end before the gate is open."""
    batcher.submit(work, [0])
    wait_for(lambda: work.calls)


def test_what_waits_is_done_in_one_call(batcher: Batcher, work: Doubling) -> None:
    held(batcher, work)
    futures = [batcher.submit(work, [number, number + 1]) for number in (1, 3, 5)]
    work.gate.set()
    assert [future.result(SECONDS) for future in futures] == [[2, 4], [6, 8], [10, 12]]
    assert work.calls == [[0], [1, 2, 3, 4, 5, 6]]


def test_a_long_request_does_not_keep_the_others_waiting(batcher: Batcher, work: Doubling) -> None:
    held(batcher, work)
    long = batcher.submit(work, list(range(100, 120)))
    short = batcher.submit(work, [1])
    work.gate.set()
    assert short.result(SECONDS) == [2]
    assert long.result(SECONDS) == [2 * number for number in range(100, 120)]
    assert 1 in work.calls[1]
    assert all(len(call) <= 8 for call in work.calls)


def test_works_take_turns(batcher: Batcher, work: Doubling) -> None:
    other = Doubling("another")
    other.gate.set()
    held(batcher, work)
    long = batcher.submit(work, list(range(100, 140)))
    short = batcher.submit(other, [1])
    work.gate.set()
    assert short.result(SECONDS) == [2]
    assert long.result(SECONDS)[-1] == 278


def test_only_who_causes_a_failure_is_told(batcher: Batcher, work: Doubling) -> None:
    held(batcher, work)
    futures = [batcher.submit(work, [number]) for number in (12, 13, 14)]
    work.gate.set()
    assert [futures[0].result(SECONDS), futures[2].result(SECONDS)] == [[24], [28]]
    with pytest.raises(ArithmeticError):
        futures[1].result(SECONDS)
    assert batcher.submit(work, [1]).result(SECONDS) == [2], "the thread goes on"


def test_who_leaves_is_not_worked_for(batcher: Batcher, work: Doubling) -> None:
    held(batcher, work)
    leaves, stays = batcher.submit(work, [1]), batcher.submit(work, [2])
    assert leaves.cancel()
    work.gate.set()
    assert stays.result(SECONDS) == [4]
    assert work.calls == [[0], [2]]


def test_the_queue_has_an_end_and_who_leaves_makes_room(batcher: Batcher, work: Doubling) -> None:
    held(batcher, work)
    waiting = [batcher.submit(work, [number]) for number in range(1, 5)]
    with pytest.raises(Problem, match="5 requests are waiting already") as refused:
        batcher.submit(work, [9])
    assert (refused.value.status, refused.value.headers) == (429, {"retry-after": "1"})
    waiting[0].cancel()
    batcher.submit(work, [9])
    work.gate.set()


def test_a_closed_queue_refuses_what_waits_and_what_comes(work: Doubling) -> None:
    batcher = Batcher(batch=8, queue=5)
    batcher.start()
    first = batcher.submit(work, [0])
    wait_for(lambda: work.calls)
    closing = threading.Thread(target=batcher.close, args=(SECONDS,))
    closing.start()
    with pytest.raises(Problem, match="the server is stopping"):
        first.result(SECONDS)
    work.gate.set()
    closing.join(SECONDS)
    with pytest.raises(Problem, match="the server is stopping") as refused:
        batcher.submit(work, [1])
    assert refused.value.status == 503


@given(st.lists(st.integers(1, 50), max_size=20), st.integers(0, 200))
def test_shares_are_fair(wanted: list[int], most: int) -> None:
    given = fair(wanted, most)
    assert sum(given) == min(most, sum(wanted))
    assert all(0 <= got <= want for got, want in zip(given, wanted, strict=True))
    unsatisfied = [got for got, want in zip(given, wanted, strict=True) if got < want]
    assert max(given, default=0) - min(unsatisfied, default=max(given, default=0)) <= 1, "nobody gets much more"
