"""`mirada predict`: what a model says of a file, whatever its task; one small module for each."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from mirada.cli.captions import predict_captions
from mirada.cli.columns import named_columns
from mirada.cli.failure import fail, failing
from mirada.cli.parallel import require_place
from mirada.cli.play import play
from mirada.cli.predict_classes import predict_classes
from mirada.cli.predict_masked import fill_lines
from mirada.cli.predict_nodes import predict_nodes
from mirada.cli.predict_pictures import predict_pictures
from mirada.cli.predict_series import predict_series
from mirada.cli.predict_tags import predict_tags
from mirada.cli.predicting import Asked
from mirada.cli.saying import Quiet, Verbose, begin


@failing()
def predict(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.", show_default=False)],
    pictures: Annotated[
        list[Path] | None, typer.Argument(help="Pictures, folders of them, tables or npz files.", show_default=False)
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option("--input", "-i", help="CoNLL-U, a table, JSONL, lines or a series; else standard input."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write here, not on standard output; forecasts also as .png or .svg."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=1_000, help="Candidates for each gap, or episodes of a policy.")] = 5,
    columns: Annotated[str | None, typer.Option(help="All columns of a table without a header: label,text.")] = None,
    channels: Annotated[str | None, typer.Option(help="Of a picture of a forecast: what to draw, as a,b.")] = None,
    back: Annotated[int, typer.Option(min=0, help="Of a forecaster: begin so many steps before the end.")] = 0,
    language: Annotated[str | None, typer.Option(help="The language of captions. [the model's first]")] = None,
    beam: Annotated[int, typer.Option(min=1, max=100, help="How many captions are followed at a time.")] = 5,
    wanted: Annotated[int | None, typer.Option("--return", help="Of a policy: the return to play for.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Say what a model sees in a file: labels, what fills [MASK], what comes in a series, what pictures show."""
    begin(quiet, verbose)
    shown = [*([] if given is None else [given]), *(pictures or [])]
    require_place("--output", output, shown)
    _dispatch(
        Asked(
            model,
            given,
            output,
            as_json,
            tuple(named_columns(columns)),
            count,
            back,
            tuple(channels.split(",") if channels else ()),
            tuple(shown),
            language,
            beam,
            wanted,
        )
    )


def _dispatch(asked: Asked) -> None:
    from mirada.models.folder import task_of

    task = task_of(asked.model)
    if task not in PREDICTING:
        fail(f"{asked.model} holds a model for {task}, which fills no gaps and labels nothing; see `mirada info`")
    PREDICTING[task](asked)


def _classify(asked: Asked) -> None:
    from mirada.models.picture_folder import reads_pictures

    (predict_pictures if reads_pictures(asked.model) else predict_classes)(asked)


def _fill(asked: Asked) -> None:
    asked.require_no_output()
    fill_lines(asked.model, asked.lines, asked.count, asked.as_json)


# Each task has a line here.
PREDICTING: Mapping[str, Callable[[Asked], None]] = {
    "tag": predict_tags,
    "classify": _classify,
    "mlm": _fill,
    "forecast": predict_series,
    "nodes": predict_nodes,
    "caption": predict_captions,
    "policy": play,
}
