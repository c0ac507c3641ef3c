"""The façade of captioners: says what pictures show, in the languages that it has learnt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from mirada.corpora.languages import best
from mirada.corpora.pair import CorpusError, Fault
from mirada.corpora.pictures.fitting import fit
from mirada.corpora.pictures.picture import Picture
from mirada.corpora.pictures.reading import read_many
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.options import Search
from mirada.evaluation.captions import LanguageScore, Said, score_captions
from mirada.models.caption_folder import LoadedCaptioner, load
from mirada.tasks.captioning import AT_ONCE, describe
from mirada.training.caption_preparing import parts_of
from mirada.training.captioning import captions_of_nearest

SCORED_AT_ONCE = 256  # pictures, whose nearest ones are looked for together


@dataclass(frozen=True, slots=True)
class Description:
    """What a picture shows, or why it cannot be told."""

    picture: str
    language: str
    text: str
    log_probability: float = 0.0
    fault: str | None = None

    def as_json(self) -> dict[str, object]:
        """The description for programs."""
        told: dict[str, object] = {"picture": self.picture, "language": self.language}
        if self.fault is not None:
            return told | {"error": self.fault}
        return told | {"text": self.text, "log_probability": round(self.log_probability, 4)}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of all captions of some pictures, by language."""

    languages: tuple[LanguageScore, ...]
    pictures: int
    faults: int  # pictures that could not be read

    def as_json(self) -> dict[str, object]:
        """The evaluation for programs."""
        scores = {one.language or "all": one.model_dump(exclude={"language"}) for one in self.languages}
        return {"pictures": self.pictures, "faults": self.faults, "languages": scores}


@dataclass(frozen=True, eq=False)
class Describer:
    """A captioner that is ready to describe."""

    loaded: LoadedCaptioner

    folder: Path

    @classmethod
    def load(cls, folder: Path | str) -> Describer:
        """The captioner of a folder."""
        return cls(load(Path(folder)), Path(folder))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it writes."""
        return self.loaded.config.languages

    def language_for(self, asked: str | None) -> str:
        """The language that serves one that was asked for; the first of its own where none was."""
        if asked is None:
            return self.languages[0]
        found = [asked] if asked in self.languages else best(asked, [one for one in self.languages if one])
        if not found:
            raise ValueError(f"language = {asked!r}; this model writes {', '.join(self.languages) or 'one alone'}")
        return found[0]

    def read(self, paths: Sequence[Path]) -> Iterator[Picture | Fault]:
        """The pictures of files, folders or tables, as the model takes them."""
        return read_many(paths, self.loaded.config.values, self.loaded.config.shape.frames)

    def describe(self, paths: Sequence[Path], language: str | None = None, beam: int = 5) -> Iterator[Description]:
        """What the pictures show, one after another; a file that is no picture has its fault."""
        chosen = self.language_for(language)
        waiting = self.read(paths)
        while some := list(islice(waiting, self._at_once(beam))):
            pictures = [one for one in some if isinstance(one, Picture)]
            texts = iter(self.write(pictures, [chosen] * len(pictures), beam))
            for one in some:
                if isinstance(one, Fault):
                    yield Description(str(one.place.file), chosen, "", fault=one.reason)
                else:
                    text, log_probability = next(texts)
                    yield Description(str(one.place), chosen, text, log_probability)

    def write(self, pictures: Sequence[Picture], languages: Sequence[str], beam: int = 5) -> list[tuple[str, float]]:
        """The caption of each picture in its language, with its log-probability."""
        loaded, found = self.loaded, list[Hypothesis]()
        config, count = loaded.config, self._at_once(beam)
        for start in range(0, len(pictures), count):
            some = slice(start, start + count)
            pixels = np.stack([fit(one, config.shape) for one in pictures[some]])
            marks = [loaded.tags[language] for language in languages[some]]
            entered, search = torch.from_numpy(config.standard.apply(pixels)), Search(beam=beam)
            found += describe(loaded.model, entered, range(len(pixels)), marks, search, config.longest)
        texts = loaded.subwords.decode_many([one.tokens for one in found])
        return [(text, one.log_probability) for text, one in zip(texts, found, strict=True)]

    def _at_once(self, beam: int) -> int:
        """How many pictures are described together."""
        config = self.loaded.config
        return max(1, AT_ONCE // (config.model.reader.places_of(config.shape) * beam))

    def score(self, paths: Sequence[Path], beam: int = 5) -> Evaluation:
        """How good the captions of pictures are whose tables say what people would have said of them."""
        said: list[Said] = []
        faults = pictures = 0
        waiting = self.read(paths)
        while some := list(islice(waiting, SCORED_AT_ONCE)):
            found = [one for one in some if isinstance(one, Picture) and set(one.texts) & set(self.languages)]
            faults += sum(isinstance(one, Fault) for one in some)
            pictures += len(found)
            said += self._said(found, beam)
        if not said:
            told = ", ".join(self.languages)
            raise CorpusError(f"{paths[0]} holds no picture with a caption that this model could write ({told})")
        return Evaluation(score_captions(said), pictures, faults)

    def _said(self, pictures: Sequence[Picture], beam: int) -> list[Said]:
        nearest = self._nearest(pictures)
        asked = [
            (number, language)
            for number, one in enumerate(pictures)
            for language in one.texts
            if language in self.languages
        ]
        texts = self.write([pictures[number] for number, _ in asked], [language for _, language in asked], beam)
        return [
            Said(
                language,
                text,
                " ".join(pictures[number].texts[language].split()),
                None if nearest is None else nearest[number].get(language, ""),
            )
            for (number, language), (text, _) in zip(asked, texts, strict=True)
        ]

    def _nearest(self, pictures: Sequence[Picture]) -> list[dict[str, str]] | None:
        """What was said of the nearest training pictures, where the model's folder still holds them."""
        if not pictures:
            return None
        try:
            train = parts_of(self.folder)["train"]
            return captions_of_nearest(train, np.stack([fit(one, self.loaded.config.shape) for one in pictures]))
        except (OSError, CorpusError):
            return None
