"""What the folders of all readers have in common, so that one task can begin from the reader of another.

A folder whose `config.json` has a reader as its `model` names the reader's tensors `reader.…`; those of its head, which
belongs to its task, have other names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ConfigDict, Field, ValidationError
from torch import Tensor

from mirada.models.config import problems
from mirada.models.folder import (
    CONFIG,
    SUBWORDS,
    WEIGHTS,
    AnyFolderConfig,
    FolderError,
    foreign,
    open_subwords,
    read_json,
    read_tensors,
)
from mirada.models.reading_config import AnyReadingConfig, ReadingConfig
from mirada.text.subwords import Subwords

READER: Final = "reader."


class ReadingFolderConfig(AnyFolderConfig):
    """The part of `config.json` that every task with a reader has."""

    task: str = Field(max_length=100)
    vocabulary: int = Field(ge=5, le=1_000_000)
    model: ReadingConfig


class _Common(ReadingFolderConfig):
    """The same, whatever a task adds to it."""

    model_config = ConfigDict(extra="ignore")


@dataclass(frozen=True, eq=False)
class LoadedReader:
    """A reader that has learnt something, to begin from."""

    config: AnyReadingConfig
    tensors: Mapping[str, Tensor]  # by their names within the reader
    subwords: Subwords


def load_reader(folder: Path) -> LoadedReader:
    """The reader of a folder, whatever its task; its head is left behind."""
    data = read_json(folder / CONFIG, folder)
    try:
        config = _Common.model_validate(data)
    except ValidationError as error:
        raise FolderError(
            f"{folder} holds no model that reads (a masked model, a tagger, a classifier) to begin from: "
            + problems(error, _Common, str(folder / CONFIG))
        ) from None
    subwords = read_subwords(folder, config.vocabulary)
    found = read_tensors(folder / WEIGHTS)
    tensors = {name.removeprefix(READER): tensor for name, tensor in found.items() if name.startswith(READER)}
    return LoadedReader(config.model, tensors, subwords)


def read_subwords(folder: Path, vocabulary: int) -> Subwords:
    """The subwords of a folder, which must be as many as its model was trained with."""
    subwords = open_subwords(folder)
    if subwords.size != vocabulary:
        raise foreign(folder / SUBWORDS, f"{subwords.size:,} subwords", f"{vocabulary:,}")
    return subwords
