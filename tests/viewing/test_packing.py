"""Weights as bytes: nothing is dropped, and the error is what is promised."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirada.viewing.packing import error_of, pack, pack_pattern, unpack, unpack_pattern
from tests.viewing.views import synthetic

sizes = st.integers(1, 13)


def there_and_back(weights: np.ndarray, allowed: np.ndarray) -> tuple[np.ndarray, float]:
    packed = pack(weights, allowed)
    view = synthetic(["a"], ["b"], layers=1, heads=1)
    found = view.maps[0].model_copy(
        update={"heads": len(weights), "weights": packed.weights, "highs": packed.highs, "lows": packed.lows}
    )
    view = view.model_copy(update={"maps": (found,), "patterns": (pack_pattern("any", allowed),)})
    return unpack(view, 0), error_of(found)


@given(st.integers(1, 3), sizes, sizes, st.integers(0, 1_000), st.booleans())
def test_weights_come_back(heads: int, queries: int, keys: int, seed: int, signed: bool) -> None:
    chance = np.random.default_rng(seed)
    allowed = chance.random((queries, keys)) < 0.6
    weights = (chance.standard_normal if signed else chance.random)((heads, queries, keys)).astype(np.float32)
    weights = np.where(allowed, weights, 0).astype(np.float32)
    back, error = there_and_back(weights, allowed)
    assert np.abs(back - weights).max() <= error + 1e-6
    assert not back[:, ~allowed].any()


def test_small_weights_of_a_wide_row_keep_their_digits() -> None:
    row = np.linspace(0, 2 / 200, 200, dtype=np.float32)
    back, _ = there_and_back(
        np.stack([row, np.eye(200)[3]])[None].astype(np.float32), np.ones((2, 200), dtype=np.bool_)
    )
    assert np.abs(back[0, 0] - row).max() < 0.000_03
    assert back[0, 1].tolist() == np.eye(200)[3].tolist()


@given(sizes, sizes, st.integers(0, 1_000))
def test_patterns_come_back(queries: int, keys: int, seed: int) -> None:
    allowed = np.random.default_rng(seed).random((queries, keys)) < 0.5
    assert (unpack_pattern(pack_pattern("any", allowed)) == allowed).all()


@pytest.mark.parametrize("weights", ["", "AAAA", "no base64!"])
def test_a_damaged_view_is_told(weights: str) -> None:
    view = synthetic(["a", "b"], ["c"], layers=1, heads=1)
    broken = view.model_copy(update={"maps": (view.maps[0].model_copy(update={"weights": weights}),)})
    with pytest.raises(ValueError, match="this view is damaged"):
        unpack(broken, 0)
    assert base64.b64decode(view.maps[0].weights)
