"""The façades of taggers and classifiers: labels for words, texts and rows of numbers, with how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.conllu import NOTHING, Sentence
from mirada.corpora.examples import Entered, Example
from mirada.data.encoding import Encoding, WordEncoding, encoding_of
from mirada.data.labelled import Labelled
from mirada.evaluation.labels import LabelScores, score_labels
from mirada.models.folder import FolderError
from mirada.models.labelling_folder import (
    LARGEST_WORDS,
    WORDS,
    ClassifierFolderConfig,
    LoadedLabeller,
    TaggerFolderConfig,
    load,
)
from mirada.tasks.labelling import predict
from mirada.text.labels import MISSING


@dataclass(frozen=True, slots=True)
class Tagged:
    """A sentence with the label of each word and the probability that the model gives it."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    parts: int = 1  # in which it was read, where it is longer than the model reads at once

    def as_json(self) -> dict[str, object]:
        """The sentence for programs."""
        return {
            "words": list(self.words),
            "labels": list(self.labels),
            "probabilities": [round(one, 6) for one in self.probabilities],
            "parts": self.parts,
        }


@dataclass(frozen=True, slots=True)
class Classified:
    """What something is, with the probability of every label."""

    label: str
    probability: float
    probabilities: dict[str, float]
    cut: bool = False  # whether the end of a long text was not read

    def as_json(self) -> dict[str, object]:
        """The answer for programs."""
        rounded = {name: round(one, 6) for name, one in self.probabilities.items()}
        return {
            "label": self.label,
            "probability": round(self.probability, 6),
            "probabilities": rounded,
            "cut": self.cut,
        }


@dataclass(frozen=True, eq=False)
class Tagger:
    """A tagger that is ready to be used."""

    folder: Path
    loaded: LoadedLabeller
    config: TaggerFolderConfig

    @classmethod
    def load(cls, folder: Path | str) -> Tagger:
        """The tagger of a folder."""
        loaded = load(Path(folder))
        if not isinstance(loaded.config, TaggerFolderConfig):
            raise FolderError(f"{folder} holds a classifier, which labels whole texts; a tagger is needed here")
        return cls(Path(folder), loaded, loaded.config)

    @cached_property
    def encoding(self) -> WordEncoding:
        """How words enter."""
        if self.loaded.subwords is None:
            raise FolderError(f"{self.folder} reads no text, so it can tag none")
        tree = self.config.graph == "tree"
        return WordEncoding(self.loaded.subwords, _spelling(self.loaded), self.config.longest, tree)

    @cached_property
    def known(self) -> frozenset[str] | None:
        """The words that it was trained on, where the folder tells."""
        path = self.folder / WORDS
        if not path.is_file() or path.stat().st_size > LARGEST_WORDS:
            return None
        return frozenset(path.read_text(encoding="utf-8").split("\n"))

    def tag(self, sentences: Sequence[Sequence[str]], heads: Sequence[Sequence[int]] | None = None) -> list[Tagged]:
        """The labels of the words of these sentences; a tagger that looks along trees needs the heads of the words."""
        scores = predict(self.loaded.model, self.encoding.encode(sentences, None, heads))
        best = scores.argmax(1)
        likely = np.exp(scores[np.arange(len(best)), best])
        found, first = [], 0
        for words in sentences:
            part = slice(first, first + len(words))
            labels = tuple(self.loaded.labels.names[number] for number in best[part])
            found.append(Tagged(tuple(words), labels, tuple(likely[part].tolist()), self.encoding.parts_of(words)))
            first += len(words)
        return found

    def score(self, sentences: Sequence[Sentence], column: int) -> LabelScores:
        """How well the words of a treebank are labelled; known and unknown ones apart."""
        forms = [sentence.forms for sentence in sentences]
        nothing = NOTHING if NOTHING in self.loaded.labels.numbers else None
        right = [
            [nothing if value == NOTHING else value for value in sentence.column(column)] for sentence in sentences
        ]
        heads = [sentence.heads for sentence in sentences]
        labelled = self.encoding.encode(forms, [self.loaded.labels.encode(row) for row in right], heads)
        words = np.array([word for row in forms for word in row], dtype=object)
        asked = np.flatnonzero(labelled.labels != MISSING)
        said = predict(self.loaded.model, labelled)[asked].argmax(1)
        return score_labels(labelled.labels[asked], said, self.loaded.labels.names, self._apart(words[asked]))

    def _apart(self, words: NDArray[Any]) -> list[tuple[str, NDArray[np.bool_]]]:
        if self.known is None:
            return []
        met = np.array([word in self.known for word in words], dtype=np.bool_)
        return [("known words", met), ("unknown words", ~met)]


@dataclass(frozen=True, eq=False)
class Classifier:
    """A classifier that is ready to be used."""

    folder: Path
    loaded: LoadedLabeller
    config: ClassifierFolderConfig

    @classmethod
    def load(cls, folder: Path | str) -> Classifier:
        """The classifier of a folder."""
        loaded = load(Path(folder))
        if not isinstance(loaded.config, ClassifierFolderConfig):
            raise FolderError(f"{folder} holds a tagger, which labels words; a classifier is needed here")
        return cls(Path(folder), loaded, loaded.config)

    @cached_property
    def encoding(self) -> Encoding[Any]:
        """How things enter."""
        config = self.config
        return encoding_of(self.loaded.subwords, _spelling(self.loaded), config.longest, config.features)

    def classify(self, given: Sequence[Entered]) -> list[Classified]:
        """What each text or row of numbers is."""
        if not given:
            return []
        labelled = Labelled(self.encoding.encode(given), np.full(len(given), MISSING, dtype=np.int64))
        likely = np.exp(predict(self.loaded.model, labelled))
        names = self.loaded.labels.names
        return [
            Classified(
                names[int(row.argmax())],
                float(row.max()),
                dict(zip(names, row.tolist(), strict=True)),
                self.encoding.too_long(one),
            )
            for row, one in zip(likely, given, strict=True)
        ]

    def score(self, examples: Sequence[Example]) -> LabelScores:
        """How well examples are labelled."""
        right = np.array(self.loaded.labels.encode(one.label for one in examples), dtype=np.int64)
        labelled = Labelled(self.encoding.encode([one.entered for one in examples]), right)
        said = predict(self.loaded.model, labelled).argmax(1)
        return score_labels(right, said, self.loaded.labels.names)


def _spelling(loaded: LoadedLabeller) -> int:
    """The rows of the reader's table of spellings; 0 where it has none."""
    return int(getattr(loaded.config.model, "spelling", 0))
