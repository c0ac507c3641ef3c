"""`card.md` of word vectors: what they were made from, and how."""

from __future__ import annotations

from mirada import __version__
from mirada.models.vectors_folder import VectorsFolderConfig
from mirada.training.checkpoint import Progress
from mirada.training.report import span
from mirada.training.result import VectorsResult
from mirada.training.vectors_preparing import WordFacts


def write_card(
    config: VectorsFolderConfig, facts: WordFacts, progress: Progress, result: VectorsResult, name: str
) -> str:
    """The card of vectors that were learnt, as Markdown."""
    case = "capitals read as small letters" if config.lower else "capitals kept"
    learnt = f"{progress.tokens:,} words and ends of lines in {span(progress.seconds)}"
    lines = [
        "# Word vectors",
        "",
        f"Made by mirada {__version__}. Use them: `mirada nearest {name} WORD`",
        "",
        "## Data",
        f"{facts.files:,} files, {facts.lines:,} lines: {facts.running:,} words, {facts.different:,} different.",
        f"- {facts.vocabulary:,} words have a vector ({case}); {facts.left_out:,} lines were no text",
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, {result.parameters:,} parameters.",
        "",
        "## Training",
        f"{learnt}; loss of a pair at the end {result.development.loss:.4f}, on what was trained on.",
    ]
    return "\n".join(lines) + "\n"
