"""`mirada export`: a model for CTranslate2, which translates faster, or for Argos Translate and LibreTranslate."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import failing
from mirada.cli.saying import Quiet, Verbose, bar, begin, detail, print_json, say

if TYPE_CHECKING:
    from mirada.export.agreement import Sentences
    from mirada.export.run import Progress, Result


class FormatName(StrEnum):
    """What a model can be exported for."""

    CTRANSLATE2 = "ctranslate2"
    ARGOS = "argos"


class QuantizationName(StrEnum):
    """How the numbers of an exported model are rounded."""

    NONE = "none"
    INT8 = "int8"
    INT8_FLOAT32 = "int8_float32"
    INT8_FLOAT16 = "int8_float16"
    INT8_BFLOAT16 = "int8_bfloat16"
    INT16 = "int16"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"


@failing()
def export(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.", show_default=False)],
    form: Annotated[FormatName, typer.Option("--format", help="What it is for.")] = FormatName.CTRANSLATE2,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A folder, or an .argosmodel file. [MODEL/export, which translate uses]"),
    ] = None,
    quantization: Annotated[
        QuantizationName, typer.Option(help="int8 is a quarter of the size and the fastest.")
    ] = QuantizationName.NONE,
    check: Annotated[
        Path | None, typer.Option(help="Sentences to compare both with, one on each line; else the model's own.")
    ] = None,
    shortlist: Annotated[
        bool, typer.Option(help="With rounding: leave out what training never said, if 99 % stays the same.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write a model in the form of another engine, and make sure that it still says the same.

    Both translate the same sentences. Without rounding every text of 100 must be identical, with it nine of ten of 300;
    else the figures are told and nothing is written.
    """
    begin(quiet, verbose)
    from mirada.export.run import Format, Request
    from mirada.export.run import export as run

    request = Request(model, Format(form.value), output, quantization.value, check, shortlist)
    with comparing() as listening:
        result = run(request, listening)
    if as_json:
        print_json(result.as_json())
    _tell(result, model)


@contextmanager
def comparing() -> Iterator["Progress"]:
    """What shows how far the comparison of a model with its export is."""
    with ExitStack() as stack:

        def listening(sentences: "Sentences") -> "Callable[[int], None]":
            stack.close()  # the bar of what was compared before
            detail(f"{len(sentences.texts)} sentences to compare with: {sentences.origin}")
            return stack.enter_context(bar("comparing", len(sentences.texts)))

        yield listening


def _tell(result: "Result", model: Path) -> None:
    say(f"{result.agreement}.")
    first = result.agreement.first
    if first is not None:
        detail(f"{first.source}\n  model:    {first.model}\n  exported: {first.exported}")
    if result.trial is not None:
        say(f"{result.trial}.")
    say(f"{result.output} written, {result.size / 1e6:.1f} MB.")
    if result.lost is not None:
        say(result.lost)
    if result.output.is_dir():
        used = model if result.output == model / "export" else result.output
        say(f"Try it: echo 'A sentence.' | mirada translate {used}")
