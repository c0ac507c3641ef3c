"""The folder of a language model: as that of a translator, with the units of its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field
from torch import Tensor

from mirada.models.build import build
from mirada.models.config import LanguageConfig, NgramConfig
from mirada.models.folder import (
    CONFIG,
    SUBWORDS,
    WEIGHTS,
    AnyFolderConfig,
    FolderError,
    foreign,
    load_model,
    read_file,
    read_json,
    read_tensors,
    save_folder,
    validate_config,
)
from mirada.models.language import AnyLanguageModel
from mirada.models.ngram import Ngram
from mirada.text.characters import Characters
from mirada.text.events import Events
from mirada.text.subwords import Subwords
from mirada.text.units import SubwordLines, UnitKind, Units

CHARACTERS, EVENTS = "characters.json", "events.json"
LARGEST_CHARACTERS = 4_000_000  # bytes


class LanguageFolderConfig(AnyFolderConfig):
    """`config.json` of a language model."""

    task: Literal["lm"] = "lm"
    units: UnitKind
    vocabulary: int = Field(ge=5, le=1_000_000)
    model: LanguageConfig


@dataclass(frozen=True, eq=False)
class LoadedLanguage:
    """A language model that is ready to be used."""

    config: LanguageFolderConfig
    model: AnyLanguageModel | Ngram
    units: Units


def units_file(kind: UnitKind) -> str:
    """The name of the file that holds the units."""
    return {"characters": CHARACTERS, "events": EVENTS}.get(kind, SUBWORDS)


def save(folder: Path, config: LanguageFolderConfig, tensors: Mapping[str, Tensor], units: Units, card: str) -> None:
    """Write the folder of a language model."""
    save_folder(folder, config, tensors, {units_file(config.units): units.to_bytes()}, card)


def load(folder: Path) -> LoadedLanguage:
    """The language model of a folder, in float32."""
    config = read_config(folder)
    units = read_units(folder, config.units)
    if units.size != config.vocabulary:
        raise foreign(folder / units_file(config.units), f"{units.size:,} units", f"{config.vocabulary:,}")
    shape = config.model
    if not isinstance(shape, NgramConfig):
        return LoadedLanguage(config, load_model(folder, lambda: build(shape, config.vocabulary)), units)
    tensors = read_tensors(folder / WEIGHTS)
    try:
        counted = Ngram.of_tensors(tensors, shape.order, config.vocabulary, units.line_end)
    except ValueError as error:
        raise FolderError(f"{folder / WEIGHTS}: {error}") from None
    return LoadedLanguage(config, counted, units)


def read_config(folder: Path) -> LanguageFolderConfig:
    """The config of a folder."""
    data = read_json(folder / CONFIG, folder)
    if data.get("task") == "translation":
        raise FolderError(f"{folder} holds a translator, not a language model; use `mirada translate {folder}`")
    if data.get("task") == "vectors":
        raise FolderError(f"{folder} holds word vectors, not a language model; use `mirada nearest {folder} WORD`")
    return validate_config(folder, data, LanguageFolderConfig)


def read_units(folder: Path, kind: UnitKind) -> Units:
    """The units in a folder."""
    path = folder / units_file(kind)
    try:
        if kind == "subwords":
            return SubwordLines(Subwords.load(path))
        return (Events if kind == "events" else Characters).of_bytes(read_file(path, LARGEST_CHARACTERS))
    except FolderError:
        raise
    except ValueError as error:
        raise FolderError(f"{path}: {error}") from None
