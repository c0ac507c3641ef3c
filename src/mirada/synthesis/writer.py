"""The model that writes: its languages, and what tells it from another, known without loading it."""

from __future__ import annotations

from pathlib import Path

from mirada.corpora.store import file_identity
from mirada.export.folder import MODEL, SUBWORDS, is_exported, read_about
from mirada.models.folder import WEIGHTS, read_config


def languages_of(folder: Path) -> tuple[str, str]:
    """The languages that a model reads and writes, of its own folder or of an exported one."""
    if is_exported(folder):
        exported = read_about(folder)
        return exported.source, exported.target
    config = read_config(folder)
    return config.source, config.target


def identity_of(folder: Path) -> dict[str, object]:
    """What a model is, whatever its folder is called and whichever engine computes it: its weights and subwords."""
    weights = MODEL if is_exported(folder) else WEIGHTS
    return {"weights": file_identity(folder / weights), "subwords": file_identity(folder / SUBWORDS)}
