"""The iteration of Newton and Schulz, compiled: what its formula gives in float64, for matrices of any even size."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mirada.operations import choice
from mirada.operations.orthogonal import Polynomial, iterated
from tests.operations.compiled import MARKS, assert_near, precision, watched

pytestmark = MARKS

BY = ((3.4445, -4.775, 2.0315), (1.5, -0.5, 0.0), (1.9, -1.3, 0.4))
# A tile has 8 rows and 32 columns; of rows of 8,194 numbers some tens stay in the cache.
SIZES = [(2, 2), (2, 34), (6, 10), (22, 46), (34, 34), (58, 262), (62, 8_194), (130, 130)]


def formula(y: Tensor, by: tuple[Polynomial, ...]) -> Tensor:
    if by:
        y = y / (y @ y.T).norm().sqrt()
    for first, third, fifth in by:
        squared = y @ y.T
        y = first * y + (third * squared + fifth * squared @ squared) @ y
    return y


def normal(rows: int, columns: int, length: float = 1.0) -> Tensor:
    """A matrix by chance, of this norm."""
    y = torch.randn(rows, columns)
    return (length * y / y.norm()).to(precision())


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_a_matrix(rows, columns, steps) -> None:
    y = normal(rows, columns)
    assert_near(iterated(y, BY[:steps]), formula(y.double(), BY[:steps]), times=3)


@settings(max_examples=60)
@given(
    rows=st.integers(1, 41),
    columns=st.integers(1, 53),
    by=st.tuples(*[st.floats(-4, 4)] * 3),
    length=st.sampled_from([0.125, 1.0, 16.0]),
    seed=st.integers(0, 1_000),
)
def test_any_size_and_any_coefficients(rows, columns, by, length, seed) -> None:
    """One step; what of it is lost by taking one part from another is no error of the sum."""
    torch.manual_seed(seed)
    y = normal(2 * rows, 2 * columns, length)
    parts = 0.001 + sum(abs(one) for one in by)
    assert_near(iterated(y, [by]), formula(y.double(), (by,)), times=2, least=parts)


def test_nothing_stays_nothing() -> None:
    assert torch.equal(iterated(torch.zeros(6, 10, dtype=precision()), BY), torch.zeros(6, 10, dtype=precision()))


def test_what_was_given_stays() -> None:
    y = normal(22, 46)
    before = y.clone()
    iterated(y, BY)
    assert torch.equal(y, before)


def test_a_matrix_that_lies_elsewhere(monkeypatch) -> None:
    y, calls = normal(46, 22).T, watched(monkeypatch)
    found = iterated(y, BY)
    assert calls.names == ["mirada_orthogonal"]
    assert torch.equal(found, iterated(y.contiguous(), BY))


def test_the_same_call_gives_the_same_bits() -> None:
    y = normal(62, 262)
    assert torch.equal(iterated(y, BY), iterated(y, BY))


def test_without_gradients_too(monkeypatch) -> None:
    """An optimizer asks where nothing is to learn from what it does."""
    calls = watched(monkeypatch)
    with torch.no_grad():
        iterated(normal(22, 46), BY)
    assert calls.names == ["mirada_orthogonal"]


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("shape", [(22, 45), (21, 46), (22, 46)], ids=str)
def test_left_to_torch(shape, double, monkeypatch) -> None:
    """Odd sizes, other precisions, and where it is asked for."""
    calls, y = watched(monkeypatch), normal(*shape)
    y = y.double() if double else y
    with choice.by_torch():
        wanted = iterated(y, BY[:2])
    if shape != (22, 46) or double:
        assert torch.equal(iterated(y, BY[:2]), wanted)
    assert not calls
    assert_near(wanted, formula(y.double(), BY[:2]), times=2)
