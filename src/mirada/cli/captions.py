"""Captions on the command line: described pictures, and how good descriptions are."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mirada.cli.failure import fail
from mirada.cli.predicting import Asked, Remarks
from mirada.cli.saying import print_json, say

if TYPE_CHECKING:
    from mirada.evaluation.captions import LanguageScore
    from mirada.training.result import CaptionResult


def predict_captions(asked: Asked) -> None:
    """Write a line for every picture: the caption alone for a single one, else its name before it."""
    from mirada.describer import Describer

    if not asked.pictures:
        fail(f"no picture was named; write mirada predict {asked.model} picture.png")
    describer, remarks = Describer.load(asked.model), Remarks()
    single = len(asked.pictures) == 1 and is_one(asked.pictures[0])
    told: list[dict[str, object]] = []
    with asked.written() as out:
        for one in describer.describe(asked.pictures, asked.language, asked.beam):
            if one.fault is not None:
                remarks.add(f"{one.picture}: {one.fault}; its caption is empty")
            if out is not None:
                named = "" if single else f"{one.picture}\t"
                out.write(f"{named}{one.text}\n".encode())
            if asked.as_json:
                told.append(one.as_json())
    if asked.as_json:
        about = {"model": str(asked.model), "task": "caption", "languages": list(describer.languages)}
        print_json(about | {"predictions": told, "remarks": remarks.count})


def is_one(path: Path) -> bool:
    """Whether a path is a picture by itself."""
    from mirada.corpora.pictures.decoding import is_picture

    return path.is_file() and is_picture(path)


def evaluate_captions(model: Path, table: Path, beam: int, as_json: bool) -> None:
    """Print chrF and BLEU of the captions of a table's pictures, beside those of the nearest training pictures."""
    from mirada.describer import Describer

    evaluation = Describer.load(model).score([table], beam)
    if as_json:
        print_json({"model": str(model), "beam": beam, **evaluation.as_json()})
        return
    if evaluation.faults:
        say(f"{evaluation.faults:,} pictures could not be read and are left out.")
    for line in score_lines(evaluation.languages):
        typer.echo(line)


def tell_captions(result: "CaptionResult", folder: Path) -> None:
    """Tell how a finished captioner does, and how to try it."""
    for line in score_lines(result.languages):
        say(f"Test, {line}")
    say(f"The model is in {folder}. Try it: mirada predict {folder} picture.png")


def score_lines(scores: "Sequence[LanguageScore]") -> list[str]:
    """The scores of each language, a line each."""
    return [
        f"{one.language or 'all'} ({one.captions:,} captions): chrF {one.chrf:.2f}, BLEU {one.bleu:.2f}"
        + (
            ""
            if one.nearest_chrf is None or one.nearest_bleu is None
            else f"; nearest training picture: chrF {one.nearest_chrf:.2f}, BLEU {one.nearest_bleu:.2f}"
        )
        + f"  {one.chrf_signature}"
        for one in scores
    ]
