"""ELMo's two language models as a run sees them (Peters et al. 2018): from files and settings to a subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from mirada import __version__
from mirada.data.both_ways import BothBatch, both_ways
from mirada.data.rows import Gathered
from mirada.evaluation.reading import BothScore
from mirada.models.elmo import BidirectionalModel
from mirada.models.folder import MetricRecord, assign, tensors_of
from mirada.models.text_folders import ElmoFolderConfig, build_both
from mirada.tasks.elmo import ElmoTask, score_both
from mirada.training.language_preparing import PreparedText
from mirada.training.masked_config import ElmoRunConfig
from mirada.training.settings import Tree, merge, validate_as
from mirada.training.subject import SKETCHED
from mirada.training.unlabelled import TextFamily, TextSubject, known_preset


@dataclass(frozen=True, eq=False)
class ElmoFamily(TextFamily[ElmoRunConfig]):
    """Two language models that were asked for."""

    task = "elmo"

    def config(self, preset: str) -> ElmoRunConfig:
        self.require_same_task()
        if self.loaded is None or not isinstance(self.loaded.config, ElmoFolderConfig):
            known = known_preset(preset)
            training: Tree = {"batch_tokens": known.batch_tokens}
            below: Tree = {"model": known.elmo.model_dump(mode="json"), "training": training}
            return validate_as(ElmoRunConfig, merge(below, self.settings), self.where)
        trained = self.loaded.config
        below = {"data": {"longest": trained.longest}, "model": trained.model.model_dump(mode="json")}
        config = validate_as(ElmoRunConfig, merge(below, self.settings), self.where)
        self.require_own_model(trained.model, config.model)
        return config

    def sketch(self, preset: str) -> BidirectionalModel:
        """A model of this preset with the smallest vocabulary."""
        return build_both(self.config(preset).model, SKETCHED)

    def subject(self, preset: str, prepared: PreparedText) -> ElmoSubject:
        started = self.started
        begun_from = started if isinstance(started, BidirectionalModel) else None
        return ElmoSubject(self.output, self.config(preset), prepared, begun_from)


class ElmoSubject(TextSubject[ElmoRunConfig, BidirectionalModel, BothBatch]):
    """Two language models with their text and their config."""

    def model(self, seed: int | None = None) -> BidirectionalModel:
        return build_both(self.config.model, self.subwords.size, seed)

    def begin(self, model: BidirectionalModel, trained: BidirectionalModel) -> None:
        assign(model, tensors_of(trained), self.folder)

    def task(self, model: BidirectionalModel, device: torch.device | None = None) -> ElmoTask:
        return ElmoTask(model, self.development, self.config.training.validation_tokens, device)

    def make(self, gathered: Gathered, epoch: int) -> BothBatch:
        return both_ways(gathered)

    def score(self, model: BidirectionalModel, rows: Sequence[Gathered]) -> BothScore:
        return score_both(model, map(both_ways, rows))

    def described(self, scores: dict[str, MetricRecord]) -> ElmoFolderConfig:
        return ElmoFolderConfig(
            mirada=__version__,
            vocabulary=self.subwords.size,
            scores=scores,
            longest=self.config.data.longest,
            model=self.config.model,
        )
