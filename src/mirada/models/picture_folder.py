"""The folder of a classifier of pictures: as that of other classifiers, with the shape of its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field
from torch import Tensor

from mirada.corpora.pictures.picture import PictureShape
from mirada.corpora.pictures.store import Standard
from mirada.models.build import build_patches
from mirada.models.drawn import drawn_from
from mirada.models.folder import CONFIG, AnyFolderConfig, load_model, read_config_of, read_json, save_folder
from mirada.models.labelling import Classifier
from mirada.models.labelling_config import ClassifierHeadConfig
from mirada.models.patches_config import PatchesConfig
from mirada.text.labels import LONGEST, MOST, Labels

KIND: Final = "patches"


class PictureFolderConfig(AnyFolderConfig):
    """`config.json` of a classifier of pictures."""

    task: Literal["classify"] = "classify"
    labels: tuple[Annotated[str, Field(max_length=LONGEST)], ...] = Field(min_length=2, max_length=MOST)
    shape: PictureShape
    standard: Standard  # of the training pictures
    values: tuple[float, float] | None = None  # the range of an npz file's numbers
    model: PatchesConfig
    head: ClassifierHeadConfig = ClassifierHeadConfig()


@dataclass(frozen=True, eq=False)
class LoadedPictureClassifier:
    """A classifier of pictures that is ready to be used."""

    config: PictureFolderConfig
    model: Classifier
    labels: Labels


def build_classifier(
    config: PatchesConfig, head: ClassifierHeadConfig, shape: PictureShape, labels: int, seed: int | None = None
) -> Classifier:
    """A fresh classifier of pictures of this shape; with a seed, the same numbers on every call."""
    with drawn_from(seed):
        return Classifier(build_patches(config, shape), labels, head.pooling)


def reads_pictures(folder: Path) -> bool:
    """Whether the model of a folder is a classifier of pictures."""
    model = read_json(folder / CONFIG, folder).get("model")
    return isinstance(model, dict) and model.get("kind") == KIND


def save(folder: Path, config: PictureFolderConfig, tensors: Mapping[str, Tensor], card: str) -> None:
    """Write the folder of a classifier of pictures."""
    save_folder(folder, config, tensors, {}, card)


def load(folder: Path) -> LoadedPictureClassifier:
    """The classifier of a folder, in float32."""
    config = read_config(folder)
    model = load_model(folder, lambda: build_classifier(config.model, config.head, config.shape, len(config.labels)))
    return LoadedPictureClassifier(config, model, Labels(config.labels))


def read_config(folder: Path) -> PictureFolderConfig:
    """The config of a folder."""
    return read_config_of(folder, "classifier of pictures", {"classify": PictureFolderConfig})
