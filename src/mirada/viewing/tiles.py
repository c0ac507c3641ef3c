"""Tiles: for each word that looks at a picture, or for the whole, a small picture of its patches.

Where patches look at each other there is one tile: of the class token, or of the mean of all patches.

Legend: Q tiles, R rows, C columns of patches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from mirada.viewing.contract import View
from mirada.viewing.heat import ASCII, BLOCKS, COLOURS, Axis, Chosen, between

SHARES = (0.2, 0.4, 0.6, 0.8)  # of a tile's greatest weight, from which on a patch has the next shade
GAP = 3  # columns between tiles
NARROWEST = 10  # columns of a tile with its label


@dataclass(frozen=True, eq=False)
class Tile:
    """Where one looks: the weights of the patches, in their places."""

    label: str
    weights: Float[np.ndarray, "R C"]

    @property
    def most(self) -> float:
        """The greatest weight."""
        return float(np.abs(self.weights).max())

    @property
    def shares(self) -> Float[np.ndarray, "R C"]:
        """The weights as shares of the greatest."""
        shares: Float[np.ndarray, "R C"] = np.abs(self.weights) / max(self.most, 1e-6)
        return shares


def looks_at_patches(view: View, chosen: Chosen) -> bool:
    """Whether a map is one of looks at a picture."""
    return view.sequences[view.maps[chosen.number].keys].kind == "patches"


def tiles_of(view: View, chosen: Chosen, *, subwords: bool = False) -> list[Tile]:
    """The tiles of a head, or of the mean of all."""
    found = view.maps[chosen.number]
    keys = view.sequences[found.keys]
    if keys.grid is None:
        raise ValueError(f"the patches of {found.keys!r} have no grid, so they have no places in a picture")
    rows = Axis.of(view.sequences[found.queries], subwords)
    weights, labels = between(view, chosen, rows, Axis.of(keys, subwords=True)), rows.labels
    if found.kind == "self":
        whole = 0 in keys.marks
        weights = weights[:1] if whole else weights.mean(0, keepdims=True)
        labels = labels[:1] if whole else ["mean of all patches"]
    first = len(keys.labels) - keys.grid[0] * keys.grid[1]  # marks stand before
    return [Tile(label, row[first:].reshape(keys.grid)) for label, row in zip(labels, weights, strict=True)]


def heat_map(view: View, chosen: Chosen, width: int, *, subwords: bool = False, ascii_only: bool = False) -> Text:
    """The tiles for the terminal, as many side by side as its width has room for; darker where more is looked at."""
    shades = ASCII if ascii_only else BLOCKS
    blocks = [_block(one, shades) for one in tiles_of(view, chosen, subwords=subwords)]
    across = max(1, (width + GAP) // (cell_len(blocks[0][0].plain) + GAP))
    text = Text(no_wrap=True)
    for start in range(0, len(blocks), across):
        for parts in zip(*blocks[start : start + across], strict=True):
            line = Text(" " * GAP).join(parts)
            line.rstrip()
            text.append(line).append("\n")
    return text


def _block(tile: Tile, shades: tuple[str, ...]) -> list[Text]:
    """The lines of a tile: who looks, the greatest weight, and the patches."""
    wide = max(NARROWEST, 2 * tile.weights.shape[1])
    lines = [Text(set_cell_size(tile.label, wide)), Text(set_cell_size(f"most {tile.most:.3f}", wide), style="dim")]
    for row in tile.shares.tolist():
        line = Text()
        for share in row:
            level = sum(share >= step for step in SHARES)
            line.append(shades[level], style=COLOURS[level - 1] if level else "")
        line.append(" " * (wide - line.cell_len))
        lines.append(line)
    return lines
