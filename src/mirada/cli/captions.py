"""Captions on the command line: described pictures, and how good descriptions are."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mirada.cli.picture_answers import require_pictures, write_answers
from mirada.cli.predicting import Asked
from mirada.cli.saying import print_json, say

if TYPE_CHECKING:
    from mirada.evaluation.captions import LanguageScore
    from mirada.training.result import CaptionResult


def predict_captions(asked: Asked) -> None:
    """Write a line for every picture: the caption alone for a single one, else its name before it."""
    from mirada.describer import Describer

    require_pictures(asked)
    describer = Describer.load(asked.model)
    answers = describer.describe(asked.pictures, asked.language, asked.beam)
    about = {"task": "caption", "languages": list(describer.languages)}
    write_answers(asked, answers, lambda one: one.text, "caption", about)


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
