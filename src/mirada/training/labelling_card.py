"""`card.md` of a tagger or a classifier: what it was made from, how good it is and how that was measured."""

from __future__ import annotations

from mirada import __version__
from mirada.evaluation.labels import LabelScores
from mirada.models.labelling_folder import AnyLabelFolderConfig, TaggerFolderConfig
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.labelling_preparing import LabelFacts
from mirada.training.preparing import PARTS
from mirada.training.record import RunRecord
from mirada.training.result import LabelResult

LABELS_TOLD = 50


def write_card(
    config: AnyLabelFolderConfig,
    facts: LabelFacts,
    record: RunRecord,
    progress: Progress,
    result: LabelResult,
    test: LabelScores | None,
    name: str,
) -> str:
    """The card as Markdown."""
    tagger = isinstance(config, TaggerFolderConfig)
    what = f"A tagger of words: {config.column}" if isinstance(config, TaggerFolderConfig) else "A classifier"
    unit = "words" if tagger else "rows of numbers" if config.vocabulary is None else "texts"
    train, dev, seen = (facts.units[part] for part in PARTS)
    more = f" and {len(config.labels) - LABELS_TOLD:,} more" if len(config.labels) > LABELS_TOLD else ""
    development = ", ".join(f"{key} {value:.2f} %" for key, value in result.development.values.items())
    lines = [
        f"# {what}",
        "",
        f"Made by mirada {__version__}. Use it: `mirada predict {name} --input FILE`",
        "",
        "## Data",
        f"{facts.files:,} files: {train:,} {unit} trained on, {dev:,} set aside to look at, {seen:,} to test with.",
        f"- {facts.left_out:,} of {facts.read:,} could not be used",
        f"- {len(config.labels):,} labels: {', '.join(config.labels[:LABELS_TOLD])}{more}",
        *([] if facts.vocabulary is None else [f"- {facts.vocabulary:,} subwords"]),
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, pooling {config.head.pooling}, {result.parameters:,} parameters.",
        "",
        *training_part(record, progress, result.steps),
        "## Scores",
        f"- development set: loss {result.development.loss:.4f}, {development}",
    ]
    if test is not None:
        lines.append(
            f"- test set: accuracy {test.accuracy:.2%}, macro F1 {test.macro_f1:.2%}, weighted F1 "
            f"{test.weighted_f1:.2%} `{test.signature}`"
        )
    return "\n".join(lines) + "\n"
