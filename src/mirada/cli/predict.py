"""`mirada predict`: what a model says of lines that it reads."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from mirada.cli.failure import FAILED, fail, failing
from mirada.cli.predict_masked import fill_lines
from mirada.cli.saying import Quiet, Verbose, begin


@failing()
def predict(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.", show_default=False)],
    source: Annotated[Path | None, typer.Option("--input", help="A file of lines; else standard input.")] = None,
    count: Annotated[int, typer.Option(min=1, max=1_000, help="Candidates for each gap that are told.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Fill the gaps of lines, [MASK] or ___, with a masked model."""
    begin(quiet, verbose)
    from mirada.models.folder import task_of

    task = task_of(model)
    if task != "mlm":
        fail(f"{model} holds a model for {task}, which fills no gaps; use one of `mirada train --task mlm`")
    fill_lines(model, _lines(source), count, as_json)


def _lines(source: Path | None) -> Iterator[str]:
    """The lines of a file or of standard input."""
    from mirada.corpora.lines import lines
    from mirada.corpora.pair import Fault

    if source is None:
        yield from (raw.decode("utf-8", "replace").removesuffix("\n") for raw in sys.stdin.buffer)
        return
    for line in lines(source):
        if isinstance(line, Fault):
            fail(f"{line.place}: {line.reason}", FAILED)
        yield line
