"""Looking at captioners: with a picture they become a view of its patches, and of the text that looks at them.

The picture is described as always, with an observer beside the search. Then the model reads it and its caption (or a
reference) once more, all places at once (`mirada.viewing.forcing`); the caption is not touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from mirada import __version__
from mirada.corpora.pictures.fitting import fit
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.observing import Step
from mirada.decoding.options import Search
from mirada.describer import Describer
from mirada.models.caption_folder import LoadedCaptioner
from mirada.tasks.captioning import describe
from mirada.text.subwords import END
from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.forcing import SIDES, Forced, force, group_of
from mirada.viewing.maps import maps_of, placed
from mirada.viewing.patches import name_of, patches_of, picture_of
from mirada.viewing.places import positions_of
from mirada.viewing.sequences import require_short, sequence_of
from mirada.viewing.steps import steps_of
from mirada.viewing.tree import grow


def look(
    describer: Describer,
    path: Path,
    *,
    language: str | None = None,
    reference: str | None = None,
    beam: int = 5,
    number: int | None = None,
    name: str = "",
) -> View:
    """What a captioner sees in a picture, and what it says; with a reference, when it is made to say that."""
    loaded, config = describer.loaded, describer.loaded.config
    chosen = describer.language_for(language)
    picture = picture_of(describer.read([path]), path, number)
    pixels = fit(picture, config.shape)
    source = patches_of(pixels, config.model.reader.grid(config.shape))
    entered, mark = torch.from_numpy(config.standard.apply(pixels[None])), loaded.tags[chosen]
    steps: list[Step] = []
    search = Search(beam=beam)
    (said,) = describe(loaded.model, entered, [0], [mark], search, config.longest, observer=steps.append)
    target = _ids(loaded, said, reference)
    written = torch.tensor([[mark, *target]])
    forced = force(loaded.model, loaded.model.decoder, (entered, None), (written, None), loaded.subwords.pieces)
    told = _Told(name_of(picture, path), source, chosen, said, reference, (mark, *target))
    view = _view(loaded, told, forced, name or "captioner")
    return view.model_copy(update={"tree": grow(steps, said.tokens, loaded.subwords.pieces)})


@dataclass(frozen=True, eq=False)
class _Told:
    """A picture, and what is said of it."""

    picture: str
    source: contract.Sequence
    language: str
    said: Hypothesis
    reference: str | None
    entered: tuple[int, ...]  # what the decoder reads: the mark of the language, then what it says, or is made to say


def _ids(loaded: LoadedCaptioner, said: Hypothesis, reference: str | None) -> list[int]:
    """What the model says, or is made to say, without the end mark."""
    what, ids = "the caption", said.tokens
    if reference is not None:
        what, ids = "the reference", loaded.subwords.encode(" ".join(reference.split()))
        if not ids:
            raise ValueError("the reference is empty; give a caption, or none")
    require_short(len(ids), loaded.config.longest, what)
    return ids


def _view(loaded: LoadedCaptioner, told: _Told, forced: Forced, name: str) -> View:
    model, subwords, said = loaded.model, loaded.subwords, told.said
    maps, patterns = maps_of(placed(forced.looks, group_of), SIDES)
    caption = subwords.decode(said.tokens)
    text = caption if told.reference is None else told.reference
    labels = [subwords.pieces[one] for one in (*told.entered, END)]
    last = len(told.entered) - 1
    cross = [one for one in maps if one.group == "cross"][-1]  # what was looked at last is what was said from
    score = said.score(1.0)
    return View(
        mirada=__version__,
        task="caption",
        model=name,
        text=told.picture,
        translation=caption,
        reference=told.reference,
        score=round(score, 4) if np.isfinite(score) else None,
        sequences={
            "source": told.source,
            "read": sequence_of(labels[:-1], text, {0: "begin"}, told.language),
            "written": sequence_of(labels[1:], text, {last: "end"}, told.language),
        },
        patterns=patterns,
        maps=maps,
        steps=steps_of(forced.scores, [*told.entered[1:], END], subwords.pieces),
        lens=forced.lens,
        positions=positions_of(
            model, [one.attention for one in forced.looks], max(len(told.entered), len(told.source.labels))
        ),
        start=contract.Start(group=cross.group, layer=cross.layer),
    )
