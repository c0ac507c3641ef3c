"""`mirada evaluate` of a tagger or a classifier: accuracy, F1, and which labels are taken for which."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mirada.cli.failure import FAILED, fail
from mirada.cli.parallel import require_place
from mirada.cli.saying import print_json, say

if TYPE_CHECKING:
    from mirada.corpora.pair import Fault
    from mirada.evaluation.labels import LabelScores

PICTURES = (".png", ".svg")
FAULTS_TOLD = 5
LARGEST_PICTURE = 100  # labels that can be told apart on it


def evaluate_labels(model: Path, task: str, path: Path, output: Path | None, as_json: bool) -> None:
    """Print the scores; with `output`, draw the confusion matrix."""
    require_place("--output", output, [path])
    if output is not None and output.suffix.lower() not in PICTURES:
        fail(f"cannot write {output}: a confusion matrix is drawn as {' or '.join(PICTURES)}")
    scores, faults = _tagged(model, path) if task == "tag" else _classified(model, path)
    for fault in faults[:FAULTS_TOLD]:
        say(f"{fault.place}: {fault.reason}; left out")
    if output is not None:
        _draw(scores, output)
    if as_json:
        print_json({"model": str(model), "task": task, **scores.as_json(), "left_out": len(faults)})
        return
    typer.echo("\n".join(scores.lines()))
    if faults:
        typer.echo(f"{len(faults):,} could not be read and are left out.")


def _tagged(model: Path, path: Path) -> "tuple[LabelScores, list[Fault]]":
    from mirada.corpora.conllu import Sentence, column_of, read_conllu
    from mirada.corpora.pair import Fault
    from mirada.labeller import Tagger

    tagger, found = Tagger.load(model), list(read_conllu(path))
    sentences = [one for one in found if isinstance(one, Sentence) and one.words]
    if not sentences:
        fail(f"{path} holds no sentence in CoNLL-U", FAILED)
    scores = tagger.score(sentences, column_of(tagger.config.column))
    if not scores.count:
        fail(f"{path} has nothing in its column {tagger.config.column}; it cannot be compared", FAILED)
    return scores, [one for one in found if isinstance(one, Fault)]


def _classified(model: Path, path: Path) -> "tuple[LabelScores, list[Fault]]":
    from mirada.models.picture_folder import reads_pictures

    if reads_pictures(model):
        from mirada.recogniser import Recogniser

        return Recogniser.load(model).score([path])
    return _examples(model, path)


def _examples(model: Path, path: Path) -> "tuple[LabelScores, list[Fault]]":
    from mirada.corpora.examples import Example, Names, open_examples
    from mirada.corpora.pair import Fault
    from mirada.labeller import Classifier

    classifier = Classifier.load(model)
    file = open_examples(path, Names(), labelled=True, features=classifier.config.features)
    if bool(classifier.config.features) != (file.layout.kind == "rows"):
        fail(f"{path} holds {file.layout.kind}, which {model} does not read", FAILED)
    found = list(file.read())
    examples = [one for one in found if isinstance(one, Example)]
    if not examples:
        fail(f"{path} holds nothing that can be labelled", FAILED)
    return classifier.score(examples), [one for one in found if isinstance(one, Fault)]


def _draw(scores: "LabelScores", output: Path) -> None:
    from matplotlib.figure import Figure

    labels = scores.labels
    if len(labels) > LARGEST_PICTURE:
        fail(f"{len(labels):,} labels are too many to draw; {LARGEST_PICTURE} can be told apart on a picture", FAILED)
    shares = scores.confusion / scores.confusion.sum(1, keepdims=True).clip(min=1)
    size = max(4.0, 0.45 * len(labels) + 2)
    figure = Figure(figsize=(size, size), layout="constrained")
    axes = figure.subplots()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    places = range(len(labels))
    axes.set_xticks(places, labels, rotation=90)
    axes.set_yticks(places, labels)
    axes.set(xlabel="said", ylabel="right", title=f"accuracy {scores.accuracy:.2%}")
    for row in places:
        for column in places:
            count = int(scores.confusion[row, column])
            if count:
                color = "white" if shares[row, column] > 0.5 else "black"
                axes.text(column, row, str(count), ha="center", va="center", color=color, fontsize=7)
    figure.savefig(output, dpi=120)
    say(f"{output} written")
