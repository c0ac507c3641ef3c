"""`card.md` of a language model: what it was made from, how good it is and how that was measured."""

from __future__ import annotations

from mirada import __version__
from mirada.models.language_folder import LanguageFolderConfig
from mirada.training.checkpoint import Progress
from mirada.training.language_preparing import TextFacts
from mirada.training.preparing import PARTS
from mirada.training.record import RunRecord
from mirada.training.report import span
from mirada.training.result import LanguageResult


def write_card(
    config: LanguageFolderConfig,
    facts: TextFacts,
    record: RunRecord,
    progress: Progress,
    result: LanguageResult,
    name: str,
) -> str:
    """The card as Markdown."""
    train, dev, test = (facts.tokens[part] for part in PARTS)
    lines = [
        "# A language model",
        "",
        f"Made by mirada {__version__}. Use it: `mirada generate {name}`",
        "",
        "## Data",
        f"{facts.files:,} files: {train:,} {facts.units} trained on, {dev:,} set aside to look at, {test:,} to test.",
        f"- {facts.vocabulary:,} different {facts.units}, with four marks; {facts.left_out:,} lines were no text",
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, {result.parameters:,} parameters.",
        "",
        "## Training",
        f"{progress.step:,} of {record.budget.steps:,} steps ({record.budget.why}), {progress.tokens:,} tokens in "
        f"{span(progress.seconds)}; " + ", ".join(f"{key} {value}" for key, value in record.decided.items()) + ".",
        f"The weights are the mean of steps {', '.join(map(str, result.steps))}.",
        "",
        "## Scores",
        f"- development text: loss {result.development.loss:.4f}",
    ]
    if result.test is not None:
        lines.append(
            f"- test text: loss {result.test.loss:.4f}, perplexity {result.test.perplexity:.3f}, "
            f"{result.test.bits_per_character:.4f} bits per character `{result.test.signature}`"
        )
    return "\n".join(lines) + "\n"
