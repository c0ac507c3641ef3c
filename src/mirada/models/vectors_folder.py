"""The folder of word vectors: `config.json`, `words.txt`, `model.safetensors`, `card.md`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import torch
from pydantic import Field

from mirada.models.folder import (
    CONFIG,
    WEIGHTS,
    AnyFolderConfig,
    FolderError,
    read_config_of,
    read_file,
    read_tensors,
    save_folder,
)
from mirada.models.vectors import WordVectors
from mirada.models.vectors_config import VectorsConfig
from mirada.text.ngrams import Spelling
from mirada.text.word_list import MOST_WORDS, WordKind, Words

WORDS = "words.txt"
TABLE, GRAMS = "words", "grams"  # tensors
LARGEST_WORDS = 2_000_000_000  # bytes


class VectorsFolderConfig(AnyFolderConfig):
    """`config.json` of word vectors."""

    task: Literal["vectors"] = "vectors"
    words: WordKind  # how a text is divided
    lower: bool
    vocabulary: int = Field(ge=1, le=MOST_WORDS)
    model: VectorsConfig


def save(folder: Path, config: VectorsFolderConfig, vectors: WordVectors, card: str) -> None:
    """Write the folder of word vectors."""
    tables = {TABLE: vectors.table} | ({} if vectors.grams is None else {GRAMS: vectors.grams})
    tensors = {name: torch.from_numpy(np.ascontiguousarray(table)) for name, table in tables.items()}
    save_folder(folder, config, tensors, {WORDS: vectors.words.to_bytes()}, card)


def load(folder: Path) -> WordVectors:
    """The word vectors of a folder."""
    config = read_config(folder)
    words = _read_words(folder, config)
    tensors = read_tensors(folder / WEIGHTS)
    model = config.model
    shapes = {TABLE: (config.vocabulary, model.width)}
    if model.subwords:
        shapes[GRAMS] = (model.buckets or 0, model.width)
    if {name: tuple(one.shape) for name, one in tensors.items()} != shapes or any(
        one.dtype != torch.float32 for one in tensors.values()
    ):
        raise FolderError(f"{folder / WEIGHTS} does not fit {folder / CONFIG}; copy the whole folder again")
    spelling = Spelling(model.shortest, model.longest, model.buckets) if model.subwords and model.buckets else None
    grams = tensors[GRAMS].numpy() if spelling is not None else None
    return WordVectors(words, tensors[TABLE].numpy(), grams, spelling)


def read_config(folder: Path) -> VectorsFolderConfig:
    """The config of a folder."""
    return read_config_of(folder, "word vectors", {"vectors": VectorsFolderConfig})


def _read_words(folder: Path, config: VectorsFolderConfig) -> Words:
    path = folder / WORDS
    content = read_file(path, LARGEST_WORDS)
    try:
        words = Words.of_bytes(content, config.words, config.lower)
    except ValueError as error:
        raise FolderError(f"{path}: {error}") from None
    if len(words) != config.vocabulary:
        raise FolderError(
            f"{path} has {len(words):,} words, but {folder / CONFIG} says {config.vocabulary:,}: the file is from "
            "another model; copy the whole folder again"
        )
    return words
