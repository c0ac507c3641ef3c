"""The folders of taggers and classifiers: as that of a translator, with the labels in `config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator
from torch import Tensor

from mirada.models.folder import SUBWORDS, AnyFolderConfig, load_model, read_config_of, save_folder
from mirada.models.labelling import Labeller, WordGraph
from mirada.models.labelling_config import ClassifierHeadConfig, TaggerHeadConfig, build_labeller
from mirada.models.reading_config import ReadingConfig
from mirada.models.reading_folder import read_subwords
from mirada.text.labels import LONGEST, MOST, Labels
from mirada.text.subwords import Subwords

WORDS = "words.txt"  # those that a tagger was trained on, to tell unknown ones apart
LARGEST_WORDS = 200_000_000  # bytes
Name = Annotated[str, Field(max_length=LONGEST)]


class LabelFolderConfig(AnyFolderConfig):
    """What `config.json` says of every model that labels."""

    task: str
    vocabulary: int | None = Field(default=None, ge=5, le=1_000_000)  # subwords; None where no text is read
    features: tuple[Name, ...] = Field(default=(), max_length=10_000)  # the numbers of a row, by name
    labels: tuple[Name, ...] = Field(min_length=2, max_length=MOST)
    longest: int = Field(default=512, ge=2, le=100_000)  # places that are read at once
    model: ReadingConfig

    @model_validator(mode="after")
    def _reads_something(self) -> LabelFolderConfig:
        numbers = self.model.kind == "perceptron"
        if numbers != bool(self.features) or numbers == (self.vocabulary is not None):
            raise ValueError("a perceptron has features and no vocabulary, every other reader a vocabulary alone")
        return self

    @property
    def size(self) -> int:
        """What the reader is built for: subwords, or numbers."""
        return len(self.features) if self.vocabulary is None else self.vocabulary


class TaggerFolderConfig(LabelFolderConfig):
    """`config.json` of a tagger."""

    task: Literal["tag"] = "tag"
    column: str = Field(default="upos", max_length=20)  # of CoNLL-U, that is filled
    graph: WordGraph = "complete"  # whom a word looks at
    head: TaggerHeadConfig = TaggerHeadConfig()


class ClassifierFolderConfig(LabelFolderConfig):
    """`config.json` of a classifier."""

    task: Literal["classify"] = "classify"
    head: ClassifierHeadConfig = ClassifierHeadConfig()


AnyLabelFolderConfig = TaggerFolderConfig | ClassifierFolderConfig
KINDS: Mapping[str, type[TaggerFolderConfig | ClassifierFolderConfig]] = {
    "tag": TaggerFolderConfig,
    "classify": ClassifierFolderConfig,
}


@dataclass(frozen=True, eq=False)
class LoadedLabeller:
    """A tagger or a classifier that is ready to be used."""

    config: AnyLabelFolderConfig
    model: Labeller
    subwords: Subwords | None
    labels: Labels


def save(
    folder: Path, config: AnyLabelFolderConfig, tensors: Mapping[str, Tensor], subwords: Subwords | None, card: str
) -> None:
    """Write the folder of a tagger or a classifier."""
    save_folder(folder, config, tensors, {} if subwords is None else {SUBWORDS: subwords.to_bytes()}, card)


def load(folder: Path) -> LoadedLabeller:
    """The model of a folder, in float32."""
    config = read_config(folder)
    subwords = None if config.vocabulary is None else read_subwords(folder, config.vocabulary)
    model = load_model(folder, lambda: build_labeller(config.model, config.head, config.size, len(config.labels)))
    return LoadedLabeller(config, model, subwords, Labels(config.labels))


def read_config(folder: Path) -> AnyLabelFolderConfig:
    """The config of a folder."""
    return read_config_of(folder, "tagger or classifier", KINDS)
