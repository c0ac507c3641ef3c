"""Which engine serves a job: the one that is fastest, unless one is asked for.

An export is translated faster than a model by torch, one sentence as well as many (docs/experiments.md), so it serves
wherever a folder is one, or holds one of its present weights under `export/`, and the job is one that exports can do:
by the engine of our own where its numbers are int8 and the processor multiplies bytes, else by CTranslate2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mirada.decoding.engine import Engine
from mirada.decoding.options import Search
from mirada.export.engine import ExportedEngine
from mirada.export.folder import INSIDE, ExportError, fingerprint, is_exported, read_about
from mirada.export.native import NativeEngine
from mirada.native.loading import NativeError

if TYPE_CHECKING:
    from mirada.decoding.ensemble import Mean
    from mirada.models.engine import TorchEngine
    from mirada.models.folder import Loaded

WEIGHTS = "model.safetensors"  # of a model's own folder
CALLS = 2  # of CTranslate2 at once


class EngineName(StrEnum):
    """What may be asked for."""

    AUTO = "auto"
    NATIVE = "native"
    TORCH = "torch"
    CTRANSLATE2 = "ctranslate2"


@dataclass(frozen=True, eq=False)
class Choice:
    """An engine, why it was chosen, and how many calls at once keep it busy.

    CTranslate2 computes in threads of its own: while one call turns its results into texts, they work for the other.
    The engine of our own is best with all sentences of one call.
    """

    engine: Engine
    why: str
    calls: int = 1


class Engines:
    """The engines that can compute a model. Torch takes a second to import, so it is loaded when a job needs it."""

    def __init__(
        self, exported: Choice | None, load_torch: Callable[[], TorchEngine] | None = None, why: str = ""
    ) -> None:
        self._exported = exported
        self._load_torch = load_torch
        self._why = why  # torch, where there is no export

    @cached_property
    def first(self) -> Engine:
        """The engine that is at hand."""
        return self._torch if self._exported is None else self._exported.engine

    def choose(self, search: Search, phrased: bool = False) -> Choice:
        """The engine for a job; `phrased` where translations must contain phrases."""
        if self._exported is None:
            return Choice(self._torch, self._why)
        if search.sampling and self._load_torch is not None:
            return Choice(self._torch, "exports draw no samples")
        if phrased and self._load_torch is not None:
            return Choice(self._torch, "exports cannot be searched for phrases")
        return self._exported

    @property
    def loaded(self) -> Loaded:
        """The model itself."""
        return self._torch.loaded

    @cached_property
    def _torch(self) -> TorchEngine:
        if self._load_torch is None:
            raise ExportError("an exported model has nothing for torch; give the model's own folder")
        return self._load_torch()


def open_engines(folder: Path, wanted: EngineName = EngineName.AUTO) -> Engines:
    """The engines of a model's folder, or of an exported one."""
    if wanted is EngineName.TORCH:
        return _only_torch(folder, "as asked")
    if is_exported(folder):
        return Engines(open_export(folder, wanted))
    inside = folder / INSIDE
    if wanted is not EngineName.AUTO:
        _require_current(folder, inside)
        return Engines(open_export(inside, wanted))
    if not is_exported(inside):
        return _only_torch(folder, "the model is not exported")
    try:
        _require_current(folder, inside)
        exported = open_export(inside)
    except ExportError as error:
        return _only_torch(folder, f"the export cannot be used: {error}")
    return Engines(exported, lambda: _load_torch(folder))


def open_export(folder: Path, wanted: EngineName = EngineName.AUTO) -> Choice:
    """The engine of an exported folder, and why it is this one."""
    if wanted is EngineName.CTRANSLATE2:
        return Choice(ExportedEngine.load(folder), "as asked", CALLS)
    try:
        why = "as asked" if wanted is EngineName.NATIVE else "the fastest for an export in int8"
        return Choice(NativeEngine.load(folder), why)
    except NativeError as error:
        if wanted is EngineName.NATIVE:
            raise ExportError(f"the native engine cannot compute {folder}: {error}; use ctranslate2") from None
        return Choice(ExportedEngine.load(folder), f"the fastest for this export; not native: {error}", CALLS)


def open_together(folders: Sequence[Path], wanted: EngineName, mean: Mean) -> Engines:
    """The engine of several models that translate together."""
    if wanted in (EngineName.CTRANSLATE2, EngineName.NATIVE):
        raise ExportError(f"{wanted} computes one model, and several are to translate together; use torch")
    for folder in folders:
        _require_own(folder)
    from mirada.models.engine import TorchEngine
    from mirada.models.ensemble import load_together

    first, *others = load_together(folders)
    engine = TorchEngine(first, others=tuple(others), mean=mean)
    return Engines(None, lambda: engine, f"{len(folders)} models translate together")


def _require_own(folder: Path) -> None:
    if is_exported(folder):
        raise ExportError(f"{folder} is an exported model, and torch cannot compute it; give the model's own folder")


def _only_torch(folder: Path, why: str) -> Engines:
    _require_own(folder)
    engine = _load_torch(folder)
    return Engines(None, lambda: engine, why)


def _load_torch(folder: Path) -> TorchEngine:
    from mirada.models.engine import TorchEngine
    from mirada.models.folder import load

    return TorchEngine(load(folder))


def is_stale(folder: Path) -> bool:
    """Whether the export that a model's folder keeps was made from other weights than it has now."""
    weights = folder / WEIGHTS
    return weights.is_file() and read_about(folder / INSIDE).weights != fingerprint(weights)


def is_current(folder: Path) -> bool:
    """Whether a model's folder keeps an export of the weights that it has now, and it can be used."""
    try:
        _require_current(folder, folder / INSIDE)
    except ExportError:
        return False
    return True


def _require_current(folder: Path, inside: Path) -> None:
    """An export that was made from the weights that the model has now."""
    command = f"mirada export {folder} --format ctranslate2 --output {inside}"
    if not is_exported(inside):
        raise ExportError(f"{folder} holds no exported model; make one with `{command}`")
    if is_stale(folder):
        raise ExportError(f"{inside} was exported from other weights; make it again with `{command}`")
