"""`mirada predict` of a classifier of pictures: a label and its probability for every picture."""

from typing import TYPE_CHECKING

from mirada.cli.picture_answers import require_pictures, write_answers
from mirada.cli.predicting import Asked

if TYPE_CHECKING:
    from mirada.recogniser import Recognised


def predict_pictures(asked: Asked) -> None:
    """Write a line for every picture: label, tab, probability, after its name where there are several."""
    from mirada.recogniser import Recogniser

    require_pictures(asked)
    recogniser = Recogniser.load(asked.model)
    about = {"task": "classify", "labels": list(recogniser.labels)}
    write_answers(asked, recogniser.recognise(asked.pictures), _line, "label", about)


def _line(one: "Recognised") -> str:
    return "\t" if one.fault is not None else f"{one.label}\t{one.probability:.4f}"
