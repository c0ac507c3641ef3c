"""`card.md` of a graph network: what it was made from, how good it is and how that was measured."""

from __future__ import annotations

from mirada import __version__
from mirada.models.nodes_folder import NodesFolderConfig
from mirada.models.words import write_word
from mirada.training.card_parts import training_part
from mirada.training.checkpoint import Progress
from mirada.training.nodes_preparing import GraphFacts
from mirada.training.record import RunRecord
from mirada.training.result import NodesResult


def write_card(
    config: NodesFolderConfig,
    facts: GraphFacts,
    record: RunRecord,
    progress: Progress,
    result: NodesResult,
    name: str,
) -> str:
    """The card as Markdown."""
    seen = "only learnt nodes were seen while learning" if facts.inductive else "all nodes were seen while learning"
    score, looked_at = write_word(config.model.score), result.development
    lines = [
        "# A graph network",
        "",
        f"Made by mirada {__version__}. Use it: `mirada predict {name}`",
        "",
        "## Data",
        f"{facts.nodes:,} nodes with {facts.features:,} features and {facts.edges:,} looks along edges; {seen}.",
        f"- labels of {facts.train:,} nodes learnt, of {facts.dev:,} looked at, of {facts.test:,} to test",
        f"- labels: {', '.join(facts.labels[:50])}{', …' if len(facts.labels) > 50 else ''}",
        f"- features are scaled by: {facts.scaling}",
        "",
        "## Model",
        f"{config.model.kind}: {config.model.size}, score {score}, {result.parameters:,} parameters.",
        "",
        *training_part(record, progress, result.steps, units=None),
        "## Scores",
        f"- development nodes: accuracy {looked_at.values['accuracy']:.2f}, loss {looked_at.loss:.4f}",
    ]
    if result.test is not None:
        lines.append(f"- test nodes: accuracy {result.test.accuracy:.2f} `{result.test.signature}`")
    return "\n".join(lines) + "\n"
