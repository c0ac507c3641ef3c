"""`card.md`: what a model was made from, how good it is and how that was measured, for whoever finds the folder."""

from __future__ import annotations

from mirada import __version__
from mirada.evaluation.translation import Scores
from mirada.models.folder import FolderConfig
from mirada.tasks.task import Score
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.preparing import Facts
from mirada.training.record import RunRecord


def write_card(
    config: FolderConfig,
    facts: Facts,
    record: RunRecord,
    progress: Progress,
    development: Score,
    test: Scores | None,
    parameters: int,
    command: str,
) -> str:
    """The card as Markdown."""
    model = config.model
    lines = [
        f"# A translator from {config.source} to {config.target}",
        "",
        f"Made by mirada {__version__}. Use it: `{command}`",
        "",
        "## Data",
        (
            f"{facts.read:,} units read, {facts.train:,} pairs trained on, {facts.dev:,} set aside to look at, "
            f"{facts.test:,} to test with."
        ),
        *(f"- {count:,} dropped: {reason}" for reason, count in facts.dropped.items()),
        *([f"- {facts.synthetic:,} of the pairs trained on have a side that a model wrote"] if facts.synthetic else []),
        *(
            [f"- {facts.documents:,} documents; sources are read with up to {config.context} sentences before them"]
            if config.context
            else []
        ),
        f"- {facts.vocabulary:,} subwords, {facts.variants} segmentations of each pair",
        "",
        "## Model",
        f"{model.kind}: {model.size}, {parameters:,} parameters.",
        "",
        *training_part(record, progress, progress.kept),
        "## Scores",
        f"- development set: loss {development.loss:.4f}, "
        + ", ".join(f"{name} {value:.2f}" for name, value in development.values.items()),
    ]
    if test is not None:
        for name, metric in (("BLEU", test.bleu), ("chrF", test.chrf)):
            lines.append(f"- test set, beam 5: {name} {metric.score:.2f} `{metric.signature}`")
    return "\n".join(lines) + "\n"
