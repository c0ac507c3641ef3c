"""`mirada predict` of a masked model: the gaps of lines filled."""

from collections.abc import Iterable
from pathlib import Path

import typer

from mirada.cli.saying import print_json


def fill_lines(model: Path, lines: Iterable[str], count: int, as_json: bool) -> None:
    """Print each line with its gaps filled, and for each gap what may stand in it."""
    from mirada.filler import Filler

    filler = Filler.load(model)
    told = []
    for line in lines:
        filled = filler.fill(line, count)
        if as_json:
            told.append(filled.as_json())
            continue
        typer.echo(filled.text)
        for gap in filled.gaps:
            typer.echo("  " + ", ".join(f"{one.text} {one.probability:.3f}" for one in gap))
    if as_json:
        print_json({"model": str(model), "lines": told})
