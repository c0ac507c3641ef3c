"""Language modelling as a run sees it: from files and settings to a subject."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mirada import __version__
from mirada.data.windows import TextBatch, Vary, Windows
from mirada.evaluation.language import TextScore
from mirada.models import language_folder, presets
from mirada.models.build import build
from mirada.models.folder import MetricRecord, assign, tensors_of
from mirada.models.language import AnyLanguageModel
from mirada.models.language_folder import LanguageFolderConfig, LoadedLanguage
from mirada.models.ngram import Ngram
from mirada.tasks.language import LanguageTask, spans, spread, total_loss
from mirada.text.events import transpose
from mirada.text.units import counted_in
from mirada.training import curves
from mirada.training.asked import Asked
from mirada.training.best import take_best
from mirada.training.checkpoint import Progress
from mirada.training.forcing import TeacherForcing
from mirada.training.language_card import write_card
from mirada.training.language_config import TRANSPOSED, LanguageRunConfig
from mirada.training.language_preparing import Given, PreparedText, is_music, prepare_text
from mirada.training.preparing import Say
from mirada.training.record import RunRecord
from mirada.training.result import LanguageResult
from mirada.training.settings import ConfigError, Tree, kind_in, merge, validate_as
from mirada.training.subject import SKETCHED, Learner, Ready

VALIDATION_COST = 0.4  # of the time that training on as many tokens takes: no backward pass
TEST_COST = 1.0  # the same in float32
# Decay of the matrices of a GPT, and of all weights of a recurrent model; development losses after minutes. GPT with
# 0.25 and 0.5: tinyshakespeare 1.387, 1.381; chorales 0.904, 0.894. LSTM without and with 0.1: 1.385, 1.380;
# 0.926, 0.910.
DECAY, RECURRENT_DECAY = 0.5, 0.1
MUSIC_CONTEXT = 256  # events: most of a chorale
MUSIC_CONVOLUTION = 6  # events: a step of four voices, its end, and the same voice a step before
TEST_TOKENS = 500_000  # at most, for the score at the end


@dataclass(frozen=True, eq=False)
class LanguageFamily(Asked):
    """A language model that was asked for."""

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(presets.SIZES)

    @cached_property
    def loaded(self) -> LoadedLanguage | None:
        """The trained language model that the run begins from."""
        return None if self.start is None else language_folder.load(self.start)

    @property
    def started(self) -> AnyLanguageModel | None:
        if self.loaded is None:
            return None
        if isinstance(self.loaded.model, Ngram):
            raise ConfigError(f"--start {self.start} is an n-gram model, which is counted and does not learn")
        return self.loaded.model

    def config(self, preset: str) -> LanguageRunConfig:
        if self.loaded is None or self.started is None:
            units = validate_as(LanguageRunConfig, {"data": self.settings.get("data", {})}, self.where).data.units
            below = preset_tree(preset, kind_in(self.settings), music=is_music(self.files, units))
            return validate_as(LanguageRunConfig, merge(below, self.settings), self.where)
        given, units = self.loaded.config.model, self.loaded.config.units
        below = {"model": given.model_dump(mode="json"), "data": {"units": units}}
        config = validate_as(LanguageRunConfig, merge(below, self.settings), self.where)
        self.require_own_model(given, config.model)
        if config.data.units != units:
            raise ConfigError(f"--start {self.start} reads {units}, and no {config.data.units}; leave out data.units")
        return config

    def sketch(self, preset: str) -> AnyLanguageModel:
        return build(self.config(preset).model, SKETCHED)

    def prepare(self, preset: str, say: Say) -> Ready:
        data = self.config(preset).data
        given = None if self.loaded is None else Given(self.loaded.config.units, self.loaded.units)
        prepared = prepare_text(self.output, self.files, data, given, say)

        def subject(name: str) -> LanguageSubject:
            return LanguageSubject(self.output, self.config(name), prepared, self.started)

        return Ready(presets.suited(prepared.facts.tokens["train"]), subject)


def preset_tree(name: str, kind: str = "language", music: bool = False) -> Tree:
    """The model of a preset, of this kind, and how it is trained.

    Music has several events for each step of time, so it is read further back, and more of them enter together.
    """
    if name not in presets.LANGUAGE:
        raise ConfigError(f"--preset {name} is not known; use {', '.join(presets.LANGUAGE)}")
    recurrent = kind == "recurrent_language"
    preset = (presets.MUSIC if music and not recurrent else presets.LANGUAGE)[name]
    config = preset.recurrent if recurrent else preset.config
    model = config.model_dump(mode="json")
    training: Tree = {"batch_tokens": preset.batch_tokens, "decay": RECURRENT_DECAY if recurrent else DECAY}
    if music:
        model["context"] = max(config.context, MUSIC_CONTEXT)
        model |= {"convolution": MUSIC_CONVOLUTION} if "convolution" in model else {}
    return {"model": model, "training": training}


@dataclass(frozen=True, eq=False)
class LanguageSubject:
    """A language model with its text and its config."""

    folder: Path
    config: LanguageRunConfig
    prepared: PreparedText
    begun_from: AnyLanguageModel | None

    @property
    def music(self) -> bool:
        """Whether events are read, and no text."""
        return self.prepared.facts.units == "events"

    @property
    def variants(self) -> int:
        asked = self.config.training.transpose
        return 2 * (TRANSPOSED if asked is None else asked) + 1 if self.music else 1

    @property
    def largest(self) -> int:
        return self.config.model.context

    @property
    def held_out(self) -> tuple[float, float]:
        tokens = self.prepared.facts.tokens
        looked_at = min(tokens["dev"], self.config.training.validation_tokens)
        return VALIDATION_COST * looked_at, TEST_COST * min(tokens["test"], TEST_TOKENS)

    def batches(self, budget: int, variants: int) -> Windows:
        asked = self.config.training.transpose
        if asked and not self.music:
            raise ConfigError(f"training.transpose = {asked} is for music, and this text is none; leave it out")
        context, seed = self.config.model.context, self.config.training.seed
        return Windows(self._text("train"), context, budget, seed, _transposition(variants))

    def learner(self, device: torch.device) -> Learner[TextBatch]:
        model = build(self.config.model, self.prepared.units.size, self.config.training.seed)
        if self.begun_from is not None:
            assign(model, tensors_of(self.begun_from), self.folder)
        task = self._task(model.to(device), device)
        return Learner(model, task, TeacherForcing(task))

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> LanguageResult:
        model = build(self.config.model, self.prepared.units.size)
        select = self.config.training.select
        best = take_best(self.folder, model, self._task(model), progress, select)
        test = self._test(model)
        result = LanguageResult(
            development=best.development,
            parameters=best.parameters,
            steps=best.steps,
            test=test,
        )
        described = LanguageFolderConfig(
            mirada=__version__,
            units=self.prepared.facts.units,
            vocabulary=self.prepared.units.size,
            scores={} if test is None else recorded(test),
            model=self.config.model,
        )
        card = write_card(described, self.prepared.facts, record, progress, result, self.folder.name)
        language_folder.save(self.folder, described, best.weights, self.prepared.units, card)
        curves.tell(self.folder, say)
        return result

    def _text(self, part: str) -> NDArray[Any]:
        return self.prepared.stores[part].stream("source")

    def _task(self, model: AnyLanguageModel, device: torch.device | None = None) -> LanguageTask:
        tokens = self.config.training.validation_tokens
        return LanguageTask(model, self._text("dev"), self.prepared.units.line_end, tokens, device)

    def _test(self, model: AnyLanguageModel) -> TextScore | None:
        text, context = self._text("test"), model.context
        if not len(text):
            return None
        windows = spread(spans(len(text), context, context), TEST_TOKENS, context)
        total, count = total_loss(model, text, self.prepared.units.line_end, windows)
        # Of a sample of the windows, the characters are as many as its tokens stand for on average.
        characters = round(self.prepared.facts.characters["test"] * count / len(text))
        return TextScore(total / count, count, characters, context, context, counted_in(self.prepared.units))


def recorded(test: TextScore) -> dict[str, MetricRecord]:
    """A score as a folder keeps it."""
    name, value = test.rate
    measured = {"loss": test.loss, "perplexity": test.perplexity, name.replace(" ", "_"): value}
    return {name: MetricRecord(score=value, signature=test.signature) for name, value in measured.items()}


def _transposition(keys: int) -> Vary | None:
    """How music is moved to stand in so many keys: a chance from 0 to 1 is a number of semitones, down to up."""
    if keys == 1:
        return None
    return lambda rows, chances: transpose(rows, np.floor(chances * keys).astype(np.int64) - keys // 2)
