"""`mirada evaluate` of a language model: how well it foretells a text."""

from pathlib import Path

import typer

from mirada.cli.failure import FAILED, fail
from mirada.cli.saying import print_json, say


def evaluate_text(model: Path, path: Path, stride: int | None, as_json: bool) -> None:
    """Print loss, perplexity and bits per character of a file; of music, nats per step."""
    from mirada.corpora.documents import readable, survey
    from mirada.generator import Generator

    generator = Generator.load(model)
    music = generator.loaded.config.units == "events"
    found = survey(path, music)
    if found.first_fault is not None:
        fail(f"{found.first_fault.place}: {found.first_fault.reason}", FAILED)
    if not found.characters:
        fail(f"{path} is empty; name a text file", FAILED)
    lines = list(readable(path, music=music))
    if found.parts is not None:
        lines = lines[len(lines) - found.parts[-1] :]
        say(f"Of {path}, the {len(lines):,} pieces that it means for tests are scored.")
    unknown = generator.unknown(lines)
    if unknown:
        say(f"{unknown:,} characters were never met in training; each counts as one unknown character.")
    score = generator.score(lines, stride)
    if as_json:
        print_json({"model": str(model), **score.as_json(), "unknown": unknown})
        return
    for name, value in (
        ("loss", score.loss),
        ("perplexity", score.perplexity),
        score.rate,
    ):
        typer.echo(f"{name:<20}{value:9.4f}")
    typer.echo(f"{score.tokens:,} tokens, {score.characters:,} {score.counted}  {score.signature}")
