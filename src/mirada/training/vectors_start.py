"""Word vectors as the beginning of an embedding: a subword that is a whole word takes that word's vector.

They are centred, turned to the axes along which they differ most where there are more numbers than the model has, and
scaled to the size of the random ones that they replace. All others stay random.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import nn

from mirada.models.folder import SUBWORDS
from mirada.models.vectors import WordVectors
from mirada.models.vectors_files import open_vectors
from mirada.text.subwords import SPACE, Subwords
from mirada.training.settings import ConfigError

EMBEDDING = "embedding.weight"  # how its name ends in every model


def begin_with_vectors(model: nn.Module, folder: Path, path: Path) -> str:
    """Give the embedding of a fresh model the vectors of the words in its vocabulary; told in a sentence."""
    if not (folder / SUBWORDS).exists():
        raise ConfigError(f"training.vectors = {path} needs a model of subwords; use --set data.units=subwords")
    pieces = Subwords.load(folder / SUBWORDS).pieces
    embedding = next(one for name, one in model.named_parameters() if name.endswith(EMBEDDING))
    if len(pieces) > len(embedding):  # a reader of words has rows for spellings behind those of subwords
        raise ConfigError(f"training.vectors = {path} needs one row for each of the {len(pieces):,} subwords")
    taken, rows = _rows_of(pieces, open_vectors(path), path)
    fitted = torch.from_numpy(_fitted(rows, embedding.shape[1], path))
    with torch.no_grad():
        chosen = embedding[torch.tensor(taken)]
        scale = chosen.std() / fitted.std().clamp(min=1e-12)
        embedding[torch.tensor(taken)] = (fitted * scale).to(embedding)
    return f"{len(taken):,} of {len(pieces):,} subwords begin with the vectors of {path}, the others at random."


def _rows_of(
    pieces: tuple[str, ...], vectors: WordVectors, path: Path
) -> tuple[list[int], Float[NDArray[np.float32], "N W"]]:
    """Which subwords are words that have a vector, and these."""
    whole = {number: piece.removeprefix(SPACE) for number, piece in enumerate(pieces) if piece.startswith(SPACE)}
    found = {number: known for number, word in whole.items() if (known := vectors.words.find(word)) is not None}
    if len(found) < 2:
        raise ConfigError(f"training.vectors = {path}: its words are not among the subwords; is it another language?")
    return list(found), vectors.table[list(found.values())]


def _fitted(rows: Float[NDArray[np.float32], "N W"], width: int, path: Path) -> Float[NDArray[np.float32], "N D"]:
    """The rows with as many numbers as the model has."""
    if rows.shape[1] < width:
        raise ConfigError(
            f"training.vectors = {path} has vectors of width {rows.shape[1]}, fewer than the {width} of the model; "
            f"train them with --set model.width={width}, or use a model of width {rows.shape[1]}"
        )
    centred = rows - rows.mean(axis=0)
    if rows.shape[1] == width:
        return centred
    # The principal axes by the covariance: as small as the vectors are wide, however many words there are.
    _, axes = np.linalg.eigh(centred.T.astype(np.float64) @ centred)
    return (centred @ axes[:, ::-1][:, :width]).astype(np.float32)
