"""Finishing a translator: its best weights, the layer to align by, the score of the test set, and the folder."""

from __future__ import annotations

from pathlib import Path

from mirada.decoding.options import Search
from mirada.evaluation.translation import Scores, score, tokenizer_for
from mirada.models import folder as model_folder
from mirada.models.build import build
from mirada.models.encoder_decoder import TranslationModel
from mirada.models.folder import FolderConfig, MetricRecord
from mirada.tasks.anchors import best_layer
from mirada.tasks.translation import Development, TranslationTask, translate_texts
from mirada.training import curves
from mirada.training.best import take_best
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
    best = take_best(folder, model, task, progress, select)
    config = config.model_copy(update={"alignment_layer": best_layer(model, looked_at)})
    test = _test(model, prepared, config)
    if test is not None:
        config = config.model_copy(update={"scores": _recorded(test)})
    result = Result(
        development=best.development,
        test=test,
        test_sentences=len(prepared.test_pairs),
        parameters=best.parameters,
        steps=best.steps,
    )
    command = f"mirada translate {folder.name}"
    text = write_card(
        config,
        prepared.facts,
        record,
        progress.model_copy(update={"kept": best.steps}),
        best.development,
        test,
        best.parameters,
        command,
    )
    model_folder.save(folder, config, best.weights, prepared.subwords, text)
    curves.tell(folder, say)
    return result


def _recorded(test: Scores) -> dict[str, MetricRecord]:
    named = {"bleu": test.bleu, "chrf": test.chrf}
    return {name: MetricRecord(score=metric.score, signature=metric.signature) for name, metric in named.items()}


def _test(model: TranslationModel, prepared: Prepared, config: FolderConfig) -> Scores | None:
    if not prepared.test_pairs:
        return None
    sources = [pair.source for pair in prepared.test_pairs]
    contexts = [pair.context for pair in prepared.test_pairs]
    search = Search(beam=5, longest=config.model.places)
    said = translate_texts(model, prepared.subwords, sources, search, config.longest, contexts)
    return score(said, [pair.target for pair in prepared.test_pairs], tokenizer_for(config.target))
