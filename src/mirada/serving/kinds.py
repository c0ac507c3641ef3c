"""The kinds of models that are served beside translators, each a façade behind the same few questions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mirada.attention import Attention
from mirada.decoding.options import Search
from mirada.filler import Filler, gaps_in
from mirada.generator import Generator
from mirada.labeller import Classifier, Tagger
from mirada.models.folder import FolderError, task_of
from mirada.models.picture_folder import reads_pictures
from mirada.serving.messages import ClassifiedText, FilledText, TaggedText, WrittenText
from mirada.serving.served import Predictor, Served, Writer
from mirada.text.forms import forms_of
from mirada.text.units import encode_text
from mirada.viewing import labelling, language, masked
from mirada.viewing.contract import View
from mirada.viewing.sequences import require_no_reference

SERVED = "translators, language models, masked models, and taggers and classifiers of text are served"


class _Alone(Served):
    """A model that reads a text by itself: nobody makes it say another."""

    @property
    @abstractmethod
    def model(self) -> object:
        """What computes."""

    @abstractmethod
    def see(self, text: str) -> View:
        """What it sees at a text."""

    @property
    def attention(self) -> bool:
        modules = getattr(self.model, "modules", None)  # counts have none
        return modules is not None and any(isinstance(one, Attention) for one in modules())

    def look(self, text: str, reference: str | None, beam: int) -> View:
        require_no_reference(reference)
        return self.see(text)


@dataclass(frozen=True, eq=False)
class ServedGenerator(_Alone, Writer):
    """A language model."""

    generator: Generator

    @property
    def model(self) -> object:
        return self.generator.loaded.model

    def count_tokens(self, texts: Sequence[str]) -> int:
        return sum(len(encode_text(self.generator.loaded.units, text)) for text in texts)

    def see(self, text: str) -> View:
        return language.look(self.generator, text, name=self.name)

    def write(self, prompt: str, seeds: Sequence[int], length: int, search: Search) -> list[WrittenText]:
        return [
            WrittenText.model_validate(one.as_json()) for one in self.generator.write(prompt, seeds, length, search)
        ]


@dataclass(frozen=True, eq=False)
class ServedFiller(_Alone, Predictor):
    """A masked model."""

    task = "mlm"
    what = "masked model"

    filler: Filler

    @property
    def model(self) -> object:
        return self.filler.model

    def count_tokens(self, texts: Sequence[str]) -> int:
        return sum(map(len, self.filler.subwords.encode_many(texts)))

    def see(self, text: str) -> View:
        return masked.look(self.filler, text, name=self.name)

    def count_gaps(self, texts: Sequence[str]) -> int:
        return sum(map(gaps_in, texts))

    def predict(self, texts: Sequence[str], count: int) -> list[FilledText]:
        return [FilledText.model_validate(self.filler.fill(text, count).as_json()) for text in texts]


@dataclass(frozen=True, eq=False)
class _ServedLabeller(_Alone, Predictor):
    """A model that labels."""

    labeller: Tagger | Classifier

    @property
    def model(self) -> object:
        return self.labeller.loaded.model

    def count_tokens(self, texts: Sequence[str]) -> int:
        subwords = self.labeller.loaded.subwords
        return 0 if subwords is None else sum(map(len, subwords.encode_many(texts)))


@dataclass(frozen=True, eq=False)
class ServedTagger(_ServedLabeller):
    """A tagger: words and marks are labelled each by itself."""

    task = "tag"
    what = "tagger"

    labeller: Tagger

    def see(self, text: str) -> View:
        return labelling.look_at_tags(self.labeller, text, name=self.name)

    def predict(self, texts: Sequence[str], count: int) -> list[TaggedText]:
        return [
            TaggedText.model_validate(one.as_json()) for one in self.labeller.tag([forms_of(text) for text in texts])
        ]


@dataclass(frozen=True, eq=False)
class ServedClassifier(_ServedLabeller):
    """A classifier of texts."""

    task = "classify"
    what = "classifier"

    labeller: Classifier

    def see(self, text: str) -> View:
        return labelling.look_at_class(self.labeller, text, name=self.name)

    def predict(self, texts: Sequence[str], count: int) -> list[ClassifiedText]:
        return [ClassifiedText.model_validate(one.as_json()) for one in self.labeller.classify(texts)]


def open_kind(name: str, folder: Path) -> Served | None:
    """The model of a folder, if it is no translator; what is not served is told so."""
    task = task_of(folder)
    if task == "translation":
        return None
    if task not in KINDS:
        raise FolderError(f"{folder} holds a model for {task}; {SERVED}")
    return KINDS[task](name, folder)


def _language(name: str, folder: Path) -> Served:
    generator = Generator.load(folder)
    if generator.loaded.config.units == "events":
        raise FolderError(f"{folder} writes music, for which there is `mirada generate`; {SERVED}")
    return ServedGenerator(name, generator)


def _tagger(name: str, folder: Path) -> Served:
    tagger = Tagger.load(folder)
    if tagger.config.graph == "tree":
        raise FolderError(f"{folder} looks along trees, which texts do not have; {SERVED}")
    return ServedTagger(name, tagger)


def _classifier(name: str, folder: Path) -> Served:
    if reads_pictures(folder):
        raise FolderError(f"{folder} reads pictures, for which there is `mirada predict`; {SERVED}")
    classifier = Classifier.load(folder)
    if classifier.config.features:
        raise FolderError(f"{folder} reads rows of numbers, for which there is `mirada predict`; {SERVED}")
    return ServedClassifier(name, classifier)


# Each task has a line here.
KINDS: Mapping[str, Callable[[str, Path], Served]] = {
    "lm": _language,
    "mlm": lambda name, folder: ServedFiller(name, Filler.load(folder)),
    "tag": _tagger,
    "classify": _classifier,
}
