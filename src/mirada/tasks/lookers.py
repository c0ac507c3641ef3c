"""From a model's folder to a looker: how each family reads a text, with its own marks around it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from mirada.corpora.treebank import Words
from mirada.layers.bag import BagEmbedding
from mirada.models import folder as translation_folder
from mirada.models import labelling_folder, language_folder, text_folders
from mirada.models.build import build
from mirada.models.config import NgramConfig
from mirada.models.folder import task_of
from mirada.models.labelling_config import build_labeller
from mirada.models.language import CausalTransformer
from mirada.models.masked import MaskedModel
from mirada.models.reading import EncoderReader
from mirada.models.text_folders import MaskedFolderConfig, build_masked
from mirada.models.transformer import Transformer
from mirada.tasks.looked import Looker, Row
from mirada.text.characters import Characters
from mirada.text.marks import CLASS, SEPARATOR
from mirada.text.normalise import normalise
from mirada.text.spans import NOBODY, piece_sizes, size_of, words_at
from mirada.text.subwords import BEGIN, END, UNKNOWN, Subwords
from mirada.text.units import SubwordLines, Units

SEED = 1  # of untrained weights
NO_LOOKS = "this model has no self-attention, so no head of it can be probed; use a transformer, a GPT or a BERT"


def looker_of(folder: Path, *, untrained: bool = False) -> Looker:
    """The model of a folder, ready to be probed; untrained: with fresh weights in the same shape."""
    match task_of(folder):
        case "lm":
            return _language(folder, untrained)
        case "mlm":
            return _masked(folder, untrained)
        case "tag" | "classify" as task:
            return _labeller(folder, task, untrained)
        case _:  # who is no translator is told so when it is loaded
            return _translator(folder, untrained)


def _translator(folder: Path, untrained: bool) -> Looker:
    loaded = translation_folder.load(folder)
    model = build(loaded.config.model, loaded.config.vocabulary, SEED).eval() if untrained else loaded.model
    if not isinstance(model, Transformer):
        raise ValueError(NO_LOOKS)
    longest = loaded.config.model.places or loaded.config.longest
    encode = in_subwords(loaded.subwords, after=[END])
    return Looker(model.encoder, model.read, encode, longest, False, _device(model))


def _language(folder: Path, untrained: bool) -> Looker:
    loaded = language_folder.load(folder)
    model, config = loaded.model, loaded.config
    if untrained and not isinstance(config.model, NgramConfig):
        model = build(config.model, config.vocabulary, SEED).eval()
    if not isinstance(model, CausalTransformer):
        raise ValueError(NO_LOOKS)
    return Looker(
        model.stack, lambda ids, padding: model(ids), _in_units(loaded.units), model.context, True, _device(model)
    )


def _masked(folder: Path, untrained: bool) -> Looker:
    loaded = text_folders.load(folder)
    model, config = loaded.model, loaded.config
    if not isinstance(config, MaskedFolderConfig) or not isinstance(model, MaskedModel):
        raise ValueError(NO_LOOKS)
    if untrained:
        follows = config.next_sentence
        model = build_masked(config.model, config.vocabulary, next_sentence=follows, seed=SEED).eval()
    encode = in_subwords(loaded.subwords, before=[CLASS], after=[SEPARATOR])
    return Looker(model.reader.stack, model.reader, encode, config.longest, False, _device(model))


def _labeller(folder: Path, task: str, untrained: bool) -> Looker:
    """A tagger reads each word by itself, a classifier a text after a begin mark."""
    loaded = labelling_folder.load(folder)
    model, config = loaded.model, loaded.config
    if untrained:
        model = build_labeller(config.model, config.head, config.size, len(config.labels), SEED).eval()
    reader = model.reader
    if not isinstance(reader, EncoderReader) or loaded.subwords is None:
        raise ValueError(NO_LOOKS)
    if isinstance(reader.embedding, BagEmbedding):
        raise ValueError("this model reads words as bags, which are probed by no one yet; use one of subwords")
    encode = _word_by_word(loaded.subwords) if task == "tag" else in_subwords(loaded.subwords, before=[BEGIN])
    return Looker(reader.stack, reader, encode, config.longest, False, _device(model))


def _word_by_word(subwords: Subwords) -> Callable[[Words], Row | None]:
    def encode(words: Words) -> Row:
        pieces = [one or [UNKNOWN] for one in subwords.encode_many(words.forms)]
        return Row(
            [one for word in pieces for one in word], [number for number, word in enumerate(pieces) for _ in word]
        )

    return encode


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def _in_units(units: Units) -> Callable[[Words], Row | None]:
    """How a language model reads: as if a line had just ended."""
    match units:
        case SubwordLines():
            return in_subwords(units.subwords, before=[units.line_end])
        case Characters():
            return lambda words: _in_characters(units, words)
        case _:
            raise TypeError(f"{type(units).__name__} are units that words cannot be found in")


def in_subwords(
    subwords: Subwords, before: list[int] | None = None, after: list[int] | None = None
) -> Callable[[Words], Row | None]:
    """How a model reads subwords, with these marks around the text."""
    sizes = piece_sizes(subwords)
    begin, end = before or [], after or []

    def encode(words: Words) -> Row | None:
        clean = Words(tuple(map(normalise, words.forms)), words.spaced)
        ids = subwords.encode(clean.text)
        found = words_at(sizes[ids].tolist(), [size_of(form) for form in clean.forms])
        return None if found is None else Row([*begin, *ids, *end], [NOBODY] * len(begin) + found + [NOBODY] * len(end))

    return encode


def _in_characters(units: Characters, words: Words) -> Row | None:
    ids = units.encode([words.text])[:-1].tolist()
    sizes = [0 if character.isspace() else 1 for character in words.text]
    found = words_at(sizes, [len("".join(form.split())) for form in words.forms]) if len(ids) == len(sizes) else None
    return None if found is None else Row([units.line_end, *ids], [NOBODY, *found])
