"""Translation as a run sees it: from files and settings to a subject."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from mirada import __version__
from mirada.corpora.verdict import PRESETS
from mirada.data.batch import Batch
from mirada.data.order import Order
from mirada.models import folder as model_folder
from mirada.models.build import build
from mirada.models.encoder_decoder import TranslationModel
from mirada.models.folder import FolderConfig, Loaded
from mirada.tasks.translation import Development, TranslationTask
from mirada.training import finishing
from mirada.training.asked import Asked
from mirada.training.checkpoint import Progress
from mirada.training.config import RunConfig
from mirada.training.forcing_choice import choose_forcing
from mirada.training.preparing import Files, Prepared, Say, prepare_data
from mirada.training.record import RunRecord
from mirada.training.result import Result
from mirada.training.settings import Tree, kind_in, merge, preset_tree, validate
from mirada.training.subject import SKETCHED, Learner, Ready

VALIDATION_COST = 1.6  # of the time that training on as many tokens takes: no backward pass, but greedy decoding
TEST_COST = 10.0  # the same for beam search
COMPARED = 100  # sentences of the test set that are translated once more, to compare the model's export with it


@dataclass(frozen=True, eq=False)
class TranslationFamily(Asked):
    """A translator that was asked for."""

    @property
    def presets(self) -> tuple[str, ...]:
        return tuple(preset.name for preset in PRESETS)

    @cached_property
    def loaded(self) -> Loaded | None:
        """The trained translator that the run begins from."""
        return None if self.start is None else model_folder.load(self.start)

    @property
    def started(self) -> TranslationModel | None:
        return None if self.loaded is None else self.loaded.model

    def config(self, preset: str) -> RunConfig:
        return with_preset(self.settings, preset, self.where) if self.loaded is None else self._continued(self.loaded)

    def sketch(self, preset: str) -> TranslationModel:
        return build(self.config(preset).model, SKETCHED)

    def prepare(self, preset: str, say: Say) -> Ready:
        early = self.config(preset)
        given = None if self.loaded is None else self.loaded.subwords
        training = early.training
        prepared = prepare_data(
            self.output,
            self.files,
            early.data,
            training.seed,
            given,
            training.validation_sentences,
            say,
            early.model.places,
        )

        def subject(name: str) -> TranslationSubject:
            return TranslationSubject(self.files, self.output, self.config(name), prepared, self.started)

        return Ready(prepared.facts.preset, subject)

    def _continued(self, loaded: Loaded) -> RunConfig:
        """The config of a run that begins from a trained model: its shape is given."""
        below: Tree = {"model": loaded.config.model.model_dump(mode="json"), "data": {"context": loaded.config.context}}
        config = validate(merge(below, self.settings), self.where)
        self.require_own_model(loaded.config.model, config.model)
        return config


def with_preset(settings: Tree, preset: str, where: str) -> RunConfig:
    """The whole config of a translator that begins with this preset."""
    return validate(merge(preset_tree(preset, kind_in(settings)), settings), where)


@dataclass(frozen=True, eq=False)
class TranslationSubject:
    """A translator with its data and its config."""

    files: Files
    folder: Path
    config: RunConfig
    prepared: Prepared
    started: TranslationModel | None

    @property
    def variants(self) -> int:
        return self.prepared.train.variants

    @property
    def largest(self) -> int:
        return 2 * self.longest

    @property
    def longest(self) -> int:
        """The most tokens of a side that is trained on or looked at."""
        longest, places = self.config.data.longest, self.config.model.places
        return longest if places is None else min(longest, places)

    @property
    def held_out(self) -> tuple[float, float]:
        dev = self.prepared.dev
        tokens = int(dev.source_lengths.sum() + dev.target_lengths.sum())
        searched = len(self.prepared.test_pairs) + COMPARED
        test = round(tokens / max(1, len(dev)) * searched)  # about
        return VALIDATION_COST * tokens, TEST_COST * test

    def batches(self, budget: int, variants: int) -> Order:
        return Order(self.prepared.train, budget, self.config.training.seed, self.longest, variants)

    def learner(self, device: torch.device) -> Learner[Batch]:
        training = self.config.training
        model = build(self.config.model, self.prepared.subwords.size, training.seed)
        if self.started is not None:
            model_folder.assign(model, model_folder.tensors_of(self.started), self.folder)
        model.to(device)
        task = TranslationTask(model, self._development(), self.prepared.subwords, self.files.target, device)
        return Learner(model, task, choose_forcing(training.forcing, task, model, training.seed, device))

    def finish(self, record: RunRecord, progress: Progress, say: Say) -> Result:
        batches, context = self.batches(self.config.training.batch_tokens, 1), self.config.data.context
        described = FolderConfig(
            mirada=__version__,
            source=self.files.source,
            target=self.files.target,
            vocabulary=self.prepared.subwords.size,
            slots=self.prepared.subwords.slots,
            longest=batches.longest,
            context=context,
            longest_text=batches.longest_text if context else 0,
            model=self.config.model,
        )
        select = self.config.training.select
        return finishing.finish(
            self.folder, described, self.prepared, self._development(), record, progress, select, say
        )

    def _development(self) -> Development:
        return Development(self.prepared.dev, self.prepared.dev_pairs, self.longest)
