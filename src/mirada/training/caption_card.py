"""`card.md` of a captioner: what it was made from, how good it is and how that was measured."""

from __future__ import annotations

from collections.abc import Sequence

from mirada import __version__
from mirada.evaluation.captions import LanguageScore
from mirada.models.caption_folder import CaptionFolderConfig
from mirada.training.caption_preparing import CaptionFacts
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.record import RunRecord
from mirada.training.result import CaptionResult


def write_card(
    config: CaptionFolderConfig,
    facts: CaptionFacts,
    record: RunRecord,
    progress: Progress,
    result: CaptionResult,
    name: str,
) -> str:
    """The card, as Markdown."""
    language = f" --language {config.languages[0]}" if config.languages[0] else ""
    lines = [
        "# A captioner",
        "",
        f"Made by mirada {__version__}. Use it: `mirada predict {name} picture.png{language}`",
        "",
        "## Data",
        facts.told(),
        f"- pictures are brought to {config.shape}",
        *(f"- {count:,} pictures were left out: {reason}" for reason, count in sorted(facts.dropped.items())),
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, {result.parameters:,} parameters.",
        "",
        *training_part(record, progress, result.steps, "patches and tokens"),
        "## Scores",
        f"- development pictures: loss {result.development.loss:.4f}, chrF {result.development.values['chrf']:.2f}",
        *score_lines(result.languages),
    ]
    return "\n".join(lines) + "\n"


def score_lines(scores: Sequence[LanguageScore]) -> list[str]:
    """The scores of each language, a line each, for a card."""
    return [
        f"- test, {one.language or 'all'} ({one.captions:,} captions): chrF {one.chrf:.2f} `{one.chrf_signature}`, "
        f"BLEU {one.bleu:.2f} `{one.bleu_signature}`{beside(one)}"
        for one in scores
    ]


def beside(one: LanguageScore) -> str:
    """What the captions of the nearest training pictures would have scored."""
    if one.nearest_chrf is None or one.nearest_bleu is None:
        return ""
    return f"; nearest training picture: chrF {one.nearest_chrf:.2f}, BLEU {one.nearest_bleu:.2f}"
