"""Looking at taggers and classifiers: with a text they become a view of one sequence, and what is said of it.

Legend: N places, M what is labelled (words, or the whole), W width, Y labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from mirada import __version__
from mirada.attention.record import Look, joined, record
from mirada.data.inputs import Tokens
from mirada.data.labelled import LabelBatch, Labelled
from mirada.labeller import Classifier, Tagger
from mirada.models import labelling as models
from mirada.models.reading import EncoderReader, PatchReader
from mirada.tasks.labelling import states_of
from mirada.text.forms import forms_of
from mirada.text.labels import MISSING
from mirada.text.subwords import SPACE, Subwords
from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.lens import lens_of, tapped
from mirada.viewing.maps import NOTHING_TO_SEE, Side, maps_of, placed
from mirada.viewing.places import positions_of
from mirada.viewing.sequences import direction, require_short, require_words, sequence_of
from mirada.viewing.steps import said_of, steps_of

CLASS = "class"
WHOLE = contract.Sequence(labels=(CLASS,), words=(0,), marks={0: "class"})
_SIDES: dict[str, Side] = {"encoder": ("self", "read", "read"), "pooling": ("cross", CLASS, "read")}


def look_at_tags(tagger: Tagger, text: str, *, name: str = "") -> View:
    """What a tagger sees in the words of a text, and how it labels each."""
    words = forms_of(text)
    require_words(words)
    labelled = tagger.encoding.encode([words])
    require_short(int(labelled.inputs.lengths.sum()), tagger.config.longest, "the sentence")
    model = tagger.loaded.model
    seen = see(model, labelled.batch(np.arange(1), every=True), tagger.loaded.labels.names)
    sizes = np.ones(len(words), dtype=np.int64) if labelled.sizes is None else labelled.sizes
    firsts = (np.cumsum(sizes) - sizes).tolist()
    read = contract.Sequence(
        direction=direction(text),
        labels=_labels(labelled, tagger.loaded.subwords, words),
        words=tuple(np.repeat(np.arange(len(words)), sizes).tolist()),
    )
    said = seen.scores.argmax(-1).tolist()
    steps = steps_of(seen.scores, said, tagger.loaded.labels.names, firsts)
    return _view("tag", model, seen, read, name or "tagger", text).model_copy(update={"steps": steps})


def look_at_class(classifier: Classifier, text: str, *, name: str = "") -> View:
    """What a classifier sees in a text, and what it takes it for."""
    words = text.split()
    require_words(words)
    if classifier.loaded.subwords is None:
        raise ValueError("this model reads rows of numbers, and there is nothing to look at in them")
    if classifier.encoding.too_long(text):
        raise ValueError(f"the text is longer than the {classifier.config.longest:,} places of the model; shorten it")
    labelled = Labelled(classifier.encoding.encode([text]), np.full(1, MISSING, dtype=np.int64))
    require_short(int(labelled.inputs.lengths.sum()), classifier.config.longest, "the text")
    model, labels = classifier.loaded.model, classifier.loaded.labels.names
    seen = see(model, labelled.batch(np.arange(1)), labels)
    # A text is read after a begin mark.
    read = sequence_of(_labels(labelled, classifier.loaded.subwords, ["", *words]), text, {0: "begin"})
    return class_view(model, seen, labels, read, name or "classifier", text)


def class_view(
    model: models.Labeller, seen: Seen, labels: tuple[str, ...], read: contract.Sequence, name: str, text: str
) -> View:
    """The view of what has one label, with the likeliest ones."""
    steps = steps_of(seen.scores, seen.scores.argmax(-1).tolist(), labels)
    said = said_of(seen.scores[0], labels)
    return _view("classify", model, seen, read, name, text).model_copy(update={"steps": steps, "said": said})


def _labels(labelled: Labelled, subwords: Subwords | None, words: list[str]) -> tuple[str, ...]:
    """The places of a row as they are shown: subwords, or whole words where these are read as bags."""
    if isinstance(labelled.inputs, Tokens) and subwords is not None:
        return tuple(subwords.pieces[one] for one in labelled.inputs.ids.tolist())
    return tuple(f"{SPACE}{word}" for word in words)


@dataclass(frozen=True, eq=False)
class Seen:
    """What one pass over a text, or a picture, showed."""

    looks: list[Look]
    scores: Float[Tensor, "M Y"]
    lens: contract.Lens | None


def see(model: models.Labeller, batch: LabelBatch, labels: tuple[str, ...]) -> Seen:
    """A model once over a batch of one, with every attention recorded."""
    stack = model.reader.stack if isinstance(model.reader, EncoderReader | PatchReader) else None
    with torch.inference_mode(), record(model) as looks, tapped(stack) as layers:
        scores = model.output.scores(states_of(model, batch)).cpu()
    if not looks:
        raise ValueError(NOTHING_TO_SEE + "`mirada predict` labels with it")

    def speak(states: Float[Tensor, "1 N W"]) -> Float[Tensor, "M Y"]:
        return model.output.scores(_labelled_states(model, states, batch))

    return Seen(joined(looks), scores, lens_of(layers, stack, speak, labels))


def _labelled_states(model: models.Labeller, states: Float[Tensor, "1 N W"], batch: LabelBatch) -> Float[Tensor, "M W"]:
    """The states of what is labelled, from those of all places, as the model's head takes them."""
    if isinstance(model, models.Classifier):
        return model.pooling(states, batch.entered.padding)
    if not isinstance(model, models.Tagger) or batch.words is None:
        raise TypeError(f"{type(model).__name__} labels neither words nor the whole")
    words = batch.words
    return models.pool_words(states.flatten(0, 1), words.places, words.word, words.count, model.pooling)


def _view(
    task: contract.Task, model: models.Labeller, seen: Seen, read: contract.Sequence, name: str, text: str
) -> View:
    maps, patterns = maps_of(placed(seen.looks, _group), _SIDES)
    last = maps[-1]  # what was looked at last is what was said from
    return View(
        mirada=__version__,
        task=task,
        model=name,
        text=text,
        sequences={"read": read, **({CLASS: WHOLE} if any(one.queries == CLASS for one in maps) else {})},
        patterns=patterns,
        maps=maps,
        lens=seen.lens,
        positions=positions_of(model, [one.attention for one in seen.looks], len(read.labels)),
        start=contract.Start(group=last.group, layer=last.layer),
    )


def _group(name: str) -> str:
    return "pooling" if name.startswith("pooling") else "encoder"
