"""Classifying pictures as a run sees it: from files and settings to a subject."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from pydantic import Field
from torch import nn

from mirada import __version__
from mirada.corpora.pair import Fault
from mirada.corpora.pictures.listing import PICTURE, is_table
from mirada.corpora.pictures.reading import holds_pictures
from mirada.corpora.tsv import read_rows
from mirada.data.labelled import LabelBatch, Labelled
from mirada.data.pictures import PictureOrder, Pictures
from mirada.evaluation.labels import LabelScores, score_labels
from mirada.models import patches_presets, picture_folder
from mirada.models.labelling import Classifier
from mirada.models.labelling_config import ClassifierHeadConfig
from mirada.models.patches_config import PatchesConfig
from mirada.models.picture_folder import PictureFolderConfig, build_classifier
from mirada.tasks.labelling import LabellingTask, predict
from mirada.training import curves
from mirada.training.asked import Asked
from mirada.training.best import take_best
from mirada.training.checkpoint import Progress
from mirada.training.config import AnyRunConfig
from mirada.training.forcing import TeacherForcing
from mirada.training.labelling import measured, recorded
from mirada.training.labelling_config import LabelTrainingConfig
from mirada.training.picture_card import write_card
from mirada.training.picture_config import PicturesConfig, augmentation_of, sketched_shape
from mirada.training.picture_preparing import PreparedPictures, prepare_pictures
from mirada.training.preparing import Say
from mirada.training.record import RunRecord
from mirada.training.result import LabelResult
from mirada.training.settings import ConfigError, Tree, merge, validate_as
from mirada.training.stretches import OptimizerKind
from mirada.training.subject import Learner, Ready

VALIDATION_COST = 0.4  # of the time that training on as many patches takes: no backward pass
JSON_LINE = 100_000  # characters of a row that is looked at to know what a table holds


class PictureTrainingConfig(LabelTrainingConfig):
    """How a classifier of pictures learns."""

    smoothing: float = Field(default=0.1, ge=0, lt=1)
    decay: float = Field(default=0.05, ge=0)


class PictureRunConfig(AnyRunConfig):
    """A whole run of a classifier of pictures."""

    task = "classify"

    data: PicturesConfig = PicturesConfig()
    model: PatchesConfig = PatchesConfig()
    head: ClassifierHeadConfig = ClassifierHeadConfig()
    training: PictureTrainingConfig = PictureTrainingConfig()

    @property
    def optimizer(self) -> OptimizerKind:
        return "muon"


def holds_labelled_pictures(path: Path) -> bool:
    """Whether a file is of pictures: by its name, or by a column of a table that says where they are."""
    if holds_pictures(path) or not is_table(path) or not path.is_file():
        return holds_pictures(path)
    row = next((row for _, row in read_rows(path) if not isinstance(row, Fault)), [])
    first = row[0][:JSON_LINE] if row else ""
    if first.startswith("{"):
        return any(f'"{name}"' in "\t".join(row)[:JSON_LINE] for name in PICTURE[:2])
    return any(cell.strip().lower() in PICTURE[:2] for cell in row)


@dataclass(frozen=True, eq=False)
class PictureFamily(Asked):
    """A classifier of pictures that was asked for."""

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(patches_presets.PATCHES)

    @property
    def started(self) -> nn.Module | None:
        return None

    def config(self, preset: str) -> PictureRunConfig:
        if self.start is not None:
            raise ConfigError("--start is not for classifiers of pictures; leave it out")
        if preset not in patches_presets.ALL:
            raise ConfigError(f"--preset {preset} is not known; use {', '.join(patches_presets.ALL)}")
        chosen = patches_presets.ALL[preset]
        below: Tree = {
            "model": chosen.config.model_dump(mode="json"),
            "head": {"pooling": "first" if chosen.class_token else "mean"},
            "training": {"batch_tokens": chosen.batch_tokens, "rate": chosen.rate, "dropout": chosen.dropout},
        }
        if chosen.size is not None:
            below["data"] = {"size": chosen.size}
        return validate_as(PictureRunConfig, merge(below, self.settings), self.where)

    def sketch(self, preset: str) -> Classifier:
        config = self.config(preset)
        return build_classifier(config.model, config.head, sketched_shape(config.data, config.model.patch), 2)

    def prepare(self, preset: str, say: Say) -> Ready:
        prepared = prepare_pictures(self.output, self.files, self.config(preset).data, say)

        def subject(name: str) -> PictureSubject:
            return PictureSubject(self.output, self.config(name), prepared)

        return Ready(patches_presets.suited(prepared.facts.pictures["train"]), subject)


@dataclass(frozen=True, eq=False)
class PictureSubject:
    """A classifier with its pictures and its config."""

    folder: Path
    config: PictureRunConfig
    prepared: PreparedPictures

    @property
    def variants(self) -> int:
        return 1

    @cached_property
    def largest(self) -> int:
        try:
            return self.config.model.places_of(self.prepared.facts.shape)
        except ValueError as error:
            raise ConfigError(str(error)) from None

    @property
    def held_out(self) -> tuple[float, float]:
        counts = self.prepared.facts.pictures
        looked_at = counts["dev"] or counts["train"]
        return VALIDATION_COST * self.largest * looked_at, VALIDATION_COST * self.largest * counts["test"]

    def batches(self, budget: int, variants: int) -> PictureOrder:
        augmentation = augmentation_of(self.config.data, self.prepared.facts.shape)
        labels = self.prepared.labels["train"]
        return PictureOrder(self._pictures("train"), labels, budget, self.config.training.seed, augmentation)

    def learner(self, device: torch.device) -> Learner[LabelBatch]:
        model = self._model(self.config.training.seed)
        task = self._task(model.to(device), device)
        return Learner(model, task, TeacherForcing(task))

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> LabelResult:
        model, facts, select = self._model(), self.prepared.facts, self.config.training.select
        best = take_best(self.folder, model, self._task(model), progress, select)
        test = self._test(model)
        result = LabelResult(
            development=best.development,
            parameters=best.parameters,
            steps=best.steps,
            labels=len(facts.labels),
            test=None if test is None else measured(test),
        )
        described = PictureFolderConfig(
            mirada=__version__,
            labels=facts.labels,
            shape=facts.shape,
            standard=self.prepared.stores["train"].standard,
            values=facts.values,
            scores=recorded(test),
            model=self.config.model,
            head=self.config.head,
        )
        card = write_card(described, facts, record, progress, result, self.folder.name)
        picture_folder.save(self.folder, described, best.weights, card)
        curves.tell(self.folder, say)
        return result

    def _model(self, seed: int | None = None) -> Classifier:
        facts = self.prepared.facts
        return build_classifier(self.config.model, self.config.head, facts.shape, len(facts.labels), seed)

    def _pictures(self, part: str) -> Pictures:
        stores = self.prepared.stores
        return Pictures(stores[part].pictures, stores["train"].standard, self.largest)

    def _labelled(self, part: str) -> Labelled:
        return Labelled(self._pictures(part), self.prepared.labels[part])

    def _task(self, model: Classifier, device: torch.device | None = None) -> LabellingTask:
        looked_at = "dev" if self.prepared.facts.pictures["dev"] else "train"
        return LabellingTask(model, self._labelled(looked_at), self.prepared.facts.labels, device)

    def _test(self, model: Classifier) -> LabelScores | None:
        labelled = self._labelled("test")
        if not len(labelled.labels):
            return None
        return score_labels(labelled.labels, predict(model, labelled).argmax(1), self.prepared.facts.labels)
