"""An export, from a model's folder to one for another engine: checked before, compared after, whole or not there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mirada.export.agreement import Agreement, Sentences, choose_sentences, compare, enough, require_enough
from mirada.export.argos import SUFFIX, lost, pack, package_name
from mirada.export.capability import require_form
from mirada.export.choice import EngineName, open_export
from mirada.export.engine import INSTALL, is_installed
from mirada.export.folder import INSIDE, Exported, ExportError, Quantization, is_exported
from mirada.export.trial import SENTENCES, Trial, Tried, try_shortlist
from mirada.models.engine import TorchEngine
from mirada.models.folder import WEIGHTS, load, read_config


class Format(StrEnum):
    """What an export is for."""

    CTRANSLATE2 = "ctranslate2"
    ARGOS = "argos"


@dataclass(frozen=True)
class Request:
    """Which model, in which form, and where it goes."""

    model: Path
    form: Format
    output: Path | None = None  # None: `export/` in the model's own folder
    quantization: Quantization = "none"
    check: Path | None = None  # sentences to compare with
    shortlist: bool = True  # to be tried where numbers are rounded; Argos Translate would not use it


@dataclass(frozen=True)
class Result:
    """What was written, and how well it does."""

    output: Path
    exported: Exported
    agreement: Agreement
    trial: Trial | None  # of a shortlist
    size: int  # bytes
    lost: str | None = None  # what of the model the other engine never asks for

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "output": str(self.output),
            "bytes": self.size,
            "quantization": self.exported.quantization,
            "from": self.exported.source,
            "to": self.exported.target,
            "check": {
                "sentences": self.agreement.sentences,
                "same": self.agreement.same,
                "origin": self.agreement.origin,
            },
            "shortlist": None if self.trial is None else self.trial.as_json(),
            "lost": self.lost,
        }


Progress = Callable[[Sentences], Callable[[int], None]]


def export(request: Request, listening: Progress) -> Result:
    """Export a model. `listening` is told what is compared, and gives what is told how much is done."""
    require_form(read_config(request.model).model)
    if not is_installed():
        raise ExportError(f"{request.model} cannot be exported; {INSTALL}")
    place = _place(request)
    loaded = load(request.model)
    from mirada.export.ctranslate2 import write

    with _beside(place) as folder:
        exported = write(loaded, folder, request.quantization, request.model / WEIGHTS)
        model = TorchEngine(loaded)
        packed = request.form is Format.ARGOS
        sentences = choose_sentences(request.model, request.check, model, enough(request.quantization))
        sentences = sentences.alone() if packed else sentences  # as it will be given them
        computing = open_export(folder, EngineName.CTRANSLATE2 if packed else EngineName.AUTO).engine
        agreement = compare(model, computing, sentences, listening(sentences))
        require_enough(agreement, request.quantization)
        trial = None
        if packed:
            place = _packed(folder, exported, place)
        else:
            tried = Tried(request.model, folder, folder.with_name("short"), request.quantization)
            if request.shortlist and request.quantization != "none":
                many = choose_sentences(request.model, request.check, model, SENTENCES)
                trial = try_shortlist(tried, loaded, many, listening(many))
            _move(tried.place if trial is not None and trial.kept else folder, place)
    size = sum(file.stat().st_size for file in (place.iterdir() if place.is_dir() else [place]))
    return Result(place, exported, agreement, trial, size, lost(exported) if packed else None)


def _place(request: Request) -> Path:
    """Where the export goes, if it may."""
    if request.form is Format.ARGOS:
        if request.output is None:
            raise ExportError(f"a package has no usual place; name a file that ends with {SUFFIX}, or a folder")
        return request.output
    place = request.model / INSIDE if request.output is None else request.output
    if place.exists() and not (is_exported(place) or (place.is_dir() and not any(place.iterdir()))):
        raise ExportError(f"{place} holds other files; name a new folder, or that of an earlier export")
    return place


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A folder beside a place, that is gone afterwards."""
    place.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        folder = made / "new"
        folder.mkdir()  # with the rights of any new folder; mkdtemp's are for its owner alone
        yield folder
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _move(folder: Path, place: Path) -> None:
    """Put a folder in its place; an earlier export is replaced."""
    old = folder.with_name("old")
    if place.exists():
        place.replace(old)
    try:
        folder.replace(place)
    except OSError:
        if old.exists():
            old.replace(place)
        raise


def _packed(folder: Path, exported: Exported, place: Path) -> Path:
    """The package, at the place if that is a file's name, else in that folder."""
    package = folder.with_name("package")
    pack(folder, exported, package)
    if place.suffix != SUFFIX:
        place.mkdir(parents=True, exist_ok=True)
        place = place / f"{package_name(exported)}{SUFFIX}"
    package.replace(place)
    return place
