"""The folder of a captioner: as that of a translator, with the shape of its pictures and its languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError
from torch import Tensor

from mirada.corpora.pictures.picture import PictureShape
from mirada.corpora.pictures.store import Standard
from mirada.models.build import build_captioner
from mirada.models.captioner import Captioner
from mirada.models.captioner_config import CaptionerConfig
from mirada.models.config import problems
from mirada.models.folder import (
    CONFIG,
    SUBWORDS,
    WEIGHTS,
    AnyFolderConfig,
    FolderError,
    assign,
    read_json,
    read_tensors,
    save_folder,
)
from mirada.models.reading_folder import read_subwords
from mirada.models.undrawn import Undrawn
from mirada.text.subwords import Subwords
from mirada.text.tags import tag_ids


class CaptionFolderConfig(AnyFolderConfig):
    """`config.json` of a captioner."""

    task: Literal["caption"] = "caption"
    vocabulary: int = Field(ge=5, le=1_000_000)
    languages: tuple[Annotated[str, Field(max_length=100)], ...] = Field(min_length=1, max_length=200)
    longest: int = Field(ge=1, le=10_000)  # tokens of a caption
    shape: PictureShape
    standard: Standard  # of the training pictures
    values: tuple[float, float] | None = None  # the range of an npz file's numbers
    model: CaptionerConfig


@dataclass(frozen=True, eq=False)
class LoadedCaptioner:
    """A captioner that is ready to be used."""

    config: CaptionFolderConfig
    model: Captioner
    subwords: Subwords
    tags: Mapping[str, int]  # what the texts of each language begin with


def save(
    folder: Path, config: CaptionFolderConfig, tensors: Mapping[str, Tensor], subwords: Subwords, card: str
) -> None:
    """Write the folder of a captioner."""
    save_folder(folder, config, tensors, {SUBWORDS: subwords.to_bytes()}, card)


def load(folder: Path) -> LoadedCaptioner:
    """The captioner of a folder, in float32."""
    config = read_config(folder)
    subwords = read_subwords(folder, config.vocabulary)
    try:
        tags = tag_ids(subwords, config.languages)
        with Undrawn():
            model = build_captioner(config.model, config.shape, config.vocabulary)
    except ValueError as error:
        raise FolderError(f"{folder}: {error}") from None
    assign(model, read_tensors(folder / WEIGHTS), folder / WEIGHTS)
    return LoadedCaptioner(config, model.eval(), subwords, tags)


def read_config(folder: Path) -> CaptionFolderConfig:
    """The config of a folder."""
    data = read_json(folder / CONFIG, folder)
    if data.get("task") != "caption":
        raise FolderError(f"{folder} holds no captioner: its task is {data.get('task', 'translation')!r}")
    try:
        return CaptionFolderConfig.model_validate(data)
    except ValidationError as error:
        raise FolderError(problems(error, CaptionFolderConfig, str(folder / CONFIG))) from None
