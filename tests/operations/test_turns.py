"""Rotary positions, compiled: what torch gives, wherever the numbers lie; turned back they are what they were."""

import pytest
import torch

from mirada.attention.position import rotate
from tests.operations.compiled import MARKS, assert_same, random, watched

pytestmark = MARKS


@pytest.mark.parametrize("width", [2, 22, 34, 66])
@pytest.mark.parametrize("start", [0, 5])
def test_as_torch_turns(width: int, start: int) -> None:
    assert_same(lambda x: rotate(x, start, 50.0), lambda x: rotate(x, start, 50.0), [random(3, 5, 7, width)])
    assert_same(
        lambda x: rotate(x.transpose(1, 2), start, 50.0),
        lambda x: rotate(x.transpose(1, 2), start, 50.0),
        [random(3, 7, 5, width)],
    )


def test_the_length_stays() -> None:
    x = random(2, 3, 11, 38)
    torch.testing.assert_close(rotate(x, 3, 10.0).float().norm(), x.float().norm(), rtol=0.005, atol=0)


def test_who_turns(monkeypatch) -> None:
    calls = watched(monkeypatch)
    rotate(random(1, 1, 3, 4), 0, 10.0)
    rotate(random(1, 1, 3, 4).double(), 0, 10.0)
    rotate(random(1, 1, 0, 4), 0, 10.0)
    with torch.no_grad():
        rotate(random(1, 1, 3, 4), 0, 10.0)
    assert calls.names == ["mirada_turn"]
