"""`mirada demo`: a translator from nothing in three minutes, and where it looks."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import fail, failing
from mirada.cli.saying import Quiet, Verbose, begin, is_quiet, print_json, say
from mirada.training.memory import keep_memory

if TYPE_CHECKING:
    from mirada.demonstration.pronoun import Gaze
    from mirada.demonstration.run import Shown

SAMPLES = 8
BAR = 30  # characters of the longest bar


@failing()
def demo(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to keep the corpus and the model.")
    ] = None,
    minutes: Annotated[float, typer.Option(min=0.2, help="Time to train.")] = 2.4,
    documents: Annotated[
        bool, typer.Option("--documents", help="Only write documents, whose “it” means a word of the sentence before.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Train a small English–Spanish translator on an embedded grammar, and see where it looks."""
    begin(quiet, verbose)
    keep_memory()  # before NumPy and torch begin threads
    if documents:
        _write_documents(output, json)
    elif output is not None:
        _demonstrate(output, minutes, json, kept=True)
    else:
        with tempfile.TemporaryDirectory(prefix="mirada-demo-") as folder:
            _demonstrate(Path(folder), minutes, json, kept=False)


def _write_documents(folder: Path | None, json: bool) -> None:
    """Write two-sentence documents of the grammar, and say what to do with them."""
    from mirada.corpora import demo
    from mirada.demonstration.documents import DEV, SEED, TEST, TRAIN, write_documents

    if folder is None:
        fail("--documents writes files; say where to with --output")
    made = demo.documents(TRAIN, DEV, TEST, SEED)
    files = write_documents(folder, made)
    if json:
        print_json({name: list(map(str, getattr(files, name))) for name in ("train", "dev", "test")})
        return
    first = made.train[0]
    typer.echo(f"{TRAIN:,} documents to train on, {DEV:,} to look at, {TEST:,} to test with, in {folder}, such as:")
    typer.echo(f"  {first.first.source} {first.second.source}  →  {first.first.target} {first.second.target}")
    parts = " ".join(
        f"{option}{path}"
        for name, option in (("train", ""), ("dev", "--dev "), ("test", "--test "))
        for path in getattr(files, name)
    )
    typer.echo("The ending of the second sentence can only be known from the first:")
    typer.echo(f"  mirada train {parts} --from en --to es --context 1 --output {folder / 'model'} --minutes 3")


def _demonstrate(folder: Path, minutes: float, json: bool, kept: bool) -> None:
    from mirada.demonstration.run import demonstrate
    from mirada.training.report import ConsoleReporter
    from mirada.training.stopping import STOPPED, listening

    with listening() as stop:
        shown = demonstrate(folder, ConsoleReporter(is_quiet()), stop, minutes)
    if shown is None:
        say("Stopped." + (" Give the same command to go on." if kept else ""))
        raise typer.Exit(STOPPED + (stop.signal or 0))
    if json:
        print_json(shown.as_json())
    else:
        typer.echo("\n".join(_lines(shown, kept)))


def _lines(shown: "Shown", kept: bool) -> Iterator[str]:
    yield ""
    yield "Held-out sentences, with combinations of words that were never trained on:"
    for sample in shown.samples[:SAMPLES]:
        yield f"  {'✓' if sample.right else '✗'} {sample.source}"
        yield f"      {sample.translation}" + ("" if sample.right else f"   (the grammar: {sample.reference})")
    share = 100 * shown.right / len(shown.samples)
    yield f"{shown.right} of {len(shown.samples)} are right word for word ({share:.0f} %)."
    for name, metric in (("BLEU", shown.scores.bleu), ("chrF", shown.scores.chrf)):
        yield f"{name} {metric.score:.2f}  {metric.signature}"
    yield ""
    yield "Which words the decoder looked at when it wrote each word:"
    yield from _alignment(shown)
    yield ""
    yield from _about_it(shown)
    yield ""
    yield "Now with your own file, in any of TMX, XLIFF, PO, TSV or two plain files:"
    yield "  mirada train my.tmx --from en --to es --output my-model --minutes 20"
    if kept:
        yield f"Or talk to this model:  echo 'The black cat sleeps.' | mirada translate {shown.folder}"


def _alignment(shown: "Shown") -> Iterator[str]:
    source, target = shown.aligned.source.split(), shown.aligned.text.split()
    width = max(map(len, target), default=0)
    for place, word in enumerate(target):
        looked = [source[one] for one, other in shown.links if other == place and one < len(source)]
        yield f"  {word:>{width}} ← {', '.join(looked)}"


def _about_it(shown: "Shown") -> Iterator[str]:
    head, agreeing = shown.head, shown.agreeing
    yield "What does “it” mean? The ending of the Spanish adjective must know."
    for one in shown.pronouns:
        mark = "✓" if one.sample.right else "✗"
        yield f"  {mark} {one.sample.source}"
        yield f"      {one.sample.translation}   (“it” is the {one.antecedent})"
        yield from _bars(one.gaze)
    yield (
        f"Shown is head {head.head} of the encoder's layer {head.layer}: from “it” it looks more at the right noun "
        f"than at the other in {head.right} of {head.total} held-out sentences."
    )
    yield f"The ending is right in {agreeing[0]} of {agreeing[1]} held-out sentences with such an “it”."


def _bars(gaze: "Gaze") -> Iterator[str]:
    """The words that get most of the look, in the order of the sentence."""
    most = sorted(range(len(gaze.words)), key=gaze.weights.__getitem__, reverse=True)[:4]
    width = max(len(gaze.words[place]) for place in most)
    for place in sorted(most):
        weight = gaze.weights[place]
        yield f"      it → {gaze.words[place]:<{width}} {'█' * round(BAR * weight)} {100 * weight:.0f} %"
