"""Looking at a language model: with a text it becomes a view of one sequence that looks back at itself.

The model reads the text once, all places at once. Step n is what it says after n tokens, beside the token that stands
there; the last step is what would come next.

Legend: N places, T vocabulary.
"""

from __future__ import annotations

import torch

from mirada import __version__
from mirada.attention.record import joined, record
from mirada.generator import Generator
from mirada.models.language import CausalTransformer
from mirada.text.characters import Characters
from mirada.text.subwords import SPACE, SPECIAL
from mirada.text.units import SubwordLines, Units, encode_text
from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.lens import lens_of, tapped
from mirada.viewing.maps import NOTHING_TO_SEE, Side, maps_of, placed
from mirada.viewing.places import positions_of
from mirada.viewing.sequences import require_short, require_words, sequence_of
from mirada.viewing.steps import steps_of

LINE_END = "⏎"
_SIDES: dict[str, Side] = {"decoder": ("self", "read", "read")}


def look(generator: Generator, text: str, *, name: str = "") -> View:
    """What a language model sees in a text, and what it expects at each place of it."""
    model, units = generator.loaded.model, generator.loaded.units
    if not isinstance(model, CausalTransformer):
        raise ValueError(
            NOTHING_TO_SEE + "`mirada generate` writes with it, `mirada evaluate` says how well it foretells"
        )
    text = text.strip("\n")
    require_words(text.strip())
    ids = encode_text(units, text)
    require_words(ids)
    entered = [units.line_end, *ids]  # a text is read as if a line had just ended
    require_short(len(entered), model.context, "the text")
    labels = labels_of(units)
    with torch.inference_mode(), record(model) as looks, tapped(model.stack) as layers:
        states = model(torch.tensor([entered], device=model.output.weight.device))[0]
        scores = model.output.scores(states).cpu()
        lens = lens_of(layers, model.stack, lambda last: model.output.scores(last[0]), labels)
    maps, patterns = maps_of(placed(joined(looks), lambda _: "decoder"), _SIDES)
    told = scores[torch.arange(len(ids)), torch.tensor(ids)]
    marks: dict[int, contract.Mark] = {place: "line" for place, one in enumerate(entered) if one == units.line_end}
    return View(
        mirada=__version__,
        task="lm",
        model=name or "language model",
        text=text,
        score=round(float(told.mean()), 4),
        sequences={"read": sequence_of([labels[one] for one in entered], text, {**marks, 0: "begin"})},
        patterns=patterns,
        maps=maps,
        steps=steps_of(scores, [*ids, None], labels, range(1, len(entered) + 1)),
        lens=lens,
        positions=positions_of(model, [one.attention for one in joined(looks)], len(entered)),
        start=contract.Start(group="decoder", layer=maps[-1].layer),
    )


def labels_of(units: Units) -> list[str]:
    """Every token as it is shown: a space before a word as in subwords, the end of a line by its sign."""
    match units:
        case SubwordLines():
            labels = list(units.subwords.pieces)
        case Characters():
            labels = [*(f"<{one}>" for one in SPECIAL), *units.characters.replace(" ", SPACE)]
        case _:
            raise TypeError(f"{type(units).__name__} are units without labels")
    labels[units.line_end] = LINE_END
    return labels
