"""The compiled engine, as Python calls it: loaded once, and only where this processor can run it."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_float, c_int, c_int32, c_int64, c_void_p
from functools import cache

from mirada.native.loading import FOLDER, open_library, reason_against

LIBRARY = FOLDER / "engine.so"
VERSION = 1  # of what is called; `mirada_version` of source/engine.cpp


class Shape(ctypes.Structure):
    """What the engine must know of a model before its weights; `Shape` of source/model.hpp."""

    _fields_ = (
        ("width", c_int32),
        ("feed_forward", c_int32),
        ("vocabulary", c_int32),
        ("encoder_layers", c_int32),
        ("encoder_heads", c_int32),
        ("decoder_layers", c_int32),
        ("decoder_heads", c_int32),
        ("pre_norm", c_int32),
        ("root_mean_square", c_int32),
        ("activation", c_int32),
        ("encoder_rotary", c_float),
        ("decoder_rotary", c_float),
        ("begin", c_int32),
        ("end", c_int32),
        ("places", c_int32),
    )


class Wanted(ctypes.Structure):
    """What is asked of a search; `Wanted` of source/search.hpp."""

    _fields_ = (("width", c_int32), ("gram", c_int32))


# What each function takes and gives.
_FUNCTIONS = {
    "mirada_reason": ((), c_char_p),
    "mirada_model_new": ((POINTER(Shape),), c_void_p),
    "mirada_model_free": ((c_void_p,), None),
    "mirada_set_linear": ((c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_int32, c_int32), c_int),
    "mirada_set_norm": ((c_void_p, c_char_p, c_void_p, c_void_p, c_int32), c_int),
    "mirada_set_tokens": ((c_void_p, c_int32, c_void_p, c_void_p, c_void_p), c_int),
    "mirada_set_said": ((c_void_p, c_void_p, c_int32), c_int),
    "mirada_model_whole": ((c_void_p,), c_int),
    "mirada_search": (
        (c_void_p, POINTER(Wanted), c_void_p, c_void_p, c_void_p, c_void_p, c_int32, c_int32),
        c_void_p,
    ),
    "mirada_results_free": ((c_void_p,), None),
    "mirada_results_size": ((c_void_p, POINTER(c_int64), POINTER(c_int64)), None),
    "mirada_results_read": ((c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p), None),
}


@cache
def load() -> ctypes.CDLL:
    """The library, or `NativeError` with the reason why it cannot be used."""
    return open_library(LIBRARY, VERSION, "AVX-512 VNNI", _FUNCTIONS)


def why_not() -> str | None:
    """Why the compiled engine cannot be used here; None where it can."""
    return reason_against(load)
