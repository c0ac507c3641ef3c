"""A compiled library as Python calls it: opened only where it was compiled from these sources for this processor."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent  # hatch_build.py writes the libraries here

Signature = tuple[tuple[Any, ...], Any]  # what a function takes, and what it gives


class NativeError(ValueError):
    """Why a compiled library cannot do something."""


def open_library(path: Path, version: int, processor: str, functions: Mapping[str, Signature]) -> ctypes.CDLL:
    """The library, or `NativeError` with the reason why it cannot be used.

    `version` is that of what is called (`mirada_version` of its source), `processor` what one needs to run it.
    """
    if not path.is_file():
        raise NativeError("it was not compiled when mirada was installed: that needs a C++ compiler")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise NativeError(f"it cannot be loaded: {error}") from None
    if getattr(library, "mirada_version", lambda: None)() != version:
        raise NativeError("it was compiled from other sources: install mirada again")
    if not library.mirada_supported():
        raise NativeError(f"this processor has no {processor}")
    for name, (takes, gives) in functions.items():
        function = getattr(library, name)
        function.argtypes, function.restype = takes, gives
    return library


def reason_against(load: Callable[[], ctypes.CDLL]) -> str | None:
    """Why a library cannot be used here; None where it can."""
    try:
        load()
    except NativeError as error:
        return str(error)
    return None
