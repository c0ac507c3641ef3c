"""The folders of models that learnt from text that nobody labelled: the masked model, and the two models of ELMo.

They are folders of readers (`mirada.models.reading_folder`), so that a tagger or a classifier can begin from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field
from torch import Tensor

from mirada.models.build import build
from mirada.models.config import Strict
from mirada.models.drawn import drawn_from
from mirada.models.elmo import BidirectionalModel, ElmoReader
from mirada.models.folder import SUBWORDS, load_model, read_config_of, save_folder
from mirada.models.masked import MaskedModel
from mirada.models.reading import EncoderReader
from mirada.models.reading_config import ElmoConfig, EncoderConfig
from mirada.models.reading_folder import ReadingFolderConfig, read_subwords
from mirada.text.subwords import Subwords


class MaskingRecord(Strict):
    """How words were hidden while the model learnt."""

    share: float = Field(gt=0, lt=1)
    whole_words: bool


class MaskedFolderConfig(ReadingFolderConfig):
    """`config.json` of a masked model."""

    task: Literal["mlm"] = "mlm"
    longest: int = Field(ge=8, le=100_000)  # tokens of a row
    masking: MaskingRecord
    next_sentence: bool  # whether it says what follows what
    model: EncoderConfig


class ElmoFolderConfig(ReadingFolderConfig):
    """`config.json` of two language models."""

    task: Literal["elmo"] = "elmo"
    longest: int = Field(ge=8, le=100_000)
    model: ElmoConfig


AnyTextFolderConfig = MaskedFolderConfig | ElmoFolderConfig
TASKS: Mapping[str, type[AnyTextFolderConfig]] = {"mlm": MaskedFolderConfig, "elmo": ElmoFolderConfig}


@dataclass(frozen=True, eq=False)
class LoadedText:
    """A model that learnt from text, with its subwords."""

    config: AnyTextFolderConfig
    model: MaskedModel | BidirectionalModel
    subwords: Subwords


def build_masked(
    config: EncoderConfig, vocabulary: int, *, next_sentence: bool, seed: int | None = None
) -> MaskedModel:
    """A fresh masked model; with a seed, the same numbers on every call."""
    with drawn_from(seed):
        reader = build(config, vocabulary)
        if not isinstance(reader, EncoderReader):
            raise TypeError(f"a masked model reads with an encoder, not with {type(reader).__name__}")
        return MaskedModel(reader, next_sentence=next_sentence)


def build_both(config: ElmoConfig, vocabulary: int, seed: int | None = None) -> BidirectionalModel:
    """Two fresh language models; with a seed, the same numbers on every call."""
    with drawn_from(seed):
        reader = build(config, vocabulary)
        if not isinstance(reader, ElmoReader):
            raise TypeError(f"two language models are read by ElmoReader, not by {type(reader).__name__}")
        return BidirectionalModel(reader)


def save(
    folder: Path, config: AnyTextFolderConfig, tensors: Mapping[str, Tensor], subwords: Subwords, card: str
) -> None:
    """Write the folder of a model that learnt from text."""
    save_folder(folder, config, tensors, {SUBWORDS: subwords.to_bytes()}, card)


def load(folder: Path) -> LoadedText:
    """The model of a folder, in float32."""
    config = read_config(folder)
    subwords = read_subwords(folder, config.vocabulary)
    return LoadedText(config, load_model(folder, lambda: _built(config)), subwords)


def _built(config: AnyTextFolderConfig) -> MaskedModel | BidirectionalModel:
    if isinstance(config, MaskedFolderConfig):
        return build_masked(config.model, config.vocabulary, next_sentence=config.next_sentence)
    return build_both(config.model, config.vocabulary)


def read_config(folder: Path) -> AnyTextFolderConfig:
    """The config of a folder."""
    return read_config_of(folder, "masked model or two language models", TASKS)
