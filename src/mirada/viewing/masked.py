"""Looking at a masked model: with a text it becomes a view of one sequence, and of what would stand in its gaps.

A gap is written [MASK] or ___. A text without gaps is read as it is, and each of its tokens beside what else could
stand there.

Legend: N places, M those where something is said, W width, T vocabulary.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from mirada import __version__
from mirada.attention.record import joined, record
from mirada.filler import Filler
from mirada.text.marks import CLASS, FIRST_WORD, MASK, SEPARATOR
from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.lens import lens_of, tapped
from mirada.viewing.maps import Side, maps_of, placed
from mirada.viewing.places import positions_of
from mirada.viewing.sequences import require_short, require_words, sequence_of
from mirada.viewing.steps import steps_of

_SIDES: dict[str, Side] = {"encoder": ("self", "read", "read")}


def look(filler: Filler, text: str, *, name: str = "") -> View:
    """What a masked model sees in a text, and what it would say in its gaps, or at each place of one without any."""
    text = " ".join(text.split())
    ids = [CLASS, *filler.encoded(text)[0], SEPARATOR]
    require_short(len(ids), filler.config.longest, "the text")
    gaps = [place for place, one in enumerate(ids) if one == MASK]
    places = gaps or [place for place, one in enumerate(ids) if one >= FIRST_WORD]
    require_words(places)
    model, wanted = filler.model, torch.tensor(places)

    def speak(states: Float[Tensor, "1 N W"]) -> Float[Tensor, "M T"]:
        return model.output.scores(model.words(states, wanted))

    labels = list(filler.subwords.pieces)
    with torch.inference_mode(), record(model) as looks, tapped(model.reader.stack) as layers:
        scores = speak(model(torch.tensor([ids]))).cpu()
    maps, patterns = maps_of(placed(joined(looks), lambda _: "encoder"), _SIDES)
    marks: dict[int, contract.Mark] = {0: "begin", len(ids) - 1: "end", **dict.fromkeys(gaps, "mask")}
    return View(
        mirada=__version__,
        task="mlm",
        model=name or "masked model",
        text=text,
        sequences={"read": sequence_of([labels[one] for one in ids], text, marks)},
        patterns=patterns,
        maps=maps,
        steps=steps_of(scores, [None if place in gaps else ids[place] for place in places], labels, places),
        lens=lens_of(layers, model.reader.stack, speak, labels),
        positions=positions_of(model, [one.attention for one in joined(looks)], len(ids)),
        start=contract.Start(group="encoder", layer=maps[-1].layer),
    )
