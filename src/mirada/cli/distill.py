"""`mirada distill`: a small, fast translator that learns from what a larger one says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import fail, failing
from mirada.cli.saying import Quiet, Verbose, begin
from mirada.cli.train import Exporting, PresetName, make_request, run, settings_of
from mirada.training.memory import keep_memory

if TYPE_CHECKING:
    from mirada.training.report import Reporter
    from mirada.training.run import Request


@failing()
def distill(
    teacher: Annotated[Path, typer.Argument(help="The folder of a trained or exported model.", show_default=False)],
    data: Annotated[list[Path], typer.Argument(help="The files to train on, best those that the teacher learnt from.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The student's folder; a run goes on in its own.")],
    dev: Annotated[list[Path] | None, typer.Option(help="Pairs to look at while training; else some of DATA.")] = None,
    test: Annotated[list[Path] | None, typer.Option(help="Pairs to score the end with; else some of DATA.")] = None,
    columns: Annotated[str | None, typer.Option(help="Columns of a table without a header: en,de.")] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file that may set everything.")] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="One setting: data.synthetic.originals=1 adds the real pairs.")
    ] = None,
    preset: Annotated[PresetName, typer.Option(help="The size of the student.")] = PresetName.TINY_FAST,
    steps: Annotated[int | None, typer.Option(min=1, help="Updates to make.")] = None,
    epochs: Annotated[float | None, typer.Option(min=0.001, help="Passes over the data.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.1, help="Time to train, after the teacher is done.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Another number gives another run.")] = None,
    export: Exporting = True,
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Train a student on what a teacher makes of your files: nearly as good, and much faster.

    The teacher translates each source once. The same command again goes on where the run was stopped.
    """
    begin(quiet, verbose)
    keep_memory()  # before NumPy and torch begin threads
    given = {"steps": steps, "epochs": epochs, "minutes": minutes}
    if sum(value is not None for value in given.values()) > 1:
        fail("--steps, --epochs and --minutes were given together; use one of them")
    from mirada.synthesis import run as synthesis
    from mirada.synthesis.writer import languages_of
    from mirada.training.settings import merge

    settings = merge(synthesis.STUDENT, settings_of(config, changes, given, seed, None))
    request = make_request(data, languages_of(teacher), output, dev or [], test or [], columns, preset, settings)

    def add_pairs(request: "Request", reporter: "Reporter") -> "Request":
        return synthesis.distill(request, teacher, reporter)

    run(request, json, add_pairs, export)
