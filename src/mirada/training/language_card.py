"""`card.md` of a language model: what it was made from, how good it is and how that was measured."""

from __future__ import annotations

from mirada import __version__
from mirada.models.language_folder import LanguageFolderConfig
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.language_preparing import TextFacts
from mirada.training.preparing import PARTS
from mirada.training.record import RunRecord
from mirada.training.result import LanguageResult


def write_card(
    config: LanguageFolderConfig,
    facts: TextFacts,
    record: RunRecord,
    progress: Progress,
    result: LanguageResult,
    name: str,
) -> str:
    """The card of a model that has learnt, as Markdown."""
    training = training_part(record, progress, result.steps)
    return _joined(_head(config, facts, name, f"{result.parameters:,} parameters"), training, _scores(result))


def write_counted_card(config: LanguageFolderConfig, facts: TextFacts, result: LanguageResult, name: str) -> str:
    """The card of an n-gram model, as Markdown."""
    return _joined(_head(config, facts, name, f"{result.parameters:,} n-grams"), _scores(result))


def _head(config: LanguageFolderConfig, facts: TextFacts, name: str, size: str) -> list[str]:
    train, dev, test = (facts.tokens[part] for part in PARTS)
    return [
        "# A language model",
        "",
        f"Made by mirada {__version__}. Use it: `mirada generate {name}`",
        "",
        "## Data",
        f"{facts.files:,} files: {train:,} {facts.units} trained on, {dev:,} set aside to look at, {test:,} to test.",
        f"- {facts.vocabulary:,} different {facts.units}, with four marks; {facts.left_out:,} lines were no text",
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, {size}.",
        "",
    ]


def _scores(result: LanguageResult) -> list[str]:
    lines = ["## Scores", f"- development text: loss {result.development.loss:.4f}"]
    if result.test is not None:
        lines.append(
            f"- test text: loss {result.test.loss:.4f}, perplexity {result.test.perplexity:.3f}, "
            f"{result.test.rate[1]:.4f} {result.test.rate[0]} `{result.test.signature}`"
        )
    return lines


def _joined(*parts: list[str]) -> str:
    return "\n".join(line for part in parts for line in part) + "\n"
