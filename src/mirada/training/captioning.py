"""Captioning as a run sees it: from files and settings to a subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mirada import __version__
from mirada.corpora.pictures.store import Standard
from mirada.data.captions import CaptionBatch, CaptionOrder, Captions
from mirada.decoding.options import Search
from mirada.evaluation.captions import LanguageScore, Said, nearest_rows, score_captions
from mirada.models import caption_folder
from mirada.models.build import build_captioner
from mirada.models.caption_folder import CaptionFolderConfig
from mirada.models.captioner import Captioner
from mirada.models.folder import MetricRecord
from mirada.tasks.captioning import CaptionTask, describe_rows
from mirada.training import curves
from mirada.training.asked import Asked
from mirada.training.best import take_best
from mirada.training.caption_card import write_card
from mirada.training.caption_config import CAPTION_SIZES, CaptionRunConfig, suited_captioner
from mirada.training.caption_preparing import Part, PreparedCaptions, prepare_captions
from mirada.training.checkpoint import Progress
from mirada.training.forcing import TeacherForcing
from mirada.training.picture_config import augmentation_of, sketched_shape
from mirada.training.preparing import Say
from mirada.training.record import RunRecord
from mirada.training.result import CaptionResult
from mirada.training.settings import ConfigError, Tree, merge, validate_as
from mirada.training.subject import SKETCHED, Learner, Ready

VALIDATION_COST = 2.0  # of the time that training on as many tokens takes: no backward pass, but greedy decoding
TEST_COST = 6.0  # the same for beam search
TEST_CAPTIONS = 4_000  # at most, for the score at the end
BEAM = 5


@dataclass(frozen=True, eq=False)
class CaptionFamily(Asked):
    """A captioner that was asked for."""

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(CAPTION_SIZES)

    @property
    def started(self) -> nn.Module | None:
        return None

    def config(self, preset: str) -> CaptionRunConfig:
        if self.start is not None:
            raise ConfigError("--start is not for captioners; leave it out")
        if preset not in CAPTION_SIZES:
            raise ConfigError(f"--preset {preset} is not known; use {', '.join(CAPTION_SIZES)}")
        chosen = CAPTION_SIZES[preset]
        below: Tree = {
            "model": chosen.config.model_dump(mode="json"),
            "training": {"batch_tokens": chosen.batch_tokens},
        }
        return validate_as(CaptionRunConfig, merge(below, self.settings), self.where)

    def sketch(self, preset: str) -> Captioner:
        config = self.config(preset)
        return build_captioner(config.model, sketched_shape(config.data, config.model.patch), SKETCHED)

    def prepare(self, preset: str, say: Say) -> Ready:
        prepared = prepare_captions(self.output, self.files, self.config(preset).data, say)

        def subject(name: str) -> CaptionSubject:
            return CaptionSubject(self.output, self.config(name), prepared)

        return Ready(suited_captioner(prepared.facts.captions["train"]), subject)


@dataclass(frozen=True, eq=False)
class CaptionSubject:
    """A captioner with its pictures and its config."""

    folder: Path
    config: CaptionRunConfig
    prepared: PreparedCaptions

    @property
    def variants(self) -> int:
        return 1

    @property
    def largest(self) -> int:
        return int(self._patches + self.config.data.longest * max(1, len(self.prepared.facts.languages)))

    @property
    def held_out(self) -> tuple[float, float]:
        captions = self.prepared.facts.captions
        looked_at = min(captions["dev"] or captions["train"], self.config.training.validation_captions)
        row = self._patches / max(1, len(self.prepared.facts.languages)) + 10  # all captions of a picture read it once
        return VALIDATION_COST * row * looked_at, TEST_COST * row * min(captions["test"], TEST_CAPTIONS)

    def batches(self, budget: int, variants: int) -> CaptionOrder:
        data, seed = self.config.data, self.config.training.seed
        augmentation = augmentation_of(data, self.prepared.facts.shape)
        return CaptionOrder(self._captions("train"), budget, seed, data.longest, augmentation)

    def learner(self, device: torch.device) -> Learner[CaptionBatch]:
        model = self._model(self.config.training.seed)
        task = self._task(model.to(device), device)
        return Learner(model, task, TeacherForcing(task))

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> CaptionResult:
        model, facts = self._model(), self.prepared.facts
        select = self.config.training.select
        best = take_best(self.folder, model, self._task(model), progress, select)
        test = self._test(model)
        result = CaptionResult(
            development=best.development,
            parameters=best.parameters,
            steps=best.steps,
            languages=test,
            test_pictures=facts.pictures["test"],
        )
        described = CaptionFolderConfig(
            mirada=__version__,
            vocabulary=facts.vocabulary,
            languages=facts.languages,
            longest=self.config.data.longest,
            shape=facts.shape,
            standard=self._standard,
            values=facts.values,
            scores=recorded(test),
            model=self.config.model,
        )
        card = write_card(described, facts, record, progress, result, self.folder.name)
        caption_folder.save(self.folder, described, best.weights, self.prepared.subwords, card)
        curves.tell(self.folder, say)
        return result

    @cached_property
    def _patches(self) -> int:
        try:
            return self.config.model.reader.places_of(self.prepared.facts.shape)
        except ValueError as error:
            raise ConfigError(str(error)) from None

    @cached_property
    def _standard(self) -> Standard:
        return self.prepared.parts["train"].pictures.standard

    def _model(self, seed: int | None = None) -> Captioner:
        return build_captioner(self.config.model, self.prepared.facts.shape, self.prepared.facts.vocabulary, seed)

    def _captions(self, name: str) -> Captions:
        part = self.prepared.parts[name]
        return Captions(part.pictures, part.texts, part.of, self._standard, self._patches)

    @property
    def _looked_at(self) -> str:
        """The part that validations look at: that which is trained on, where nothing could be set aside."""
        return "dev" if self.prepared.facts.captions["dev"] else "train"

    def _task(self, model: Captioner, device: torch.device | None = None) -> CaptionTask:
        part = self._looked_at
        return CaptionTask(
            model,
            self._captions(part),
            references_of(self.prepared.parts[part], self.prepared.facts.languages),
            self.prepared.subwords,
            self.config.data.longest,
            self.config.training.validation_captions,
            device,
        )

    def _test(self, model: Captioner) -> tuple[LanguageScore, ...]:
        captions, facts = self._captions("test"), self.prepared.facts
        if not len(captions):
            return ()
        rows = np.linspace(0, len(captions) - 1, min(TEST_CAPTIONS, len(captions))).astype(np.int64)
        found = describe_rows(model, captions, rows, Search(beam=BEAM), self.config.data.longest)
        texts = self.prepared.subwords.decode_many([one.tokens for one in found])
        references = references_of(self.prepared.parts["test"], facts.languages)
        wanted = [references[row] for row in rows.tolist()]
        numbers, which = np.unique(captions.of[rows], return_inverse=True)
        nearest = captions_of_nearest(self.prepared.parts["train"], captions.pictures.rows(numbers))
        return score_captions(
            [
                Said(language, text, right, nearest[place].get(language, ""))
                for text, (language, right), place in zip(texts, wanted, which.tolist(), strict=True)
            ]
        )


def references_of(part: Part, languages: Sequence[str]) -> list[tuple[str, str]]:
    """The language and the text of each stored caption of a part."""
    return [(one.language, one.text) for one in part.captions() if one.language in languages]


def captions_of_nearest(train: Part, pictures: NDArray[np.uint8]) -> list[dict[str, str]]:
    """What is said, by language, of the training picture that is nearest to each of these."""
    rows = nearest_rows(pictures, train.pictures.pictures).tolist()
    wanted = set(rows)
    known: dict[int, dict[str, str]] = {}
    for one in train.captions():
        if one.picture in wanted:
            known.setdefault(one.picture, {})[one.language] = one.text
    return [known.get(row, {}) for row in rows]


def recorded(test: Sequence[LanguageScore]) -> dict[str, MetricRecord]:
    """Scores as a folder keeps them."""
    found = {}
    for one in test:
        of = f" {one.language}" if one.language else ""
        found[f"chrF{of}"] = MetricRecord(score=one.chrf, signature=one.chrf_signature)
        found[f"BLEU{of}"] = MetricRecord(score=one.bleu, signature=one.bleu_signature)
    return found
