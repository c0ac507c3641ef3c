"""Masked models as a run sees them (BERT, Devlin et al. 2019): from files and settings to a subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from mirada import __version__
from mirada.data.masking import MaskedBatch, Masker, mask_rows
from mirada.data.rows import Gathered
from mirada.evaluation.reading import MaskedScore
from mirada.models.folder import MetricRecord, assign, tensors_of
from mirada.models.masked import MaskedModel
from mirada.models.text_folders import MaskedFolderConfig, MaskingRecord, build_masked
from mirada.tasks.masked import MaskedTask, score_rows
from mirada.text.marks import word_beginnings
from mirada.training.language_preparing import PreparedText
from mirada.training.masked_config import MaskedRunConfig
from mirada.training.settings import Tree, merge, nested, validate_as
from mirada.training.subject import SKETCHED
from mirada.training.unlabelled import TextFamily, TextSubject, known_preset


@dataclass(frozen=True, eq=False)
class MaskedFamily(TextFamily[MaskedRunConfig]):
    """A masked model that was asked for."""

    task = "mlm"

    def config(self, preset: str) -> MaskedRunConfig:
        self.require_same_task()
        if self.loaded is None or not isinstance(self.loaded.config, MaskedFolderConfig):
            return validate_as(MaskedRunConfig, merge(self._below(preset), self.settings), self.where)
        trained = self.loaded.config
        below: Tree = {
            "data": {"longest": trained.longest},
            "masking": trained.masking.model_dump(),
            "model": trained.model.model_dump(mode="json"),
            "training": {"next_sentence": trained.next_sentence},
        }
        config = validate_as(MaskedRunConfig, merge(below, self.settings), self.where)
        self.require_own_model(trained.model, config.model)
        return config

    def sketch(self, preset: str) -> MaskedModel:
        """A model of this preset with the smallest vocabulary."""
        config = self.config(preset)
        return build_masked(config.model, SKETCHED, next_sentence=config.training.next_sentence)

    def subject(self, preset: str, prepared: PreparedText) -> MaskedSubject:
        started = self.started
        begun_from = started if isinstance(started, MaskedModel) else None
        return MaskedSubject(self.output, self.config(preset), prepared, begun_from)

    def _below(self, preset: str) -> Tree:
        """What a preset says; a model that learns what follows what tells two segments apart."""
        known = known_preset(preset)
        tree: Tree = {"model": known.config.model_dump(mode="json"), "training": {"batch_tokens": known.batch_tokens}}
        training = self.settings.get("training")
        paired = isinstance(training, dict) and training.get("next_sentence") is True
        return merge(tree, nested("model.segments", 2)) if paired else tree


class MaskedSubject(TextSubject[MaskedRunConfig, MaskedModel, MaskedBatch]):
    """A masked model with its text and its config."""

    @property
    def pairs(self) -> bool:  # type: ignore[override]
        return self.config.training.next_sentence

    @property
    def test_reads(self) -> int:  # type: ignore[override]
        return round(1 / self.config.masking.share)

    @cached_property
    def masker(self) -> Masker:
        """How words are hidden."""
        masking = self.config.masking
        begins = word_beginnings(self.subwords)
        return Masker(begins, masking.share, masking.masked, masking.random, masking.whole_words)

    def model(self, seed: int | None = None) -> MaskedModel:
        return build_masked(self.config.model, self.subwords.size, next_sentence=self.pairs, seed=seed)

    def begin(self, model: MaskedModel, trained: MaskedModel) -> None:
        known = tensors_of(trained)
        # A head that the other model has not begins as it is.
        assign(model, {name: known.get(name, own) for name, own in tensors_of(model).items()}, self.folder)

    def task(self, model: MaskedModel, device: torch.device | None = None) -> MaskedTask:
        training = self.config.training
        return MaskedTask(
            model,
            self.masker,
            self.development,
            training.validation_tokens,
            training.next_sentence_weight,
            device,
        )

    def make(self, gathered: Gathered, epoch: int) -> MaskedBatch:
        return mask_rows(gathered, self.masker, self.config.training.seed, epoch)

    def score(self, model: MaskedModel, rows: Sequence[Gathered]) -> MaskedScore:
        return score_rows(model, self.masker, rows)

    def described(self, scores: dict[str, MetricRecord]) -> MaskedFolderConfig:
        masking = self.config.masking
        return MaskedFolderConfig(
            mirada=__version__,
            vocabulary=self.subwords.size,
            scores=scores,
            longest=self.config.data.longest,
            masking=MaskingRecord(share=masking.share, whole_words=masking.whole_words),
            next_sentence=self.pairs,
            model=self.config.model,
        )
