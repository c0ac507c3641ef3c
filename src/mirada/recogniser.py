"""The façade of classifiers of pictures: what each picture shows, and how sure that is.

Legend: B pictures, F frames, Y rows, X columns of pixels, C colours; M pictures that can be read, Y labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from jaxtyping import Float, UInt8

from mirada.corpora.pair import CorpusError, Fault
from mirada.corpora.pictures.fitting import fit
from mirada.corpora.pictures.picture import Found, Picture
from mirada.corpora.pictures.reading import read_many
from mirada.data.labelled import Labelled
from mirada.data.pictures import Pictures
from mirada.evaluation.labels import LabelScores, score_labels
from mirada.models.picture_folder import LoadedPictureClassifier, load
from mirada.tasks.labelling import predict
from mirada.text.labels import MISSING

AT_ONCE = 512  # pictures


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a picture shows, with the probability of every label; or why it cannot be told."""

    picture: str
    label: str = ""
    probability: float = 0.0
    probabilities: dict[str, float] | None = None
    fault: str | None = None

    def as_json(self) -> dict[str, object]:
        """The answer for programs."""
        if self.fault is not None or self.probabilities is None:
            return {"picture": self.picture, "label": None, "error": self.fault}
        rounded = {name: round(one, 6) for name, one in self.probabilities.items()}
        answer = {"label": self.label, "probability": round(self.probability, 6), "probabilities": rounded}
        return {"picture": self.picture, **answer}


@dataclass(frozen=True, eq=False)
class Recogniser:
    """A classifier of pictures that is ready to be used."""

    loaded: LoadedPictureClassifier

    @classmethod
    def load(cls, folder: Path | str) -> Recogniser:
        """The classifier of a folder."""
        return cls(load(Path(folder)))

    @property
    def labels(self) -> tuple[str, ...]:
        """What it can say."""
        return self.loaded.labels.names

    def recognise(self, paths: Sequence[Path]) -> Iterator[Recognised]:
        """What the pictures of files, folders or tables show, one after another."""
        for some, scores in self._scored(paths):
            rows = iter(np.exp(scores))
            for one in some:
                if isinstance(one, Fault):
                    yield Recognised(one.place.file, fault=one.reason)
                    continue
                row = next(rows)
                named = dict(zip(self.labels, row.tolist(), strict=True))
                yield Recognised(str(one.place), self.labels[int(row.argmax())], float(row.max()), named)

    def read(self, paths: Sequence[Path]) -> Iterator[Found]:
        """The pictures of files, folders or tables, as the model takes them."""
        return read_many(paths, self.loaded.config.values, self.loaded.config.shape.frames)

    def entered(self, pixels: UInt8[np.ndarray, "B F Y X C"]) -> Labelled:
        """Pictures of the model's shape as it reads them, without labels."""
        config = self.loaded.config
        pictures = Pictures(pixels, config.standard, config.model.places_of(config.shape))
        return Labelled(pictures, np.full(len(pixels), MISSING, dtype=np.int64))

    def score(self, paths: Sequence[Path]) -> tuple[LabelScores, list[Fault]]:
        """How well pictures are labelled whose labels are known, and what could not be read."""
        right, said, faults = list[str](), list[int](), list[Fault]()
        for some, scores in self._scored(paths):
            faults += [one for one in some if isinstance(one, Fault)]
            for one, best in zip((one for one in some if isinstance(one, Picture)), scores.argmax(1), strict=True):
                if one.label:
                    right.append(one.label)
                    said.append(int(best))
        if not right:
            raise CorpusError(f"{paths[0]} holds no picture with a label")
        numbers = np.array(self.loaded.labels.encode(right), dtype=np.int64)
        return score_labels(numbers, np.array(said, dtype=np.int64), self.labels), faults

    def _scored(self, paths: Sequence[Path]) -> Iterator[tuple[list[Found], Float[np.ndarray, "M Y"]]]:
        """Some pictures at a time, with the log-probabilities of those that can be read."""
        config, model = self.loaded.config, self.loaded.model
        waiting = self.read(paths)
        while some := list(islice(waiting, AT_ONCE)):
            fitted = [fit(one, config.shape) for one in some if isinstance(one, Picture)]
            pixels = np.stack(fitted) if fitted else np.zeros((0, *config.shape.array), dtype=np.uint8)
            yield some, predict(model, self.entered(pixels))
