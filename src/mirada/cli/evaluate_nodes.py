"""`mirada evaluate` of a graph network: how many nodes of a graph get their right label."""

from pathlib import Path

import typer

from mirada.cli.saying import print_json


def evaluate_nodes(model: Path, graph: Path, as_json: bool) -> None:
    """Print the accuracy on the test nodes of a graph, or on all that have a label where none are for testing."""
    from mirada.node_classifier import NodeClassifier

    score = NodeClassifier.load(model, graph).score()
    if as_json:
        print_json({"model": str(model), **score.as_json()})
    else:
        typer.echo(f"accuracy  {score.accuracy:.2f}  {score.right:,} of {score.count:,} nodes  {score.signature}")
