"""The folder of a captioner: as that of a translator, with the shape of its pictures and its languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from torch import Tensor

from mirada.corpora.pictures.picture import PictureShape
from mirada.corpora.pictures.store import Standard
from mirada.models.build import build_captioner
from mirada.models.captioner import Captioner
from mirada.models.captioner_config import CaptionerConfig
from mirada.models.folder import SUBWORDS, AnyFolderConfig, FolderError, load_model, read_config_of, save_folder
from mirada.models.reading_folder import read_subwords
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
    except ValueError as error:
        raise FolderError(f"{folder}: {error}") from None
    model = load_model(folder, lambda: build_captioner(config.model, config.shape, config.vocabulary))
    return LoadedCaptioner(config, model, subwords, tags)


def read_config(folder: Path) -> CaptionFolderConfig:
    """The config of a folder."""
    return read_config_of(folder, "captioner", {"caption": CaptionFolderConfig})
