"""Looking: a translator and a sentence become a view.

The sentence is translated as always, with an observer beside the search. Then the model reads the sentence and its
translation (or a reference) once more, all places at once, and every attention is recorded (`mirada.attention.record`):
the weights are those of decoding step by step, which the laws hold equal, and the translation is not touched.

Legend: H heads, Q queries, K keys, N target places, T vocabulary.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from mirada import __version__
from mirada.attention import Attention
from mirada.attention.record import Look, joined, record
from mirada.decoding.observing import Step
from mirada.decoding.options import Search
from mirada.decoding.search import padded
from mirada.models.engine import TorchEngine, alignment_layer
from mirada.models.words import write_word
from mirada.text.coding import encode, encode_beside, pieces
from mirada.text.slots import MARKS
from mirada.text.subwords import BEGIN, END, Subwords
from mirada.text.words import words_of_pieces
from mirada.translator import Translation, Translator
from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.packing import pack, pack_pattern
from mirada.viewing.places import positions_of
from mirada.viewing.tree import grow

CANDIDATES = 6  # of each step
MOST_TOKENS = 512  # of a side; the maps of 6 + 6 layers with 8 heads then take 50 MB


def look(translator: Translator, text: str, *, reference: str | None = None, beam: int = 5, name: str = "") -> View:
    """What a model sees, and what it says, at one sentence; with a reference, when it is made to say that."""
    text = " ".join(text.split())
    if not text:
        raise ValueError("there is no sentence to look at; give one with words")
    steps: list[Step] = []
    engine = TorchEngine(translator.loaded, observer=steps.append)
    (coded,) = encode(engine.subwords, [text])
    _require_short(len(coded.ids), engine.about.longest, "the sentence")
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
    looks: list[Look]  # one for each attention, in order, with the weights of all queries
    scores: Float[Tensor, "N T"]  # log-probabilities at each place of the target and for the end mark
    labels: list[str]  # every subword as it is shown here, a slot as the symbol that it stands for


def _require_short(tokens: int, longest: int, what: str) -> None:
    most = min(longest, MOST_TOKENS)
    if tokens > most:
        raise ValueError(f"{what} has {tokens:,} tokens, and {most:,} can be looked at; give a shorter one")


def _ids(subwords: Subwords, labels: Sequence[str], tokens: Sequence[str]) -> list[int]:
    numbers = {label: number for number, label in enumerate(labels)}
    # A symbol may have a subword of its own beside its slot; the model says the slot.
    numbers |= {label: number for number, label in enumerate(labels) if subwords.pieces[number] in MARKS}
    return [numbers[token] for token in tokens]


def _reference_ids(engine: TorchEngine, text: str, reference: str) -> list[int]:
    ids = encode_beside(engine.subwords, " ".join(reference.split()), text)
    if not ids:
        raise ValueError("the reference is empty; give a translation, or none")
    _require_short(len(ids) + 1, engine.about.places or MOST_TOKENS, "the reference")
    return ids


def _see(engine: TorchEngine, source: list[int], target: list[int], labels: list[str]) -> _Seen:
    """The model once over the sentence and its translation, with every attention recorded."""
    model = engine.loaded.model
    read, read_padding = padded([source], engine.device)
    entered, entered_padding = padded([[BEGIN, *target]], engine.device)
    with torch.inference_mode(), record(model) as looks:
        states = model(read, read_padding, entered, entered_padding)
        scores = model.output.scores(states[0])
    if not looks:
        raise ValueError("this model has no attention, so there is nothing to look at; translate with it instead")
    return _Seen(source, target, joined(looks), scores, labels)


def _view(engine: TorchEngine, said: Translation, reference: str | None, seen: _Seen, name: str) -> View:
    groups = _grouped(seen.looks)
    patterns: list[contract.Pattern] = []
    maps = tuple(_map(one, group, layer, patterns) for one, group, layer in groups)
    alignment = _alignment(engine, seen, groups)
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
        patterns=tuple(patterns),
        maps=maps,
        alignment=alignment,
        steps=_steps(seen),
        positions=positions_of(engine.loaded.model, [one.attention for one in seen.looks], places),
        start=start,
    )


def _grouped(looks: Sequence[Look]) -> list[tuple[Look, str, int]]:
    """Each look with the group that it belongs to and its layer within."""
    counts: dict[str, int] = {}
    found = []
    for one in looks:
        group = _group(one.name)
        layer = counts.get(group, 0)
        counts[group] = layer + 1
        found.append((one, group, layer))
    return found


def _group(name: str) -> str:
    """Encoder or decoder to itself, or, whatever it is called, the decoder's look at the source."""
    if name.startswith("encoder"):
        return "encoder"
    return "decoder" if name.endswith("self_attention") else "cross"


# What looks, and at what: a decoder to itself reads what was written before, and looks at the source to write.
_SIDES: dict[str, tuple[Literal["self", "cross"], str, str]] = {
    "encoder": ("self", "source", "source"),
    "decoder": ("self", "read", "read"),
    "cross": ("cross", "written", "source"),
}


def _map(one: Look, group: str, layer: int, patterns: list[contract.Pattern]) -> contract.Map:
    """A look for the contract; its pattern is added to the patterns if it is not there yet."""
    kind, queries, keys = _SIDES[group]
    weights: NDArray[np.float32] = one.weights[0].float().cpu().numpy()
    allowed = _allowed(one.attention, weights.shape[1], weights.shape[2])
    pattern = pack_pattern(str(one.attention.pattern), allowed)
    if pattern not in patterns:
        patterns.append(pattern)
    packed = pack(weights, allowed)
    return contract.Map(
        group=group,
        kind=kind,
        layer=layer,
        heads=len(weights),
        queries=queries,
        keys=keys,
        pattern=patterns.index(pattern),
        score=write_word(one.attention.score),
        position=write_word(one.attention.position),
        kernel=one.plan.kernel.name,
        weights=packed.weights,
        highs=packed.highs,
        lows=packed.lows,
    )


def _allowed(attention: Attention, queries: int, keys: int) -> NDArray[np.bool_]:
    i, j = torch.arange(queries)[:, None], torch.arange(keys)[None, :]
    allowed: NDArray[np.bool_] = attention.pattern.allows(i, j).expand(queries, keys).numpy()
    return allowed


def _alignment(engine: TorchEngine, seen: _Seen, groups: Sequence[tuple[Look, str, int]]) -> contract.Alignment | None:
    """For each token the source token that the aligning layer looked at most, as the translator aligns."""
    to_source = engine.loaded.model.looks_at_source()
    if not to_source or not seen.target:
        return None
    aligning = to_source[alignment_layer(engine.loaded)]
    found = next(((one, layer) for one, _, layer in groups if one.attention is aligning))
    # The end mark is where a head looks that has nothing to look for, so it is no one's source.
    weights = found[0].weights[0].mean(0)[: len(seen.target), : max(1, len(seen.source) - 1)]
    most, places = weights.max(-1)
    links = tuple(
        contract.Link(source=place, target=target, weight=round(weight, 4))
        for target, (place, weight) in enumerate(zip(places.tolist(), most.tolist(), strict=True))
    )
    return contract.Alignment(layer=found[1], links=links)


def _sequences(
    engine: TorchEngine, said: Translation, reference: str | None, seen: _Seen
) -> dict[str, contract.Sequence]:
    labels, about = seen.labels, engine.about
    source, target = ([labels[one] for one in ids] for ids in (seen.source[:-1], seen.target))
    written = said.text if reference is None else reference
    return {
        "source": _sequence(source, about.source, said.source, after=labels[END]),
        "read": _sequence(target, about.target, written, before=labels[BEGIN]),
        "written": _sequence(target, about.target, written, after=labels[END]),
    }


def _sequence(
    pieces: list[str], language: str, text: str, before: str | None = None, after: str | None = None
) -> contract.Sequence:
    """Tokens with their words; a mark before or after is a word of its own."""
    words = words_of_pieces(pieces)
    marks: dict[int, Literal["begin", "end"]] = {}
    if before is not None:
        pieces, words, marks = [before, *pieces], [0, *(word + 1 for word in words)], {0: "begin"}
    if after is not None:
        marks |= {len(pieces): "end"}
        pieces, words = [*pieces, after], [*words, (words[-1] if words else -1) + 1]
    return contract.Sequence(
        language=language, direction=direction(text), labels=tuple(pieces), words=tuple(words), marks=marks
    )


def direction(text: str) -> Literal["ltr", "rtl"]:
    """Where a text goes: where its first letter with a direction goes."""
    for character in text:
        match unicodedata.bidirectional(character):
            case "R" | "AL":
                return "rtl"
            case "L":
                return "ltr"
    return "ltr"


def _steps(seen: _Seen) -> tuple[contract.Step, ...]:
    """For each token, and for the end mark, its probability and its rivals."""
    probabilities = seen.scores.exp()
    best, places = probabilities.topk(min(CANDIDATES, probabilities.shape[-1]), -1)
    written = torch.tensor([*seen.target, END], device=probabilities.device)[:, None]
    chosen = probabilities.gather(1, written)
    ranks = (probabilities > chosen).sum(-1) + 1
    rows = zip(
        written[:, 0].tolist(), chosen[:, 0].tolist(), ranks.tolist(), best.tolist(), places.tolist(), strict=True
    )
    return tuple(
        contract.Step(
            token=seen.labels[token],
            probability=round(chance, 4),
            rank=rank,
            candidates=tuple(
                contract.Candidate(token=seen.labels[one], probability=round(share, 4))
                for one, share in zip(tokens, shares, strict=True)
            ),
        )
        for token, chance, rank, shares, tokens in rows
    )
