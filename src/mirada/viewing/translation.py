"""Looking at a translator: with a sentence it becomes a view.

The sentence is translated as always, with an observer beside the search. Then the model reads the sentence and its
translation (or a reference) once more, all places at once, and every attention is recorded (`mirada.viewing.forcing`);
the translation is not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mirada import __version__
from mirada.decoding.observing import Step
from mirada.decoding.options import Search
from mirada.decoding.search import padded
from mirada.models.engine import TorchEngine, alignment_layer
from mirada.models.transformer import Transformer
from mirada.text.coding import encode, encode_beside, pieces
from mirada.text.slots import MARKS
from mirada.text.subwords import BEGIN, END, Subwords
from mirada.translator import Translation, Translator
from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.forcing import SIDES, Forced, force, group_of
from mirada.viewing.maps import Placed, maps_of, placed
from mirada.viewing.places import positions_of
from mirada.viewing.sequences import MOST_TOKENS, require_short, sequence_of
from mirada.viewing.steps import steps_of
from mirada.viewing.tree import grow


def look(translator: Translator, text: str, *, reference: str | None = None, beam: int = 5, name: str = "") -> View:
    """What a model sees, and what it says, at one sentence; with a reference, when it is made to say that."""
    text = " ".join(text.split())
    if not text:
        raise ValueError("there is no sentence to look at; give one with words")
    steps: list[Step] = []
    engine = TorchEngine(translator.loaded, observer=steps.append)
    (coded,) = encode(engine.subwords, [text])
    require_short(len(coded.ids), engine.about.longest, "the sentence")
    (said,) = Translator.of(engine.loaded, observer=steps.append).translate_with([text], Search(beam=beam))
    labels = pieces(engine.subwords, range(engine.subwords.size), coded.symbols)
    own = _ids(engine.subwords, labels, said.tokens)
    forced = own if reference is None else _reference_ids(engine, text, reference)
    seen = _see(engine, coded.ids, forced, labels)
    return _view(engine, said, reference, seen, name).model_copy(update={"tree": grow(steps, own, labels)})


@dataclass(frozen=True, eq=False)
class _Seen:
    """What one pass over source and target showed."""

    source: list[int]  # with the end mark
    target: list[int]  # without it
    labels: list[str]  # every subword as it is shown here, a slot as the symbol that it stands for
    forced: Forced


def _ids(subwords: Subwords, labels: Sequence[str], tokens: Sequence[str]) -> list[int]:
    numbers = {label: number for number, label in enumerate(labels)}
    # A symbol may have a subword of its own beside its slot; the model says the slot.
    numbers |= {label: number for number, label in enumerate(labels) if subwords.pieces[number] in MARKS}
    return [numbers[token] for token in tokens]


def _reference_ids(engine: TorchEngine, text: str, reference: str) -> list[int]:
    ids = encode_beside(engine.subwords, " ".join(reference.split()), text)
    if not ids:
        raise ValueError("the reference is empty; give a translation, or none")
    require_short(len(ids) + 1, engine.about.places or MOST_TOKENS, "the reference")
    return ids


def _see(engine: TorchEngine, source: list[int], target: list[int], labels: list[str]) -> _Seen:
    """The model once over the sentence and its translation, with every attention recorded."""
    model, device = engine.loaded.model, engine.device
    decoder = model.decoder if isinstance(model, Transformer) else None
    forced = force(model, decoder, padded([source], device), padded([[BEGIN, *target]], device), labels)
    return _Seen(source, target, labels, forced)


def _view(engine: TorchEngine, said: Translation, reference: str | None, seen: _Seen, name: str) -> View:
    looks = placed(seen.forced.looks, group_of)
    maps, patterns = maps_of(looks, SIDES)
    alignment = _alignment(engine, seen, looks)
    start = contract.Start(group=maps[0].group, layer=0)
    if alignment is not None:
        start = contract.Start(group=alignment.group, layer=alignment.layer)
    places = max(len(seen.source), len(seen.target) + 1)
    return View(
        mirada=__version__,
        model=name or f"{engine.about.source} → {engine.about.target}",
        text=said.source,
        translation=said.text,
        reference=reference,
        score=round(said.score, 4) if np.isfinite(said.score) else None,
        flags=tuple(flag.value for flag in said.flags),
        sequences=_sequences(engine, said, reference, seen),
        patterns=patterns,
        maps=maps,
        alignment=alignment,
        steps=steps_of(seen.forced.scores, [*seen.target, END], seen.labels),
        lens=seen.forced.lens,
        positions=positions_of(engine.loaded.model, [one.attention for one in seen.forced.looks], places),
        start=start,
    )


def _alignment(engine: TorchEngine, seen: _Seen, looks: Sequence[Placed]) -> contract.Alignment | None:
    """For each token the source token that the aligning layer looked at most, as the translator aligns."""
    to_source = engine.loaded.model.looks_at_source()
    if not to_source or not seen.target:
        return None
    aligning = to_source[alignment_layer(engine.loaded)]
    found = next(one for one in looks if one.look.attention is aligning)
    # The end mark is where a head looks that has nothing to look for, so it is no one's source.
    weights = found.look.weights[0].mean(0)[: len(seen.target), : max(1, len(seen.source) - 1)]
    most, places = weights.max(-1)
    links = tuple(
        contract.Link(source=place, target=target, weight=round(weight, 4))
        for target, (place, weight) in enumerate(zip(places.tolist(), most.tolist(), strict=True))
    )
    return contract.Alignment(layer=found.layer, links=links)


def _sequences(
    engine: TorchEngine, said: Translation, reference: str | None, seen: _Seen
) -> dict[str, contract.Sequence]:
    labels, about = seen.labels, engine.about
    source, target = ([labels[one] for one in ids] for ids in (seen.source[:-1], seen.target))
    written = said.text if reference is None else reference
    return {
        "source": sequence_of([*source, labels[END]], said.source, {len(source): "end"}, about.source),
        "read": sequence_of([labels[BEGIN], *target], written, {0: "begin"}, about.target),
        "written": sequence_of([*target, labels[END]], written, {len(target): "end"}, about.target),
    }
