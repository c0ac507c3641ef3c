"""The learning rate: hand-computed points, and where it ends."""

import pytest

from mirada.training.schedule import rate_at

SHAPE = {"peak": 2.0, "warmup": 10, "total": 100, "width": 64}


@pytest.mark.parametrize("kind", ["linear", "cosine", "inverse_sqrt"])
def test_the_rate_rises_to_its_peak(kind) -> None:
    assert rate_at(kind, 5, **SHAPE) == pytest.approx(1.0)
    assert rate_at(kind, 10, **SHAPE) == pytest.approx(2.0)
    assert rate_at(kind, 11, **SHAPE) < 2.0


def test_linear_and_cosine_end_at_nearly_nothing() -> None:
    assert rate_at("linear", 100, **SHAPE) == pytest.approx(2 / 91)
    assert 0 < rate_at("cosine", 100, **SHAPE) < 0.01
    assert rate_at("linear", 55, **SHAPE) == pytest.approx(2 * (1 - 45 / 91))


def test_noam_is_the_formula_of_the_paper() -> None:
    assert rate_at("noam", 10, **SHAPE) == pytest.approx(64**-0.5 * 10**-0.5)
    assert rate_at("noam", 5, **SHAPE) == pytest.approx(64**-0.5 * 5 * 10**-1.5)
    assert rate_at("noam", 90, **SHAPE) == pytest.approx(64**-0.5 * 90**-0.5)


def test_inverse_sqrt_falls_with_the_root() -> None:
    assert rate_at("inverse_sqrt", 40, **SHAPE) == pytest.approx(1.0)
