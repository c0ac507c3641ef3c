"""What models learn with, compiled: products of matrices and all that is between them, as Python calls it.

Arguments are addresses of numbers that lie row by row; nothing is checked here (see `mirada.operations`). There
is a library for each kind of numbers, compiled from one source; it is opened once, and only where this processor can
run it.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_float, c_int, c_int32, c_int64, c_uint64, c_void_p
from enum import StrEnum
from functools import cache, partial
from pathlib import Path

from mirada.native.loading import FOLDER, NativeError, open_library, reason_against

VERSION = 5  # of what is called; `mirada_version` of source/learning/learning.cpp
MOST_MAPS = 4  # of the same states; source/learning/maps.hpp


class Numbers(StrEnum):
    """What a library computes with."""

    BF16 = "bf16"
    FLOAT32 = "float32"


PROCESSORS = {Numbers.BF16: "AVX-512 BF16", Numbers.FLOAT32: "AVX-512"}  # what one needs
NONE, RELU, GELU = range(3)  # activations; source/learning/maps.hpp


class Strides(ctypes.Structure):
    """Numbers from one sequence, one head, one place to the next; `Strides` of source/learning/looks.hpp."""

    _fields_ = (("row", c_int64), ("head", c_int64), ("place", c_int64))


class Look(ctypes.Structure):
    """The sizes of an attention; `Look` of source/learning/looks.hpp."""

    _fields_ = (
        ("rows", c_int32),
        ("heads", c_int32),
        ("groups", c_int32),
        ("queries", c_int32),
        ("keys", c_int32),
        ("width", c_int32),
        ("value_width", c_int32),
        ("scale", c_float),
        ("mask_row", c_int64),
        ("mask_query", c_int64),
        ("query", Strides),
        ("key", Strides),
        ("value", Strides),
        ("answer", Strides),
    )


class Turn(ctypes.Structure):
    """The sizes of what is turned; `Turn` of source/learning/turns.hpp."""

    _fields_ = (
        ("rows", c_int32),
        ("heads", c_int32),
        ("places", c_int32),
        ("width", c_int32),
        ("strides", Strides),
    )


def _at(count: int) -> tuple[type[c_void_p], ...]:
    """This many addresses."""
    return (c_void_p,) * count


_SIZE = c_int32
# What each function takes and gives.
_FUNCTIONS = {
    "mirada_reason": ((), c_char_p),
    "mirada_map": ((*_at(1), _SIZE, _SIZE, _SIZE, *_at(2), c_int32, *_at(2)), c_int),
    "mirada_maps_back": ((*_at(1), _SIZE, _SIZE, _SIZE, *_at(6)), c_int),
    "mirada_feed_forward_back": ((*_at(4), _SIZE, _SIZE, _SIZE, c_int32, *_at(7)), c_int),
    "mirada_norm": ((*_at(3), c_float, _SIZE, _SIZE, *_at(3)), c_int),
    "mirada_norm_back": ((*_at(5), _SIZE, _SIZE, *_at(3)), c_int),
    "mirada_drop": ((*_at(3), c_int64, c_uint64, c_int32), c_int),
    "mirada_turn": ((POINTER(Turn), *_at(3), c_float, *_at(1)), c_int),
    "mirada_look": ((POINTER(Look), *_at(8)), c_int),
    "mirada_look_back": ((POINTER(Look), *_at(11)), c_int),
    "mirada_loss": ((*_at(1), _SIZE, _SIZE, *_at(2), _SIZE, *_at(1), c_float, *_at(4)), c_int),
    "mirada_orthogonal": ((*_at(1), _SIZE, _SIZE, *_at(1), c_int32), c_int),
}


def library(numbers: Numbers) -> Path:
    """Where the library for these numbers is; hatch_build.py writes it."""
    return FOLDER / f"products_{numbers}.so"


@cache
def load(numbers: Numbers) -> ctypes.CDLL:
    """The library for these numbers, or `NativeError` with the reason why it cannot be used."""
    return open_library(library(numbers), VERSION, PROCESSORS[numbers], _FUNCTIONS)


@cache
def why_not(numbers: Numbers) -> str | None:
    """Why the library for these numbers cannot be used here; None where it can."""
    return reason_against(partial(load, numbers))


def call(name: str, numbers: Numbers, *arguments: object) -> None:
    """Call a function of the library for these numbers; a failure of it is raised."""
    opened = load(numbers)
    if getattr(opened, name)(*arguments) != 0:
        raise NativeError(f"{name}: {(opened.mirada_reason() or b'').decode()}")
