"""A model that the compiled engine holds: made from named numbers, and searched with."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mirada.native.library import Shape, Wanted, load
from mirada.native.loading import NativeError

Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rounded:
    """A matrix in int8: its bytes, and for each row how many of them make 1."""

    weights: NDArray[np.int8]
    scales: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Found:
    """A hypothesis: tokens without the end mark, their log-probability, and whether the end was reached."""

    tokens: list[int]
    log_probability: float
    finished: bool


class NativeModel:
    """A model in the engine's own form; it is given back with this object."""

    def __init__(self, shape: Shape) -> None:
        self._library = load()
        self._model = self._library.mirada_model_new(ctypes.byref(shape))
        if not self._model:
            raise NativeError(self._reason())
        self._shape = shape
        weakref.finalize(self, self._library.mirada_model_free, self._model)

    def set_linear(self, name: str, matrix: Rounded, bias: Numbers | None) -> None:
        """The numbers of a map, by its name."""
        weights, scales = _plain(matrix.weights, np.int8), _plain(matrix.scales, np.float32)
        outputs, inputs = weights.shape
        if scales.shape != (outputs,) or (bias is not None and bias.shape != (outputs,)):
            raise NativeError(f"{name} has {outputs:,} rows, and its scales or its bias another number")
        shift = None if bias is None else _plain(bias, np.float32)
        self._require(
            self._library.mirada_set_linear(
                self._model, name.encode(), _at(weights), _at(scales), _at(shift), outputs, inputs
            )
        )

    def set_norm(self, name: str, gain: Numbers, shift: Numbers | None) -> None:
        """The numbers of a norm, by its name."""
        gains, shifts = _plain(gain, np.float32), None if shift is None else _plain(shift, np.float32)
        if gains.ndim != 1 or (shifts is not None and shifts.shape != gains.shape):
            raise NativeError(f"{name} is no norm: its gain and its shift have different sizes")
        self._require(self._library.mirada_set_norm(self._model, name.encode(), _at(gains), _at(shifts), len(gains)))

    def set_tokens(self, of_encoder: bool, matrix: Rounded, places: Numbers | None) -> None:
        """The vectors of the tokens of a side, and those of their places."""
        weights, scales = _plain(matrix.weights, np.int8), _plain(matrix.scales, np.float32)
        rows = (self._shape.vocabulary, self._shape.width)
        if weights.shape != rows or scales.shape != rows[:1]:
            raise NativeError("the vectors of the tokens have another size than the model")
        table = None if places is None else _plain(places, np.float32)
        if table is not None and table.shape != (self._shape.places, self._shape.width):
            raise NativeError("the vectors of the places have another size than the model")
        self._require(
            self._library.mirada_set_tokens(self._model, int(of_encoder), _at(weights), _at(scales), _at(table))
        )

    def set_said(self, tokens: NDArray[np.int32]) -> None:
        """The tokens, rising, that alone can be said: those of the projection's rows."""
        said = _plain(tokens, np.int32)
        self._require(self._library.mirada_set_said(self._model, _at(said), len(said)))

    def require_whole(self) -> None:
        """Raise where numbers are missing."""
        self._require(self._library.mirada_model_whole(self._model))

    def search(
        self, sources: Sequence[Sequence[int]], limits: Sequence[int], width: int, gram: int, threads: int
    ) -> list[list[Found]]:
        """What a beam search finds for each source, in no order; `gram` as in `Wanted`."""
        offsets = np.zeros(len(sources) + 1, np.int64)
        lengths = np.fromiter(map(len, sources), np.int64, len(sources))
        np.cumsum(lengths, out=offsets[1:])
        tokens = np.fromiter((token for source in sources for token in source), np.int32, int(offsets[-1]))
        bounds = np.array(limits, np.int32)
        order = np.argsort(-lengths, kind="stable").astype(np.int32)  # the longest first, so that all end together
        results = self._library.mirada_search(
            self._model,
            ctypes.byref(Wanted(width, gram)),
            _at(tokens),
            _at(offsets),
            _at(bounds),
            _at(order),
            len(sources),
            threads,
        )
        if not results:
            raise NativeError(self._reason())
        try:
            return self._read(results, len(sources))
        finally:
            self._library.mirada_results_free(results)

    def _read(self, results: int, count: int) -> list[list[Found]]:
        hypotheses, spoken = ctypes.c_int64(), ctypes.c_int64()
        self._library.mirada_results_size(results, ctypes.byref(hypotheses), ctypes.byref(spoken))
        counts = np.empty(count, np.int32)
        lengths = np.empty(hypotheses.value, np.int32)
        logs = np.empty(hypotheses.value, np.float64)
        finished = np.empty(hypotheses.value, np.bool_)
        tokens = np.empty(spoken.value, np.int32)
        places = [_at(one) for one in (counts, lengths, logs, finished, tokens)]
        self._library.mirada_results_read(results, *places)
        said, first = tokens.tolist(), 0
        found = []
        for length, log, ended in zip(lengths.tolist(), logs.tolist(), finished.tolist(), strict=True):
            found.append(Found(said[first : first + length], log, ended))
            first += length
        own = iter(found)
        return [[next(own) for _ in range(number)] for number in counts.tolist()]

    def _require(self, answer: int) -> None:
        if answer != 0:
            raise NativeError(self._reason())

    def _reason(self) -> str:
        return str(self._library.mirada_reason().decode(errors="replace"))


def _plain(numbers: Numbers, kind: type[np.generic]) -> Numbers:
    """Numbers of a kind, one after another in memory, where numbers of the kind may stand: in a file they may not."""
    return np.require(numbers, kind, ("C_CONTIGUOUS", "ALIGNED"))


def _at(numbers: Numbers | None) -> int | None:
    """Where numbers stand in memory."""
    return None if numbers is None else numbers.ctypes.data
