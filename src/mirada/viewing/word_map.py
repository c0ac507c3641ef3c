"""A map of words: their vectors in two dimensions, as a picture.

The two axes are those along which the words of the map differ most (principal components).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from mirada.models.vectors import WordVectors

MOST = 500  # words of a map that can still be read


def draw_map(vectors: WordVectors, groups: Mapping[str, Sequence[str]], path: Path) -> None:
    """Write a picture of words, each with the words around it in a colour of their own."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure  # heavy, and needed for pictures alone

    owner = {word: number for number, (asked, near) in enumerate(groups.items()) for word in (*near, asked)}
    if not 2 <= len(owner) <= MOST:
        raise ValueError(f"a map of {len(owner):,} words cannot be drawn; use 2 to {MOST}, by fewer words or --count")
    places = project(np.stack([vectors.direction(word) for word in owner]))
    figure = Figure(figsize=(8, 6), layout="constrained")
    axes = figure.subplots()
    for (word, number), (across, up) in zip(owner.items(), places, strict=True):
        asked = word in groups
        axes.plot(across, up, marker="o", markersize=6 if asked else 3, color=f"C{number % 10}")
        axes.annotate(
            _plain(word),
            (across, up),
            xytext=(4, 3),
            textcoords="offset points",
            fontsize=11 if asked else 9,
            fontweight="bold" if asked else "normal",
            parse_math=False,
        )
    axes.set(xticks=[], yticks=[])
    with rc_context({"svg.hashsalt": "mirada", "svg.fonttype": "none"}):  # the same map is the same file; text is text
        figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)


def _plain(word: str) -> str:
    """A word that is written as it is, at most a label long."""
    return word if len(word) <= 30 else f"{word[:29]}…"


def project(rows: Float[NDArray[np.float32], "N W"]) -> Float[NDArray[np.float64], "N 2"]:
    """The places of vectors along their two principal axes; the largest part of an axis points right, or up."""
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2]
    if len(axes) < 2:
        axes = np.vstack([axes, np.zeros((2 - len(axes), rows.shape[1]))])
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    return centred @ (axes * np.where(largest < 0, -1.0, 1.0)).T
