"""Tagging and classifying as a run sees them: from files and settings to a subject."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from mirada.data.inputs import Numbers
from mirada.data.labelled import LabelBatch, Labelled, LabelledOrder
from mirada.evaluation.labels import LabelScores, score_labels
from mirada.models import labelling_folder
from mirada.models.build import build
from mirada.models.folder import WEIGHTS, MetricRecord, assign, read_tensors, task_of, tensors_of
from mirada.models.labelling import Labeller
from mirada.models.labelling_config import build_labeller
from mirada.models.labelling_folder import AnyLabelFolderConfig
from mirada.models.labelling_presets import LABELLING
from mirada.models.perceptron import PerceptronReader
from mirada.models.reading import Reader
from mirada.models.reading_folder import LoadedReader, load_reader
from mirada.tasks.labelling import LabellingTask, predict
from mirada.text.labels import MISSING, Labels
from mirada.text.subwords import Subwords
from mirada.training import curves
from mirada.training.asked import Asked
from mirada.training.best import take_best
from mirada.training.checkpoint import Progress
from mirada.training.forcing import TeacherForcing
from mirada.training.labelling_card import write_card
from mirada.training.labelling_config import LabelRunConfig
from mirada.training.labelling_preparing import LabelFacts
from mirada.training.preparing import Say
from mirada.training.record import RunRecord
from mirada.training.result import LabelMeasures, LabelResult
from mirada.training.settings import ConfigError, Tree, kind_in, merge, validate_as
from mirada.training.subject import SKETCHED, Learner, Ready

VALIDATION_COST = 0.4  # of the time that training on as many words takes: no backward pass


@dataclass(frozen=True, eq=False)
class Material:
    """Data that is ready, and all that the finished folder will say of it."""

    sets: Mapping[str, Labelled]  # train, dev, test
    labels: Labels
    size: int  # subwords, or numbers of a row
    subwords: Subwords | None
    facts: LabelFacts
    suited: str  # the preset


@dataclass(frozen=True, eq=False)
class LabelFamily(Asked, ABC):
    """A tagger or a classifier that was asked for."""

    task: ClassVar[str]
    dropout: ClassVar[float]  # where none is asked for
    run_config: ClassVar[type[LabelRunConfig]]

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(LABELLING)

    @property
    def kind(self) -> str:
        """The kind of reader that is asked for, else the usual one."""
        asked = kind_in(self.settings)
        return "recurrent_encoder" if asked == "transformer" else asked  # what it is called where none is named

    @cached_property
    def loaded(self) -> LoadedReader | None:
        """The reader that the run begins from."""
        return None if self.start is None else load_reader(self.start)

    @cached_property
    def started(self) -> Reader | None:
        if self.loaded is None:
            return None
        reader = build(self.loaded.config, self.loaded.subwords.size)
        assign(reader, self.loaded.tensors, self.start or Path())
        return reader

    def config(self, preset: str) -> LabelRunConfig:
        if self.loaded is None:
            return validate_as(
                self.run_config,
                merge(self.usual | preset_tree(preset, self.kind, self.dropout), self.settings),
                self.where,
            )
        given = self.loaded.config
        tree = merge(self.usual | {"model": given.model_dump(mode="json")}, self.settings)
        config = validate_as(self.run_config, tree, self.where)
        self.require_own_model(given, config.model)
        return config

    @property
    def usual(self) -> Tree:
        """Settings beside those of a preset, where nothing else is asked for."""
        return {}

    def sketch(self, preset: str) -> Labeller:
        config = self.config(preset)
        return build_labeller(config.model, config.head, SKETCHED, 2)

    def prepare(self, preset: str, say: Say) -> Ready:
        material = self.material(self.config(preset), say)

        def subject(name: str) -> LabelSubject:
            return LabelSubject(self, self.config(name), material)

        return Ready(material.suited, subject)

    @abstractmethod
    def material(self, config: LabelRunConfig, say: Say) -> Material:
        """The data, read and encoded."""

    @abstractmethod
    def described(self, config: LabelRunConfig, material: Material, scores: LabelScores | None) -> AnyLabelFolderConfig:
        """What the finished folder says of itself."""

    @abstractmethod
    def order(self, config: LabelRunConfig, labelled: Labelled, budget: int) -> LabelledOrder:
        """The order in which the data is learnt."""

    def given_head(self, config: LabelRunConfig, labels: Labels) -> Mapping[str, Tensor]:
        """The tensors of the head of the model that the run begins from, if that labels the same thing alike."""
        if self.start is None or task_of(self.start) != self.task:
            return {}
        before = labelling_folder.read_config(self.start)
        if (before.labels, before.head) != (labels.names, config.head):
            return {}
        tensors = read_tensors(self.start / WEIGHTS)
        return {name: tensor for name, tensor in tensors.items() if not name.startswith("reader.")}


def preset_tree(name: str, kind: str, dropout: float) -> Tree:
    """The reader of a preset, of this kind, and how it is trained."""
    if name not in LABELLING:
        raise ConfigError(f"--preset {name} is not known; use {', '.join(LABELLING)}")
    preset = LABELLING[name]
    training: Tree = {"batch_tokens": preset.batch_tokens, "rate": preset.rate, "dropout": dropout}
    return {"model": preset.config(kind).model_dump(mode="json"), "training": training}


@dataclass(frozen=True, eq=False)
class LabelSubject:
    """A tagger or a classifier with its data and its config."""

    family: LabelFamily
    config: LabelRunConfig
    material: Material

    @property
    def variants(self) -> int:
        return 1

    @property
    def largest(self) -> int:
        return int(self.material.sets["train"].inputs.lengths.max(initial=1))

    @property
    def held_out(self) -> tuple[float, float]:
        counts = [int(self.material.sets[part].inputs.lengths.sum()) for part in ("dev", "test")]
        return VALIDATION_COST * counts[0], VALIDATION_COST * counts[1]

    def batches(self, budget: int, variants: int) -> LabelledOrder:
        return self.family.order(self.config, self.material.sets["train"], max(budget, self.largest))

    def learner(self, device: torch.device) -> Learner[LabelBatch]:
        model = self._built(self.config.training.seed)
        self._begin(model)
        task = self._task(model.to(device), device)
        return Learner(model, task, TeacherForcing(task))

    def _begin(self, model: Labeller) -> None:
        """What a model knows before its first step: the statistics of numbers, or what another has learnt."""
        inputs = self.material.sets["train"].inputs
        if isinstance(model.reader, PerceptronReader) and isinstance(inputs, Numbers):
            model.reader.standardise(torch.from_numpy(inputs.values))
        if self.family.started is not None:
            reader = {f"reader.{name}": tensor for name, tensor in tensors_of(self.family.started).items()}
            known = tensors_of(model) | reader | dict(self.family.given_head(self.config, self.material.labels))
            assign(model, known, self.family.start or Path())

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> LabelResult:
        folder, material, select = self.family.output, self.material, self.config.training.select
        model = self._built()
        best = take_best(folder, model, self._task(model), progress, select)
        test = self._test(model)
        result = LabelResult(
            development=best.development,
            parameters=best.parameters,
            steps=best.steps,
            labels=len(material.labels),
            test=None if test is None else measured(test),
        )
        described = self.family.described(self.config, material, test)
        card = write_card(described, material.facts, record, progress, result, test, folder.name)
        labelling_folder.save(folder, described, best.weights, material.subwords, card)
        curves.tell(folder, say)
        return result

    def _built(self, seed: int | None = None) -> Labeller:
        return build_labeller(self.config.model, self.config.head, self.material.size, len(self.material.labels), seed)

    def _task(self, model: Labeller, device: torch.device | None = None) -> LabellingTask:
        return LabellingTask(model, self.material.sets["dev"], self.material.labels.names, device)

    def _test(self, model: Labeller) -> LabelScores | None:
        labelled = self.material.sets["test"]
        asked = np.flatnonzero(labelled.labels != MISSING)
        if not len(asked):
            return None
        return score_labels(
            labelled.labels[asked], predict(model, labelled)[asked].argmax(1), self.material.labels.names
        )


def measured(scores: LabelScores) -> LabelMeasures:
    """Scores as a result keeps them."""
    return LabelMeasures(
        accuracy=scores.accuracy,
        macro_f1=scores.macro_f1,
        weighted_f1=scores.weighted_f1,
        count=scores.count,
        unmet=scores.unmet,
        signature=scores.signature,
    )


def recorded(scores: LabelScores | None) -> dict[str, MetricRecord]:
    """Scores as a folder keeps them, in percent."""
    if scores is None:
        return {}
    found = {"accuracy": scores.accuracy, "macro_f1": scores.macro_f1, "weighted_f1": scores.weighted_f1}
    return {name: MetricRecord(score=100 * value, signature=scores.signature) for name, value in found.items()}
