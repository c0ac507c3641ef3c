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
from torch.nn import functional

from mirada import __version__
from mirada.attention import Attention
from mirada.attention.record import Look, record
from mirada.decoding.observing import Step
from mirada.decoding.search import Search, padded
from mirada.models.words import write_word
from mirada.text.subwords import BEGIN, END
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
    source = translator.loaded.subwords.encode_many([text], end=True)[0]
    _require_short(len(source), translator.longest, "the sentence")
    steps: list[Step] = []
    (said,) = translator.translate_with([text], Search(beam=beam), observer=steps.append)
    own = _ids(translator, said.tokens)
    forced = own if reference is None else _reference_ids(translator, reference)
    seen = _see(translator, source, forced)
    return _view(translator, said, reference, seen, name).model_copy(
        update={"tree": grow(steps, own, translator.loaded.subwords.pieces)}
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """What one pass over source and target showed."""

    source: list[int]  # with the end mark
    target: list[int]  # without it
    looks: list[Look]  # one for each attention, in order, with the weights of all queries
    scores: Float[Tensor, "N T"]  # log-probabilities at each place of the target and for the end mark


def _require_short(tokens: int, longest: int, what: str) -> None:
    most = min(longest, MOST_TOKENS)
    if tokens > most:
        raise ValueError(f"{what} has {tokens:,} tokens, and {most:,} can be looked at; give a shorter one")


def _ids(translator: Translator, tokens: Sequence[str]) -> list[int]:
    numbers = {piece: number for number, piece in enumerate(translator.loaded.subwords.pieces)}
    return [numbers[token] for token in tokens]


def _reference_ids(translator: Translator, reference: str) -> list[int]:
    ids = translator.loaded.subwords.encode(" ".join(reference.split()))
    if not ids:
        raise ValueError("the reference is empty; give a translation, or none")
    _require_short(len(ids) + 1, translator.places or MOST_TOKENS, "the reference")
    return ids


def _see(translator: Translator, source: list[int], target: list[int]) -> _Seen:
    """The model once over the sentence and its translation, with every attention recorded."""
    model = translator.loaded.model
    read, read_padding = padded([source], translator.device)
    entered, entered_padding = padded([[BEGIN, *target]], translator.device)
    with torch.inference_mode(), record(model) as looks:
        states = model(read, read_padding, entered, entered_padding)
        scores = model.output.scores(states[0])
    return _Seen(source, target, _joined(looks), scores)


def _joined(looks: Sequence[Look]) -> list[Look]:
    """One look for each attention; where a decoder looks step by step, its steps are put together."""
    by_name: dict[str, list[Look]] = {}
    for one in looks:
        by_name.setdefault(one.name, []).append(one)
    joined = []
    for name, steps in by_name.items():
        widest = max(step.weights.shape[-1] for step in steps)
        rows = [functional.pad(step.weights, (0, widest - step.weights.shape[-1])) for step in steps]
        joined.append(Look(name, steps[0].attention, torch.cat(rows, 2), steps[0].plan))
    return joined


def _view(translator: Translator, said: Translation, reference: str | None, seen: _Seen, name: str) -> View:
    groups = _grouped(seen.looks)
    patterns: list[contract.Pattern] = []
    maps = tuple(_map(one, group, layer, patterns) for one, group, layer in groups)
    alignment = _alignment(translator, seen, groups)
    start = contract.Start(group=maps[0].group, layer=0)
    if alignment is not None:
        start = contract.Start(group=alignment.group, layer=alignment.layer)
    places = max(len(seen.source), len(seen.target) + 1)
    return View(
        mirada=__version__,
        model=name or f"{translator.source} → {translator.target}",
        text=said.source,
        translation=said.text,
        reference=reference,
        score=round(said.score, 4) if np.isfinite(said.score) else None,
        flags=tuple(flag.value for flag in said.flags),
        sequences=_sequences(translator, said, reference, seen),
        patterns=tuple(patterns),
        maps=maps,
        alignment=alignment,
        steps=_steps(seen, translator.loaded.subwords.pieces),
        positions=positions_of(translator.loaded.model, [one.attention for one in seen.looks], places),
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


def _alignment(
    translator: Translator, seen: _Seen, groups: Sequence[tuple[Look, str, int]]
) -> contract.Alignment | None:
    """For each token the source token that the aligning layer looked at most, as the translator aligns."""
    aligning = translator.aligning()
    found = next(((one, layer) for one, _, layer in groups if one.attention is aligning), None)
    if found is None or not seen.target:
        return None
    # The end mark is where a head looks that has nothing to look for, so it is no one's source.
    weights = found[0].weights[0].mean(0)[: len(seen.target), : max(1, len(seen.source) - 1)]
    most, places = weights.max(-1)
    links = tuple(
        contract.Link(source=place, target=target, weight=round(weight, 4))
        for target, (place, weight) in enumerate(zip(places.tolist(), most.tolist(), strict=True))
    )
    return contract.Alignment(layer=found[1], links=links)


def _sequences(
    translator: Translator, said: Translation, reference: str | None, seen: _Seen
) -> dict[str, contract.Sequence]:
    pieces = translator.loaded.subwords.pieces
    source, target = ([pieces[one] for one in ids] for ids in (seen.source[:-1], seen.target))
    written = said.text if reference is None else reference
    return {
        "source": _sequence(source, translator.source, said.source, after=pieces[END]),
        "read": _sequence(target, translator.target, written, before=pieces[BEGIN]),
        "written": _sequence(target, translator.target, written, after=pieces[END]),
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


def _steps(seen: _Seen, pieces: Sequence[str]) -> tuple[contract.Step, ...]:
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
            token=pieces[token],
            probability=round(chance, 4),
            rank=rank,
            candidates=tuple(
                contract.Candidate(token=pieces[one], probability=round(share, 4))
                for one, share in zip(tokens, shares, strict=True)
            ),
        )
        for token, chance, rank, shares, tokens in rows
    )
