"""`mirada evaluate` of models that learnt from text alone: how well they tell the words of a text."""

from pathlib import Path

import typer

from mirada.cli.failure import FAILED, fail
from mirada.cli.saying import print_json


def evaluate_reading(model: Path, path: Path, as_json: bool) -> None:
    """Print loss, perplexity and accuracy of a file, line by line."""
    from mirada.corpora.documents import readable, survey
    from mirada.filler import score_text

    found = survey(path)
    if found.first_fault is not None:
        fail(f"{found.first_fault.place}: {found.first_fault.reason}", FAILED)
    if not found.characters:
        fail(f"{path} is empty; name a text file", FAILED)
    score = score_text(model, list(readable(path)))
    if as_json:
        print_json({"model": str(model), **score.as_json()})
        return
    for name, value in score.measures.items():
        typer.echo(f"{name.replace('_', ' '):<24}{value:9.4f}")
    typer.echo(f"{score.tokens:,} tokens  {score.signature}")
