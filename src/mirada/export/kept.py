"""The export that a model's own folder keeps: made when a training ends, so that translating is fast unasked.

Rounded numbers are the fastest and are tried first; where they change too much, the numbers stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mirada.export.capability import reasons_against
from mirada.export.choice import is_current
from mirada.export.engine import INSTALL, is_installed
from mirada.export.folder import INSIDE, ExportError, Quantization, form_of, read_about
from mirada.export.run import Format, Progress, Request, export
from mirada.models.folder import read_config

TRIED: Final[tuple[Quantization, ...]] = ("int8", "none")


@dataclass(frozen=True)
class Kept:
    """The form of the export in a model's folder, None where there is none, and what is known of it."""

    quantization: Quantization | None
    known: str

    def __str__(self) -> str:
        if self.quantization is None:
            return f"Not exported: {self.known}."
        return f"Exported for CTranslate2 in {form_of(self.quantization)}, which translates faster: {self.known}."


def keep(model: Path, listening: Progress) -> Kept:
    """Export a model into its own folder in the fastest form that says the same; `listening` as in `export`."""
    against = reasons_against(read_config(model).model)
    if against:
        return Kept(None, f"it has no CTranslate2 form: {'; '.join(against)}")
    if not is_installed():
        return Kept(None, f"translating could be several times as fast, but {INSTALL}")
    if is_current(model):
        return Kept(read_about(model / INSIDE).quantization, "it is there already, from these weights")
    return _first_that_agrees(model, listening)


def _first_that_agrees(model: Path, listening: Progress) -> Kept:
    why = ""
    for quantization in TRIED:
        request = Request(model, Format.CTRANSLATE2, quantization=quantization, shortlist=False)
        try:
            return Kept(quantization, str(export(request, listening).agreement))
        except (ExportError, OSError) as error:
            why = str(error)
    return Kept(None, why)
