"""`card.md` of a classifier of pictures: what it was made from, how good it is and how that was measured."""

from __future__ import annotations

from mirada import __version__
from mirada.models.picture_folder import PictureFolderConfig
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.labelling_card import LABELS_TOLD
from mirada.training.picture_preparing import PictureFacts
from mirada.training.record import RunRecord
from mirada.training.result import LabelResult


def write_card(
    config: PictureFolderConfig,
    facts: PictureFacts,
    record: RunRecord,
    progress: Progress,
    result: LabelResult,
    name: str,
) -> str:
    """The card, as Markdown."""
    more = f" and {len(config.labels) - LABELS_TOLD:,} more" if len(config.labels) > LABELS_TOLD else ""
    measured = ", ".join(f"{key} {value:.2f} %" for key, value in result.development.values.items())
    lines = [
        "# A classifier of pictures",
        "",
        f"Made by mirada {__version__}. Use it: `mirada predict {name} picture.png`",
        "",
        "## Data",
        facts.told(),
        f"- pictures are brought to {config.shape}",
        *(f"- {count:,} pictures were left out: {reason}" for reason, count in sorted(facts.dropped.items())),
        f"- labels: {', '.join(config.labels[:LABELS_TOLD])}{more}",
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, pooling {config.head.pooling}, {result.parameters:,} parameters.",
        "",
        *training_part(record, progress, result.steps, "patches"),
        "## Scores",
        f"- development pictures: loss {result.development.loss:.4f}, {measured}",
    ]
    if result.test is not None:
        test = result.test
        lines.append(f"- test pictures: accuracy {test.accuracy:.2%}, macro F1 {test.macro_f1:.2%} `{test.signature}`")
    return "\n".join(lines) + "\n"
