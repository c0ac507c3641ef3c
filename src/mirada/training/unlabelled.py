"""Learning from text that nobody labelled, as a run sees it: what masked models and ELMo have in common.

A family turns files and settings into a subject; a subject lays sentences in rows, and its model learns from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import nn

from mirada.corpora.documents import build_lines
from mirada.data.rows import Gathered, Lines, RowBatches, held_out
from mirada.data.stream import AnyBatch
from mirada.evaluation.reading import BothScore, MaskedScore
from mirada.models import reading_presets, text_folders
from mirada.models.folder import MetricRecord
from mirada.models.text_folders import AnyTextFolderConfig, LoadedText
from mirada.tasks.task import Task
from mirada.text.subwords import Subwords
from mirada.text.units import SubwordLines
from mirada.training import curves
from mirada.training.asked import Asked
from mirada.training.best import take_best
from mirada.training.checkpoint import Progress
from mirada.training.forcing import TeacherForcing
from mirada.training.language_preparing import Given, PreparedText, prepare_text
from mirada.training.masked_config import ElmoRunConfig, MaskedRunConfig
from mirada.training.preparing import Say
from mirada.training.record import RunRecord
from mirada.training.result import ReadTextResult
from mirada.training.settings import ConfigError
from mirada.training.subject import Learner, Ready
from mirada.training.unlabelled_card import write_card

VALIDATION_COST = 0.4  # of the time that training on as many tokens takes: no backward pass
TEST_COST = 0.6  # the same in float32, for each time that the text is read
TEST_TOKENS = 100_000  # at most, for the score at the end
AT_ONCE = 8_192  # tokens of a batch that is scored

AnyTextModel = TypeVar("AnyTextModel", bound=nn.Module)
AnyTextRunConfig = TypeVar("AnyTextRunConfig", MaskedRunConfig, ElmoRunConfig)


@dataclass(frozen=True, eq=False)
class TextFamily(Asked, ABC, Generic[AnyTextRunConfig]):
    """A model that was asked for, which learns from text alone."""

    task = ""  # what a folder calls it

    @property
    def presets(self) -> tuple[str, ...]:
        """The sizes of models that are chosen by the data."""
        return tuple(reading_presets.SIZES)

    @cached_property
    def loaded(self) -> LoadedText | None:
        """The trained model that the run begins from."""
        return None if self.start is None else text_folders.load(self.start)

    @property
    def started(self) -> nn.Module | None:
        """The trained model itself."""
        return None if self.loaded is None else self.loaded.model

    @abstractmethod
    def config(self, preset: str) -> AnyTextRunConfig:
        """The whole config of a run that begins with this preset."""

    @abstractmethod
    def subject(self, preset: str, prepared: PreparedText) -> TextSubject[Any, Any, Any]:
        """The run with this preset."""

    def prepare(self, preset: str, say: Say) -> Ready:
        """The text, made ready now or earlier."""
        given = None if self.loaded is None else Given("subwords", SubwordLines(self.loaded.subwords))
        prepared = prepare_text(self.output, self.files, self.config(preset).data, given, say, build_lines)
        suited = reading_presets.suited(prepared.facts.tokens["train"])
        return Ready(suited, lambda name: self.subject(name, prepared))

    def require_same_task(self) -> None:
        """Refuse to begin from a model that learnt something else."""
        if self.loaded is not None and self.loaded.config.task != self.task:
            raise ConfigError(
                f"--start {self.start} was trained with --task {self.loaded.config.task}, not with --task "
                f"{self.task}; name a folder of the same task"
            )


def known_preset(name: str) -> reading_presets.ReadingPreset:
    """The preset of this name."""
    if name not in reading_presets.READING:
        raise ConfigError(f"--preset {name} is not known; use {', '.join(reading_presets.READING)}")
    return reading_presets.READING[name]


@dataclass(frozen=True, eq=False)
class TextSubject(ABC, Generic[AnyTextRunConfig, AnyTextModel, AnyBatch]):
    """A model that learns from text alone, with its text and its config."""

    folder: Path
    config: AnyTextRunConfig
    prepared: PreparedText
    begun_from: AnyTextModel | None

    pairs = False  # whether rows have a second segment that may come from elsewhere
    test_reads = 1  # how often the test text is read

    @abstractmethod
    def model(self, seed: int | None = None) -> AnyTextModel:
        """A fresh model; with a seed, the same numbers at every call."""

    @abstractmethod
    def begin(self, model: AnyTextModel, trained: AnyTextModel) -> None:
        """Give a model what another has learnt."""

    @abstractmethod
    def task(self, model: AnyTextModel, device: torch.device | None = None) -> Task[AnyBatch]:
        """What the model learns, and how it is looked at."""

    @abstractmethod
    def make(self, gathered: Gathered, epoch: int) -> AnyBatch:
        """Some rows of an epoch as a batch."""

    @abstractmethod
    def score(self, model: AnyTextModel, rows: Sequence[Gathered]) -> MaskedScore | BothScore:
        """How well a model does on rows that it never saw."""

    @abstractmethod
    def described(self, scores: dict[str, MetricRecord]) -> AnyTextFolderConfig:
        """The config of the finished folder."""

    @property
    def variants(self) -> int:
        """One segmentation of each text is stored."""
        return 1

    @property
    def largest(self) -> int:
        """The most tokens of a row."""
        return self.config.data.longest

    @property
    def held_out(self) -> tuple[float, float]:
        """What a validation and the test at the end cost, in tokens that could be trained on."""
        tokens = self.prepared.facts.tokens
        looked_at = min(tokens["dev"], self.config.training.validation_tokens)
        return VALIDATION_COST * looked_at, TEST_COST * self.test_reads * min(tokens["test"], TEST_TOKENS)

    @cached_property
    def subwords(self) -> Subwords:
        """The subwords of the text."""
        units = self.prepared.units
        if not isinstance(units, SubwordLines):
            raise TypeError(f"the text was prepared as {type(units).__name__}; lines of subwords are needed")
        return units.subwords

    @cached_property
    def development(self) -> Lines:
        """The sentences to look at."""
        return self._lines("dev")

    def batches(self, budget: int, variants: int) -> RowBatches[AnyBatch]:
        """The training text in batches."""
        return RowBatches(self._lines("train"), budget, self.config.training.seed, self.make, pairs=self.pairs)

    def learner(self, device: torch.device) -> Learner[AnyBatch]:
        """A fresh model, or the one that the run begins from."""
        model = self.model(self.config.training.seed)
        if self.begun_from is not None:
            self.begin(model, self.begun_from)
        task = self.task(model.to(device), device)
        return Learner(model, task, TeacherForcing(task))

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> ReadTextResult:
        """Write the finished folder."""
        model = self.model()
        select = self.config.training.select
        best = take_best(self.folder, model, self.task(model), progress, select)
        test = self._test(model)
        described = self.described({} if test is None else _recorded(test))
        result = ReadTextResult(
            task=described.task,
            development=best.development,
            parameters=best.parameters,
            steps=best.steps,
            test=test,
        )
        card = write_card(described, self.prepared.facts, record, progress, result, self.folder.name)
        text_folders.save(self.folder, described, best.weights, self.subwords, card)
        curves.tell(self.folder, say)
        return result

    def _lines(self, part: str) -> Lines:
        return Lines(self.prepared.stores[part], self.config.data.longest)

    def _test(self, model: AnyTextModel) -> MaskedScore | BothScore | None:
        if not self.prepared.facts.tokens["test"]:
            return None
        return self.score(model, held_out(self._lines("test"), TEST_TOKENS, AT_ONCE, pairs=self.pairs))


def _recorded(test: MaskedScore | BothScore) -> dict[str, MetricRecord]:
    """A score as a folder keeps it."""
    return {name: MetricRecord(score=value, signature=test.signature) for name, value in test.measures.items()}
