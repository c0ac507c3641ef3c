"""Dropout by a key: as many numbers as asked for, the same for the same key, and the same backward."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mirada.layers.noise import LEVELS, Noise, add_dropped, drop
from mirada.operations import choice, dropping
from tests.operations.compiled import MARKS, gradients, precision, random, watched

pytestmark = MARKS

COUNT = 100_003
KEY = 0x9E3779B97F4A7C15
keys = st.integers(0, 2**64 - 1)


def kept(count: int, key: int, threshold: int) -> Tensor:
    """Which of so many numbers are kept."""
    return dropping.add_dropped(None, torch.ones(count).to(precision()), key, threshold) != 0


def share(which: Tensor) -> float:
    return float(which.double().mean())


def near(rate: float, count: int = COUNT) -> pytest.approx:
    """A share of so many numbers that are drawn at this rate: five deviations at the most."""
    return pytest.approx(rate, abs=5 * (rate * (1 - rate) / count) ** 0.5)


@pytest.mark.parametrize("threshold", [1, 26, 77, 128, 230, 255])
def test_as_many_are_dropped_as_asked_for_and_the_others_scaled(threshold) -> None:
    y = random(COUNT, learns=False)
    dropped = dropping.add_dropped(None, y, KEY, threshold)
    stays = kept(COUNT, KEY, threshold)
    assert share(stays) == near(1 - threshold / LEVELS)
    scale = torch.tensor(LEVELS / (LEVELS - threshold))
    assert torch.equal(dropped, torch.where(stays, y.float() * scale, 0).to(precision()))


def test_nothing_is_dropped_at_a_threshold_of_0() -> None:
    y = random(131, learns=False)
    assert torch.equal(dropping.add_dropped(None, y, KEY, 0), y)


def test_the_way_around_is_added_before_anything_is_rounded() -> None:
    x, y = random(31, 37, learns=False), random(31, 37, learns=False)
    stays = kept(31 * 37, KEY, 77).view(31, 37)
    wanted = torch.where(stays, x.float() + y.float() * torch.tensor(LEVELS / (LEVELS - 77)), x.float()).to(precision())
    assert torch.equal(dropping.add_dropped(x, y, KEY, 77), wanted)


@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize("count", [1, 15, 64, 65, 1_031])
def test_the_gradient_has_the_same_holes(count, around) -> None:
    x, y, falls = random(count), random(count), random(count, learns=False)
    answer = dropping.add_dropped(x if around else None, y, KEY, 128)
    (to_y,) = gradients([answer], [y], [falls])
    assert torch.equal(to_y, torch.where(kept(count, KEY, 128), 2 * falls, 0))
    if around:
        (to_x,) = gradients([dropping.add_dropped(x, y, KEY, 128)], [x], [falls])
        assert torch.equal(to_x, falls)


def test_numbers_that_lie_elsewhere() -> None:
    x, y, falls = random(37, 31), random(37, 31), random(31, 37, learns=False)
    found = dropping.add_dropped(x.T, y.T, KEY, 77)
    assert torch.equal(found, dropping.add_dropped(x.T.contiguous(), y.T.contiguous(), KEY, 77))
    (to_y,) = gradients([found], [y], [falls])
    scale = torch.tensor(LEVELS / (LEVELS - 77))
    assert torch.equal(
        to_y, torch.where(kept(31 * 37, KEY, 77).view(31, 37), falls.float() * scale, 0).to(precision()).T
    )


class TestKeys:
    @settings(max_examples=40)
    @given(key=keys, threshold=st.integers(1, 255), counts=st.tuples(st.integers(1, 300), st.integers(1, 300)))
    def test_what_becomes_of_a_place_is_a_matter_of_the_key_alone(self, key, threshold, counts) -> None:
        short, long = sorted(counts)
        assert torch.equal(kept(short, key, threshold), kept(long, key, threshold)[:short])

    @settings(max_examples=40)
    @given(key=keys, threshold=st.integers(1, 254))
    def test_a_higher_rate_drops_more_and_never_fewer(self, key, threshold) -> None:
        assert (kept(997, key, threshold) >= kept(997, key, threshold + 1)).all()

    @pytest.mark.parametrize("bit", [0, 1, 7, 31, 32, 33, 63])
    def test_another_key_drops_others(self, bit) -> None:
        one, other = kept(COUNT, KEY, 128), kept(COUNT, KEY ^ 1 << bit, 128)
        assert share(one == other) == near(0.5)

    @pytest.mark.parametrize("step", [1, 2, 3, 4, 16, 64, 1_024])
    def test_neighbours_have_nothing_to_do_with_each_other(self, step) -> None:
        stays = kept(COUNT, KEY, 128)
        assert share(stays[step:] == stays[:-step]) == near(0.5, COUNT - step)

    @pytest.mark.parametrize("key", [0, 1, 2**32, 2**63, 2**64 - 1])
    def test_any_key_will_do(self, key) -> None:
        assert share(kept(COUNT, key, 77)) == near(1 - 77 / LEVELS)


class TestNoise:
    """The dropout of a step: the same bits after a resume."""

    @staticmethod
    def drawn(seed: int = 3, step: int = 5, part: int = 0) -> tuple[Tensor, ...]:
        """What two places of a model drop, one after the other."""
        noise, x = Noise(0.5, seed, step, part=part), torch.ones(7, 11, 13).to(precision())
        return noise.drop(x), noise.add_dropped(x, x) - x

    def test_the_same_numbers_give_the_same_bits(self, monkeypatch) -> None:
        calls = watched(monkeypatch)
        assert all(map(torch.equal, self.drawn(part=2), self.drawn(part=2)))
        assert calls.names == ["mirada_drop"] * 4

    @pytest.mark.parametrize("changed", [{"seed": 4}, {"step": 6}, {"part": 1}])
    def test_others_give_others(self, changed) -> None:
        for one, other in zip(self.drawn(), self.drawn(**changed), strict=True):
            assert share(one == other) == near(0.5, one.numel())

    def test_every_place_draws_anew(self) -> None:
        first, second = self.drawn()
        assert share(first == second) == near(0.5, first.numel())

    def test_a_gradient_passes_through_the_same_holes(self) -> None:
        x = torch.ones(1_031).to(precision()).requires_grad_()
        dropped = Noise(0.25, 1, 2).drop(x)
        (to_x,) = torch.autograd.grad(dropped.sum(), x)
        assert torch.equal(to_x, dropped)
        assert share(dropped == 0) == near(0.25, 1_031)

    def test_a_smaller_shape_is_added_by_torch(self) -> None:
        x, y = torch.zeros(5, 7, 11).to(precision()), torch.ones(7, 11).to(precision())
        assert torch.equal(Noise(0.5, 1, 2).add_dropped(x, y), Noise(0.5, 1, 2).drop(y).expand(5, 7, 11))

    def test_no_noise_and_a_rate_of_0(self, monkeypatch) -> None:
        calls = watched(monkeypatch)
        x, y = random(7, 11), random(7, 11)
        assert drop(None, y) is y
        assert Noise(0.0, 1, 2).drop(y) is y
        assert torch.equal(add_dropped(None, x, y), x + y)
        assert torch.equal(add_dropped(Noise(0.0, 1, 2), x, y), x + y)
        assert not calls


class TestLeftToTorch:
    """The bits are then those of torch's generator."""

    @staticmethod
    def assert_by_torch(x: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
        calls = watched(monkeypatch)
        found, added = Noise(0.5, 1, 2).drop(x), Noise(0.5, 1, 2).add_dropped(x, x)
        assert not calls
        mask = Noise(0.5, 1, 2).mask(x)
        assert torch.equal(found, x if mask is None else x * mask)
        assert torch.equal(added, x + found)

    def test_another_precision(self, monkeypatch) -> None:
        self.assert_by_torch(random(7, 11).double(), monkeypatch)

    def test_no_numbers(self, monkeypatch) -> None:
        self.assert_by_torch(random(0, 11), monkeypatch)

    def test_no_gradient_wanted(self, monkeypatch) -> None:
        with torch.no_grad():
            self.assert_by_torch(random(7, 11), monkeypatch)

    def test_several_threads(self, monkeypatch) -> None:
        torch.set_num_threads(2)
        self.assert_by_torch(random(7, 11), monkeypatch)

    def test_asked_for(self, monkeypatch) -> None:
        with choice.by_torch():
            self.assert_by_torch(random(7, 11), monkeypatch)
