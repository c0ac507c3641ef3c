"""`mirada align`: which word of a translation belongs to which word of its source, by where a model looks."""

import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import FAILED, fail, failing
from mirada.cli.parallel import Pairs, lines_of, read_pairs, require_as_many, require_place
from mirada.cli.saying import Quiet, Verbose, bar, begin, detail, print_json, say

if TYPE_CHECKING:
    from mirada.corpora.writing import Sink
    from mirada.evaluation.alignment import AlignmentScores, Gold
    from mirada.tasks.alignment import Aligned, Aligner, Reading

REFUSED_TOLD = 20  # lines; all are told with -v


class When(StrEnum):
    """At which moment a look is read."""

    WRITTEN = "written"
    READ = "read"


@dataclass(frozen=True)
class Scored:
    """A reading, and how well it agrees with people."""

    reading: "Reading"
    scores: "AlignmentScores"

    def as_json(self) -> dict[str, object]:
        """The row for programs."""
        return self.reading.as_json() | self.scores.as_json()


@failing()
def align(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.", show_default=False)],
    source: Annotated[Path, typer.Option("--input", "-i", help="Sentences, one on each line, words between spaces.")],
    reference: Annotated[Path, typer.Option(help="Their translations, line for line.")],
    gold: Annotated[
        Path | None,
        typer.Option(help="Links by people, line for line: 0-0 is sure, 0p1 possible; the last column of a table."),
    ] = None,
    gold_first: Annotated[
        int, typer.Option(min=0, max=1, help="The number of a sentence's first word in the gold file, 0 or 1.")
    ] = 0,
    layer: Annotated[
        int | None, typer.Option(min=1, help="The layer to read, from 1; else the one found in training.")
    ] = None,
    head: Annotated[
        int | None, typer.Option(min=1, help="The head to read, from 1; else the mean of the layer's.")
    ] = None,
    when: Annotated[
        When | None, typer.Option(help="Read the look that writes a word, or the one that has read it. [written]")
    ] = None,
    best: Annotated[
        bool, typer.Option("--best", help="Choose layer and head by words that stand on both sides.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--every", help="With --gold: the scores of every layer, head and moment.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the links here instead of on standard output.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Align words: a line of links such as 0-0 1-2 (source word, target word) for every pair of lines.

    The model is made to say the translations, and for each of their words the source word that it looks at most is
    taken. With --gold it prints the alignment error rate, precision and recall; links are then written to --output.
    """
    begin(quiet, verbose)
    if best and (layer, head, when) != (None, None, None):
        fail("--best chooses the layer and the head, when written; leave out --layer, --head and --when, or --best")
    if every and gold is None:
        fail("--every needs links by people to compare with; add --gold, or leave --every out")
    require_place("--output", output, [source, reference, *([] if gold is None else [gold])])
    pairs = read_pairs(source, reference)
    wanted = None if gold is None else _read_gold(gold, gold_first, reference, pairs)
    aligner = _aligner(model)
    reading = _chosen(aligner, pairs, layer, head, when, best)
    readings = [reading, *(one for one in (aligner.readings() if every else ()) if one != reading)]
    # A million pairs are written as they come and not held, unless they are needed again.
    kept: list[list[Aligned]] | None = [] if wanted is not None or (as_json and output is None) else None
    with _written(output, shown=not as_json and wanted is None) as out:
        _align(aligner, pairs, readings, out, kept)
    scored = [] if wanted is None else _scored(readings, kept or [], wanted)
    if as_json:
        print_json(_as_json(len(pairs.sources), reading, scored, kept if output is None else None))
    elif scored:
        typer.echo("\n".join(_lines(scored)))


def _read_gold(path: Path, first: int, reference: Path, pairs: Pairs) -> "list[Gold]":
    """The links by people, which must be links between words that are there."""
    from mirada.evaluation.alignment import read_gold, require_within

    lines = list(lines_of(path))
    require_as_many(path, len(lines), reference, len(pairs.targets))
    found = []
    for number, (line, source, target) in enumerate(zip(lines, pairs.sources, pairs.targets, strict=True), start=1):
        try:
            links = read_gold(line, first)
        except ValueError as error:
            fail(f"{path}:{number}: {error}", FAILED)
        try:
            require_within(links, len(source.split()), len(target.split()), first)
        except ValueError as error:
            fail(f"{path}:{number}: {error}; if it counts from {1 - first}, use --gold-first {1 - first}", FAILED)
        found.append(links)
    return found


def _aligner(model: Path) -> "Aligner":
    from mirada.tasks.alignment import Aligner
    from mirada.translator import Translator

    return Aligner(Translator.load(model, "torch").loaded)


def _chosen(
    aligner: "Aligner", pairs: Pairs, layer: int | None, head: int | None, when: When | None, best: bool
) -> "Reading":
    if best:
        reading = aligner.best(list(zip(pairs.sources, pairs.targets, strict=True)))
        say(f"Words that stand on both sides are found best by {reading}.")
        return reading
    try:
        return aligner.reading(
            None if layer is None else layer - 1,
            None if head is None else head - 1,
            "written" if when is None else when.value,
        )
    except ValueError as error:
        fail(re.sub(r"^(layer|head) = ", r"--\1 ", str(error)))


@contextmanager
def _written(output: Path | None, shown: bool) -> "Iterator[Sink | None]":
    """Where lines of links go: into the file, or to standard output unless something else is printed there."""
    from mirada.corpora.writing import replacing

    if output is None:
        yield sys.stdout.buffer if shown else None
        return
    with replacing(output) as out:
        yield out
    say(f"{output} written")


def _align(
    aligner: "Aligner",
    pairs: Pairs,
    readings: "Sequence[Reading]",
    out: "Sink | None",
    kept: "list[list[Aligned]] | None",
) -> None:
    """All pairs by every reading, with a bar on a terminal; the links by the first are written."""
    from mirada.evaluation.alignment import write_links

    begun, refused = time.perf_counter(), 0
    with bar("aligning", len(pairs.sources)) as show:
        aligned = aligner.align(list(zip(pairs.sources, pairs.targets, strict=True)), readings)
        for number, found in enumerate(aligned, start=1):
            if out is not None:
                out.write(f"{write_links(found[0].links)}\n".encode())
            if kept is not None:
                kept.append(found)
            if found[0].refused is not None:
                refused += 1
                tell = say if refused <= REFUSED_TOLD else detail
                tell(f"line {number} has {found[0].refused}; its line of links is empty")
            show(number)
    seconds, count = time.perf_counter() - begun, len(pairs.sources)
    say(f"{count:,} pairs aligned in {seconds:.1f} seconds, {count / seconds:,.0f} a second, by {readings[0]}")


def _scored(
    readings: "Sequence[Reading]", found: "Sequence[Sequence[Aligned]]", gold: "Sequence[Gold]"
) -> list[Scored]:
    """The scores of the chosen reading, then those of the others, the best first."""
    from mirada.evaluation.alignment import score

    scored = [
        Scored(reading, score([one[number].links for one in found], gold)) for number, reading in enumerate(readings)
    ]
    return [scored[0], *sorted(scored[1:], key=lambda one: one.scores.error)]


def _as_json(
    count: int, reading: "Reading", scored: Sequence[Scored], kept: "Sequence[Sequence[Aligned]] | None"
) -> dict[str, object]:
    from mirada.evaluation.alignment import write_links

    told: dict[str, object] = {"pairs": count} | reading.as_json()
    if scored:
        told |= scored[0].scores.as_json()
    if len(scored) > 1:
        told["every"] = [one.as_json() for one in scored]
    if kept is not None:
        told["alignments"] = [write_links(one[0].links) for one in kept]
    return told


def _lines(scored: Sequence[Scored]) -> Iterator[str]:
    """The scores for people."""
    yield f"{'':<42}{'AER':>8}{'precision':>11}{'recall':>8}"
    for one in scored:
        scores = one.scores
        yield f"{one.reading!s:<42}{scores.error:>8.1%}{scores.precision:>11.1%}{scores.recall:>8.1%}"
    yield f"{scored[0].scores.links:,} links found, {scored[0].scores.sure:,} that people are sure of."
