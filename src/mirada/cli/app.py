"""The `mirada` command and the list of its verbs."""

import io
import sys
from typing import Annotated

import typer

from mirada.cli.align import align
from mirada.cli.analogy import analogy
from mirada.cli.check import check
from mirada.cli.compare import compare
from mirada.cli.convert import convert
from mirada.cli.demo import demo
from mirada.cli.distill import distill
from mirada.cli.draw import draw
from mirada.cli.evaluate import evaluate
from mirada.cli.explain import explain
from mirada.cli.export import export
from mirada.cli.gallery import gallery
from mirada.cli.generate import generate
from mirada.cli.info import info
from mirada.cli.nearest import nearest
from mirada.cli.predict import predict
from mirada.cli.probe import probe
from mirada.cli.saying import Quiet, Verbose, set_from_root
from mirada.cli.serve import serve
from mirada.cli.train import train
from mirada.cli.translate import translate
from mirada.cli.view import view

app = typer.Typer(
    help="Train your own translator and other sequence models, and see where they look.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a bug shows Python's own traceback, which can be searched and reported
)


def _print_version(wanted: bool) -> bool:
    if wanted:
        from mirada import __version__

        typer.echo(f"mirada {__version__}")
        raise typer.Exit
    return wanted


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """What is said before a verb."""
    set_from_root(quiet, verbose)


VERBS = (
    check,
    train,
    distill,
    translate,
    generate,
    predict,
    evaluate,
    compare,
    align,
    view,
    probe,
    serve,
    export,
    explain,
    nearest,
    analogy,
    convert,
    info,
    demo,
    draw,
    gallery,
)
for verb in VERBS:
    app.command()(verb)


def main() -> None:
    """The entry point of the `mirada` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a poor terminal shows ? for √, and no traceback
    app(prog_name="mirada")
