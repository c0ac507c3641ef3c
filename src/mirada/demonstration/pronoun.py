"""Where "it" looks: which head of the encoder finds what a pronoun means.

"The animal didn't cross the street because it was too tired": the translation must know whether "it" is the animal
(cansado) or the street (cansada). Of all heads of the encoder, one usually looks from "it" at the right noun; which
one is found on some sentences, and how often it is right is counted on others.

Legend: L layers, H heads, N places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from mirada.attention.record import record
from mirada.corpora.demo import Reference
from mirada.corpora.pair import Pair
from mirada.models.folder import Loaded
from mirada.models.transformer import Transformer
from mirada.text.words import words_of_pieces


@dataclass(frozen=True, slots=True)
class HeadFound:
    """The head that finds antecedents best, both counted from 1, and how often it is right on other sentences."""

    layer: int
    head: int
    right: int
    total: int


@dataclass(frozen=True, slots=True)
class Gaze:
    """How much of a pronoun's look goes to each word of its sentence."""

    words: tuple[str, ...]
    weights: tuple[float, ...]


def looks_between_words(loaded: Loaded, text: str, place: int) -> Float[Tensor, "L H N"]:
    """How much each head of the encoder looks from the word at `place` at each word of the text."""
    model = loaded.model
    if not isinstance(model, Transformer):
        raise ValueError(
            "only the encoder of a Transformer looks at its own words; show one with model.kind = transformer"
        )
    ids = loaded.subwords.encode_many([text], end=True)[0]
    words = torch.tensor(words_of_pieces([loaded.subwords.pieces[one] for one in ids[:-1]]))
    with torch.inference_mode(), record(model.encoder) as looks:
        model.read(torch.tensor([ids]), None)
    weights = torch.stack([look.weights[0] for look in looks])[..., :-1]  # the end mark is no word
    rows = weights[:, :, torch.nonzero(words == place).flatten()].mean(2)
    count = int(words[-1]) + 1
    return torch.zeros(*rows.shape[:2], count).index_add(2, words, rows)


def find_head(loaded: Loaded, known: Sequence[tuple[Pair, Reference]]) -> HeadFound:
    """The best head on every second sentence, and its count on the others."""
    margins = torch.stack([_margin(loaded, pair, reference) for pair, reference in known])
    choosing, counting = margins[::2], margins[1::2]
    best = int((choosing > 0).float().mean(0).flatten().argmax())
    layer, head = divmod(best, margins.shape[2])
    return HeadFound(layer + 1, head + 1, int((counting[:, layer, head] > 0).sum()), len(counting))


def _margin(loaded: Loaded, pair: Pair, reference: Reference) -> Float[Tensor, "L H"]:
    """By how much each head prefers the antecedent to its rival."""
    looks = looks_between_words(loaded, pair.source, reference.pronoun)
    return looks[..., reference.antecedent] - looks[..., reference.rival]


def gaze(loaded: Loaded, pair: Pair, reference: Reference, found: HeadFound) -> Gaze:
    """Where the found head looks from the pronoun of a sentence."""
    looks = looks_between_words(loaded, pair.source, reference.pronoun)[found.layer - 1, found.head - 1]
    return Gaze(tuple(pair.source.split()), tuple(looks.tolist()))
