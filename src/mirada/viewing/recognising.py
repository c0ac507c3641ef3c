"""Looking at classifiers of pictures: with a picture they become a view of its patches, and of what it shows.

Beside the looks of every layer stands their rollout over the picture: what the state that the label is said from holds
of each patch.

Legend: N places, the class token included.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jaxtyping import Float

from mirada.attention.record import Look
from mirada.corpora.pictures.fitting import fit
from mirada.models.labelling import Pooling
from mirada.recogniser import Recogniser
from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.labelling import CLASS, WHOLE, Seen, class_view, see
from mirada.viewing.patches import name_of, patches_of, picture_of
from mirada.viewing.rollout import rollout_map

POOLING = "pooling"


def look(recogniser: Recogniser, path: Path, *, number: int | None = None, name: str = "") -> View:
    """What a classifier sees in a picture, and what it takes it for."""
    config, model = recogniser.loaded.config, recogniser.loaded.model
    picture = picture_of(recogniser.read([path]), path, number)
    pixels = fit(picture, config.shape)
    read = patches_of(pixels, config.model.grid(config.shape), config.model.prefix)
    seen = see(model, recogniser.entered(pixels[None]).batch(np.arange(1)), recogniser.labels)
    right = f" ({picture.label})" if picture.label else ""
    view = class_view(model, seen, recogniser.labels, read, name or "classifier", name_of(picture, path) + right)
    whole = _whole(model.pooling, seen, len(read.labels))
    return view if whole is None else _with_rollout(view, seen, whole)


def _whole(pooling: Pooling, seen: Seen, places: int) -> Float[np.ndarray, "N"] | None:
    """How much of each place's state the label is said from; None where that is no mean (the largest numbers)."""
    match pooling.kind:
        case "first":
            return np.eye(1, places, dtype=np.float32)[0]
        case "mean":
            return np.full(places, 1 / places, dtype=np.float32)
        case "attention":
            (gathered,) = (one for one in seen.looks if one.name.startswith(POOLING))
            return _weights(gathered).mean(0)[0]
        case "max":
            return None


def _with_rollout(view: View, seen: Seen, whole: Float[np.ndarray, "N"]) -> View:
    layers = [_weights(one) for one in seen.looks if not one.name.startswith(POOLING)]
    rolled, patterns = rollout_map(layers, whole, CLASS, view.maps[0], view.patterns)
    update = {
        "sequences": {**view.sequences, CLASS: WHOLE},
        "maps": (*view.maps, rolled),
        "patterns": patterns,
        "start": contract.Start(group=rolled.group, layer=rolled.layer),
    }
    return view.model_copy(update=update)


def _weights(one: Look) -> Float[np.ndarray, "_ _ N"]:
    weights: Float[np.ndarray, "_ _ N"] = one.weights[0].float().cpu().numpy()
    return weights
