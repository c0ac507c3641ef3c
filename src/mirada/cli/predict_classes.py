"""`mirada predict` of a classifier: a label and its probability for every text or row of numbers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mirada.cli.predicting import Asked, Remarks, chunks
from mirada.cli.saying import print_json, say

if TYPE_CHECKING:
    from mirada.corpora.examples import Example
    from mirada.corpora.pair import Fault
    from mirada.labeller import Classifier

AT_ONCE = 2_000  # rows


def predict_classes(asked: Asked) -> None:
    """Write a line for every row: label, tab, probability; both are empty for a row that cannot be read."""
    from mirada.corpora.pair import Fault
    from mirada.labeller import Classifier

    classifier, remarks = Classifier.load(asked.model), Remarks()
    told: list[dict[str, object]] = []
    count = 0
    with asked.written() as out:
        for some in chunks(_given(classifier, asked), AT_ONCE):
            answers = iter(classifier.classify([one.entered for one in some if not isinstance(one, Fault)]))
            for one in some:
                count += 1
                answer = None if isinstance(one, Fault) else next(answers)
                if isinstance(one, Fault):
                    remarks.add(f"{one.place}: {one.reason}; its label is empty")
                elif answer is not None and answer.cut:
                    remarks.add(f"{one.place}: only the beginning of this text was read")
                if out is not None:
                    line = "\t" if answer is None else f"{answer.label}\t{answer.probability:.4f}"
                    out.write(f"{line}\n".encode())
                if asked.as_json:
                    told.append({"label": None} if answer is None else answer.as_json())
    say(f"{count:,} labelled, {remarks.count:,} remarks")
    if asked.as_json:
        named = {"model": str(asked.model), "task": "classify", "labels": list(classifier.config.labels)}
        print_json(named | {"predictions": told, "remarks": remarks.count})


def _given(classifier: "Classifier", asked: Asked) -> "Iterator[Example | Fault]":
    from mirada.corpora.examples import Example, Names, open_examples
    from mirada.corpora.pair import CorpusError, Fault, Place

    features = classifier.config.features
    if asked.given is not None:
        file = open_examples(asked.given, Names(asked.columns), labelled=False, features=features)
        if bool(features) != (file.layout.kind == "rows"):
            raise CorpusError(
                f"{asked.given} holds {file.layout.kind}, but {asked.model} reads {'rows' if features else 'texts'}"
            )
        yield from file.read()
        return
    for number, line in enumerate(asked.lines, start=1):
        place = Place("standard input", number)
        if features:
            raise CorpusError(f"{asked.model} reads rows of numbers; name a table with --input")
        yield Example(line, None, place) if line.strip() else Fault(place, "the text is empty", "")
