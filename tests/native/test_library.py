"""A library that is missing, damaged, of other sources, or for another processor is not called, and it is told why."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from mirada.native import library
from mirada.native.library import Shape, load, why_not
from mirada.native.model import NativeModel, _plain


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nothing is remembered of the library, before and after."""
    load.cache_clear()
    yield monkeypatch
    load.cache_clear()


def test_no_library(unloaded, tmp_path) -> None:
    unloaded.setattr(library, "LIBRARY", tmp_path / "engine.so")
    assert why_not() == "it was not compiled when mirada was installed: that needs a C++ compiler"


def test_a_damaged_library(unloaded, tmp_path) -> None:
    path = tmp_path / "engine.so"
    path.write_bytes(b"nothing of the kind")
    unloaded.setattr(library, "LIBRARY", path)
    assert "it cannot be loaded" in why_not()


def pretended(version: int | None, supported: bool) -> SimpleNamespace:
    """A library that is there, of some version, for some processor."""
    functions = {name: lambda: None for name in library._FUNCTIONS} | {"mirada_supported": lambda: int(supported)}
    return SimpleNamespace(**functions, **({} if version is None else {"mirada_version": lambda: version}))


@pytest.mark.parametrize(
    ("version", "supported", "why"),
    [
        (None, True, "it was compiled from other sources: install mirada again"),
        (library.VERSION + 1, True, "it was compiled from other sources: install mirada again"),
        (library.VERSION, False, "this processor has no AVX-512 VNNI"),
    ],
)
def test_what_is_asked_before_it_is_called(version, supported, why, unloaded, tmp_path) -> None:
    path = tmp_path / "engine.so"
    path.touch()
    unloaded.setattr(library, "LIBRARY", path)
    unloaded.setattr(ctypes, "CDLL", lambda _: pretended(version, supported))
    assert why_not() == why


def shape(**changes: float) -> Shape:
    usual = {
        "width": 8, "feed_forward": 12, "vocabulary": 20, "encoder_layers": 1, "encoder_heads": 2,
        "decoder_layers": 1, "decoder_heads": 2, "pre_norm": 1, "begin": 2, "end": 3,
    }  # fmt: skip
    return Shape(**(usual | changes))


def test_numbers_are_given_where_c_may_read_them() -> None:
    mapped = np.frombuffer(bytes(range(33)), np.float32, 8, 1)
    given = _plain(mapped, np.float32)
    assert (mapped.flags.aligned, given.flags.aligned) == (False, True)
    assert given.tobytes() == mapped.tobytes()
    turned = np.arange(6, dtype=np.int8).reshape(2, 3).T
    assert _plain(turned, np.int8).tobytes() == bytes([0, 3, 1, 4, 2, 5])


@pytest.mark.skipif(why_not() is not None, reason=f"no compiled engine: {why_not()}")
class TestBadModels:
    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"encoder_heads": 3}, "heads do not divide the width"),
            ({"decoder_heads": 0}, "heads do not divide the width"),
            ({"vocabulary": 0}, "a size below 1"),
            ({"decoder_layers": 0}, "no layers"),
            ({"activation": 3}, "an unknown activation"),
            ({"end": 20}, "a mark that is no token"),
        ],
    )
    def test_a_shape_that_cannot_be(self, changes, why) -> None:
        with pytest.raises(library.NativeError, match=why):
            NativeModel(shape(**changes))

    def test_numbers_that_are_missing(self) -> None:
        model = NativeModel(shape())
        with pytest.raises(library.NativeError, match="is missing"):
            model.require_whole()
        with pytest.raises(library.NativeError, match="not whole"):
            model.search([[4, 3]], [5], 1, 0, 1)
