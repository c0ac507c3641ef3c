"""Finishing: the mean of the best weights, the layer to align by, the score of the test set, and the folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor, nn

from mirada.data.stream import AnyBatch
from mirada.decoding.options import Search
from mirada.evaluation.translation import Scores, score, tokenizer_for
from mirada.models import folder as model_folder
from mirada.models.build import build
from mirada.models.encoder_decoder import TranslationModel
from mirada.models.folder import FolderConfig, MetricRecord
from mirada.tasks.anchors import best_layer
from mirada.tasks.task import Score, Task
from mirada.tasks.translation import Development, TranslationTask, translate_texts
from mirada.training import averaging, curves
from mirada.training.card import write_card
from mirada.training.checkpoint import Progress
from mirada.training.preparing import Prepared, Say
from mirada.training.record import RunRecord
from mirada.training.result import Result


def finish(
    folder: Path,
    config: FolderConfig,
    prepared: Prepared,
    looked_at: Development,
    record: RunRecord,
    progress: Progress,
    select: str,
    say: Say,
) -> Result:
    """Write the finished folder."""
    model = build(config.model, config.vocabulary)
    task = TranslationTask(model, looked_at, prepared.subwords, config.target)
    weights, development, steps = best_weights(folder, model, task, progress, select)
    model_folder.assign(model, weights, folder)
    model.eval()
    config = config.model_copy(update={"alignment_layer": best_layer(model, looked_at)})
    test = _test(model, prepared, config)
    if test is not None:
        config = config.model_copy(update={"scores": _recorded(test)})
    parameters = sum(parameter.numel() for parameter in model.parameters())
    result = Result(
        development=development,
        test=test,
        test_sentences=len(prepared.test_pairs),
        parameters=parameters,
        steps=steps,
    )
    command = f"mirada translate {folder.name}"
    text = write_card(
        config,
        prepared.facts,
        record,
        progress.model_copy(update={"kept": steps}),
        development,
        test,
        parameters,
        command,
    )
    model_folder.save(folder, config, weights, prepared.subwords, text)
    picture = curves.draw(folder)
    if picture is not None:
        say(f"The curves of loss and scores are in {picture}.")
    return result


def _recorded(test: Scores) -> dict[str, MetricRecord]:
    named = {"bleu": test.bleu, "chrf": test.chrf}
    return {name: MetricRecord(score=metric.score, signature=metric.signature) for name, metric in named.items()}


def best_weights(
    folder: Path, model: nn.Module, task: Task[AnyBatch], progress: Progress, select: str
) -> tuple[Mapping[str, Tensor], Score, tuple[int, ...]]:
    """The mean of the best checkpoints, or the best of them alone where the mean is worse."""
    single = max(progress.scores, key=lambda one: (one.measure(select), one.step)).step
    found: list[tuple[Mapping[str, Tensor], Score, tuple[int, ...]]] = []
    for steps in dict.fromkeys(((single,), progress.kept)):
        weights = averaging.mean(folder, steps)
        model_folder.assign(model, weights, folder)
        found.append((weights, task.validate(progress.step), steps))
    return max(found, key=lambda one: one[1].measure(select))


def _test(model: TranslationModel, prepared: Prepared, config: FolderConfig) -> Scores | None:
    if not prepared.test_pairs:
        return None
    sources = [pair.source for pair in prepared.test_pairs]
    contexts = [pair.context for pair in prepared.test_pairs]
    search = Search(beam=5, longest=config.model.places)
    said = translate_texts(model, prepared.subwords, sources, search, config.longest, contexts)
    return score(said, [pair.target for pair in prepared.test_pairs], tokenizer_for(config.target))
