"""`card.md` of a model that learnt from text alone: what it was made from, how good it is, and what it is for."""

from __future__ import annotations

from mirada import __version__
from mirada.models.text_folders import AnyTextFolderConfig
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.language_preparing import TextFacts
from mirada.training.preparing import PARTS
from mirada.training.record import RunRecord
from mirada.training.result import ReadTextResult

TITLES = {"mlm": "A masked language model", "elmo": "Two language models, one from each end"}
USES = {
    "mlm": "`echo 'A word is [MASK].' | mirada predict {name}`, `mirada train --task tag … --start {name}`",
    "elmo": "`mirada train --task tag … --start {name}`",
}


def write_card(
    config: AnyTextFolderConfig,
    facts: TextFacts,
    record: RunRecord,
    progress: Progress,
    result: ReadTextResult,
    name: str,
) -> str:
    """The card as Markdown."""
    train, dev, test = (facts.tokens[part] for part in PARTS)
    lines = [
        f"# {TITLES[config.task]}",
        "",
        f"Made by mirada {__version__}. Use it: {USES[config.task].format(name=name)}",
        "",
        "## Data",
        f"{facts.files:,} files: {train:,} subwords trained on, {dev:,} set aside to look at, {test:,} to test.",
        f"- {facts.vocabulary:,} different subwords, with four marks; {facts.left_out:,} lines were no text",
        f"- rows of at most {config.longest} tokens",
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, {result.parameters:,} parameters.",
        "",
        *training_part(record, progress, result.steps),
        "## Scores",
        f"- development text: loss {result.development.loss:.4f}{_values(result.development.values)}",
    ]
    if result.test is not None:
        measured = ", ".join(f"{key.replace('_', ' ')} {value:.4f}" for key, value in result.test.measures.items())
        lines.append(f"- test text: {measured} `{result.test.signature}`")
    return "\n".join(lines) + "\n"


def _values(values: dict[str, float]) -> str:
    return "".join(f", {name.replace('_', ' ')} {value:.4f}" for name, value in values.items())
