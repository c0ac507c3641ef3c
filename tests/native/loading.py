"""What is asked of every compiled library before it is called."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from mirada.native.loading import NativeError


class Loading:
    """A library that is missing, damaged, of other sources, or for another processor is not called; it is told why."""

    module: ModuleType
    processor: str  # what one needs to run it
    asked: tuple[object, ...] = ()  # which library, where a module has several

    @pytest.fixture
    def path(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
        """Where the library is looked for; nothing is remembered of another one, before and after."""
        path = tmp_path / "library.so"
        self.forget()
        self.put(path, monkeypatch)
        yield path
        self.forget()

    def put(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """From now on the library is looked for there."""
        monkeypatch.setattr(self.module, "LIBRARY", path)

    def why_not(self) -> str | None:
        return self.module.why_not(*self.asked)

    def forget(self) -> None:
        for function in (self.module.load, self.module.why_not):
            getattr(function, "cache_clear", lambda: None)()

    def pretended(self, version: int | None, supported: bool) -> SimpleNamespace:
        """A library that is there, of some version, for some processor."""
        functions = {name: lambda: None for name in self.module._FUNCTIONS}
        functions["mirada_supported"] = lambda: int(supported)
        return SimpleNamespace(**functions, **({} if version is None else {"mirada_version": lambda: version}))

    def test_no_library(self, path) -> None:
        assert self.why_not() == "it was not compiled when mirada was installed: that needs a C++ compiler"
        with pytest.raises(NativeError, match="it was not compiled"):
            self.module.load(*self.asked)

    def test_a_damaged_library(self, path) -> None:
        path.write_bytes(b"nothing of the kind")
        assert "it cannot be loaded" in self.why_not()

    @pytest.mark.parametrize("newer", [None, 1, -1])
    def test_other_sources(self, newer, path, monkeypatch) -> None:
        path.touch()
        version = None if newer is None else self.module.VERSION + newer
        monkeypatch.setattr(ctypes, "CDLL", lambda _: self.pretended(version, True))
        assert self.why_not() == "it was compiled from other sources: install mirada again"

    def test_another_processor(self, path, monkeypatch) -> None:
        path.touch()
        monkeypatch.setattr(ctypes, "CDLL", lambda _: self.pretended(self.module.VERSION, False))
        assert self.why_not() == f"this processor has no {self.processor}"

    def test_it_is_opened_once_and_told_what_its_functions_take(self) -> None:
        if self.why_not() is not None:
            pytest.skip(f"no compiled library: {self.why_not()}")
        library = self.module.load(*self.asked)
        assert self.module.load(*self.asked) is library
        for name, (takes, gives) in self.module._FUNCTIONS.items():
            function = getattr(library, name)
            assert (tuple(function.argtypes), function.restype) == (takes, gives)
