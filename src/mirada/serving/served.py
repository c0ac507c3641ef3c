"""Served models, by what they are asked for: those that translate, those that write, those that say what they see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mirada.decoding.options import Search
from mirada.serving.messages import Prediction, ServedTask, WrittenText
from mirada.translator import Translator
from mirada.viewing.contract import View


@dataclass(frozen=True, eq=False)
class Served(ABC):
    """A model with the name that clients know it by: that of its folder, never its path."""

    name: str
    task: ClassVar[ServedTask]
    what: ClassVar[str]  # it is, in words
    address: ClassVar[str]  # where it is asked
    unseen: ClassVar[str] = "has no attention to look at"  # what is said of it where that is so

    @property
    def source(self) -> str | None:
        """The language that a translator reads."""
        return None

    @property
    def target(self) -> str | None:
        """The language that a translator writes."""
        return None

    @property
    def told(self) -> str:
        """What it does, in words."""
        return self.what

    @property
    def engine(self) -> str:
        """What computes."""
        return "torch"

    @property
    @abstractmethod
    def attention(self) -> bool:
        """Whether there is something to look into."""

    @abstractmethod
    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens texts have together."""

    @abstractmethod
    def look(self, text: str, reference: str | None, beam: int) -> View:
        """What it sees at a text; a translator may be made to say a reference."""


@dataclass(frozen=True, eq=False)
class ServedTranslator(Served):
    """A translator."""

    task = "translation"
    what = "translator"
    address = "/translate"
    unseen = "is an exported model, which cannot be looked into; serve its own folder"

    translator: Translator
    exported: bool  # then there is nothing to look into

    @property
    def source(self) -> str:
        return self.translator.source

    @property
    def target(self) -> str:
        return self.translator.target

    @property
    def told(self) -> str:
        return f"{self.source} → {self.target}"

    @property
    def engine(self) -> str:
        return self._engine

    @cached_property
    def _engine(self) -> str:
        return self.translator.engine_for(Search()).engine.name

    @property
    def attention(self) -> bool:
        return not self.exported

    def count_tokens(self, texts: Sequence[str]) -> int:
        return sum(map(len, self.translator.subwords.encode_many(texts)))

    def look(self, text: str, reference: str | None, beam: int) -> View:
        from mirada.viewing.translation import look  # with torch, which an exported model does without

        return look(self.translator, text, reference=reference, beam=beam, name=self.name)


class Writer(Served):
    """A model that goes on with a text."""

    task = "lm"
    what = "language model"
    address = "/generate"

    @abstractmethod
    def write(self, prompt: str, seeds: Sequence[int], length: int, search: Search) -> list[WrittenText]:
        """A text for each seed, so many tokens longer than the prompt."""


class Predictor(Served):
    """A model that says what it sees in texts."""

    what = "masked model, tagger or classifier"
    address = "/predict"

    @abstractmethod
    def predict(self, texts: Sequence[str], count: int) -> Sequence[Prediction]:
        """What it says of each text; where it fills gaps, with so many candidates for each."""

    def count_gaps(self, texts: Sequence[str]) -> int:
        """How many gaps of texts it would fill."""
        return 0
