"""`mirada predict` of a classifier of pictures: a label and its probability for every picture."""

from mirada.cli.captions import is_one
from mirada.cli.failure import fail
from mirada.cli.predicting import Asked, Remarks
from mirada.cli.saying import print_json


def predict_pictures(asked: Asked) -> None:
    """Write a line for every picture: label, tab, probability, after its name where there are several."""
    from mirada.recogniser import Recogniser

    if not asked.pictures:
        fail(f"no picture was named; write mirada predict {asked.model} picture.png")
    recogniser, remarks = Recogniser.load(asked.model), Remarks()
    single = len(asked.pictures) == 1 and is_one(asked.pictures[0])
    told: list[dict[str, object]] = []
    with asked.written() as out:
        for one in recogniser.recognise(asked.pictures):
            if one.fault is not None:
                remarks.add(f"{one.picture}: {one.fault}; its label is empty")
            if out is not None:
                name = "" if single else f"{one.picture}\t"
                answer = "\t" if one.fault is not None else f"{one.label}\t{one.probability:.4f}"
                out.write(f"{name}{answer}\n".encode())
            if asked.as_json:
                told.append(one.as_json())
    if asked.as_json:
        named = {"model": str(asked.model), "task": "classify", "labels": list(recogniser.labels)}
        print_json(named | {"predictions": told, "remarks": remarks.count})
