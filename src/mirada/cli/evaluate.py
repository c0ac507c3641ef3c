"""`mirada evaluate`: how good a model's translations are, in scores that others can compute again."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import FAILED, fail, failing
from mirada.cli.saying import Quiet, Verbose, bar, begin, detail, print_json, say

if TYPE_CHECKING:
    from mirada.evaluation.translation import Bucket, Comparison, Difference, Metric, Scores
    from mirada.translator import Translation

CHUNK = 512  # sentences between two looks of the progress bar: enough to be sorted into full batches
SURE = 0.05  # a difference less likely by chance than this is one


@dataclass(frozen=True)
class TestSet:
    """The sentences to translate and what a person made of them, line by line."""

    sources: list[str]
    references: list[str]


@dataclass(frozen=True)
class Evaluation:
    """All that was measured of a model on a test set."""

    model: Path
    beam: int
    sentences: int
    flagged: int
    scores: "Scores"
    lowercased: "Metric | None"  # where words are what BLEU counts
    by_length: "Sequence[Bucket]"
    against: Path | None
    comparison: "Comparison | None"

    def as_json(self) -> dict[str, object]:
        """The evaluation for programs."""
        found = self.scores.as_json()
        if self.lowercased is not None:
            found["bleu_lowercased"] = self.lowercased.as_json()
        found |= {"by_length": [bucket.as_json() for bucket in self.by_length]}
        found |= {"sentences": self.sentences, "flagged": self.flagged, "model": str(self.model), "beam": self.beam}
        if self.comparison is not None:
            found["against"] = {"model": str(self.against), **self.comparison.as_json()}
        return found


@failing()
def evaluate(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    source: Annotated[Path, typer.Option("--input", help="The sentences to translate, one on each line.")],
    reference: Annotated[Path, typer.Option(help="Their translations by people, line for line.")],
    beam: Annotated[int, typer.Option(min=1, max=100, help="How many translations are followed at a time.")] = 5,
    against: Annotated[Path | None, typer.Option(help="Another model; is the difference more than chance?")] = None,
    hypotheses: Annotated[Path | None, typer.Option(help="Save the model's translations in this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Score a model's translations against those of people: BLEU and chrF."""
    begin(quiet, verbose)
    _require_place(hypotheses, (source, reference))
    test_set = _read(source, reference)
    evaluation = _evaluate(model, test_set, beam, against, hypotheses)
    if as_json:
        print_json(evaluation.as_json())
    else:
        typer.echo("\n".join(_lines(evaluation)))


def _evaluate(model: Path, test_set: TestSet, beam: int, against: Path | None, hypotheses: Path | None) -> Evaluation:
    from mirada.evaluation.translation import (
        USUAL_TOKENIZER,
        by_length,
        lowercased_tokenised_bleu,
        score,
        tokenizer_for,
    )
    from mirada.models.folder import read_config

    tokenizer = tokenizer_for(read_config(model).target)
    if against is not None:
        _require_same_languages(model, against)
    translations = _translate(model, test_set.sources, beam)
    texts = [one.text for one in translations]
    if hypotheses is not None:
        _save(texts, hypotheses)
    return Evaluation(
        model=model,
        beam=beam,
        sentences=len(texts),
        flagged=sum(1 for one in translations if one.flags),
        scores=score(texts, test_set.references, tokenizer),
        lowercased=lowercased_tokenised_bleu(texts, test_set.references) if tokenizer == USUAL_TOKENIZER else None,
        by_length=by_length(test_set.sources, texts, test_set.references, tokenizer=tokenizer),
        against=against,
        comparison=None if against is None else _compare(against, texts, test_set, beam, tokenizer),
    )


def _read(source: Path, reference: Path) -> TestSet:
    """Both files, which must have the same number of lines, and one at least."""
    texts = TestSet(list(_lines_of(source)), list(_lines_of(reference)))
    counts = len(texts.sources), len(texts.references)
    for path, count in zip((source, reference), counts, strict=True):
        if count == 0:
            fail(f"{path} is empty; it must hold a sentence on each line", FAILED)
    if counts[0] != counts[1]:
        fail(
            f"{source} has {counts[0]:,} lines and {reference} has {counts[1]:,}; they must have the same number, "
            "line for line",
            FAILED,
        )
    return texts


def _lines_of(path: Path) -> Iterator[str]:
    """The lines of a file; one that is no text ends the evaluation, since leaving it out would flatter the score."""
    from mirada.corpora.lines import lines
    from mirada.corpora.pair import Fault

    for line in lines(path):
        if isinstance(line, Fault):
            fail(f"{line.place}: {line.reason}", FAILED)
        yield line


def _require_place(hypotheses: Path | None, files: Sequence[Path]) -> None:
    """Refuse a place for the translations that cannot be written, before an hour is spent on them."""
    if hypotheses is None:
        return
    if hypotheses.is_dir() or not hypotheses.parent.is_dir():
        fail(f"--hypotheses {hypotheses} cannot be written; name a file in a directory that exists")
    if hypotheses.exists() and any(file.exists() and hypotheses.samefile(file) for file in files):
        fail(f"--hypotheses {hypotheses} is one of the files to read and would be overwritten; give another name")


def _require_same_languages(model: Path, against: Path) -> None:
    from mirada.models.folder import read_config

    one, other = read_config(model), read_config(against)
    if (one.source, one.target) != (other.source, other.target):
        fail(
            f"{model} translates {one.source} to {one.target} and {against} {other.source} to {other.target}; "
            "only models of the same languages can be compared"
        )


def _translate(model: Path, sources: list[str], beam: int) -> "list[Translation]":
    """The translations of all sentences, with a bar on a terminal."""
    from mirada.translator import Translator

    translator = Translator.load(model)
    start = time.perf_counter()
    found: list[Translation] = []
    with bar(f"translating by {model}", len(sources)) as show:
        for at in range(0, len(sources), CHUNK):
            found += translator.translate(sources[at : at + CHUNK], beam=beam)
            show(len(found))
    say(f"{len(found):,} sentences translated by {model} in {time.perf_counter() - start:.1f} seconds")
    for number, one in enumerate(found, start=1):
        if one.flags:
            detail(f"line {number}: {', '.join(map(str, one.flags))}: {one.text}")
    return found


def _save(texts: Sequence[str], path: Path) -> None:
    """Write the translations, each on one line, so that the file stays parallel to the input."""
    from mirada.corpora.writing import replacing

    with replacing(path) as out:
        out.write("".join(" ".join(text.splitlines()) + "\n" for text in texts).encode())
    say(f"{path} written")


def _compare(against: Path, texts: list[str], test_set: TestSet, beam: int, tokenizer: str) -> "Comparison":
    from mirada.evaluation.translation import affordable_samples, paired_bootstrap

    others = [one.text for one in _translate(against, test_set.sources, beam)]
    samples = affordable_samples(len(texts))
    return paired_bootstrap(texts, others, test_set.references, samples, tokenizer=tokenizer)


def _lines(evaluation: Evaluation) -> Iterator[str]:
    """The evaluation for people."""
    scores = {"BLEU": evaluation.scores.bleu, "chrF": evaluation.scores.chrf}
    if evaluation.lowercased is not None:
        scores["BLEU, lower-cased"] = evaluation.lowercased
    for name, metric in scores.items():
        yield f"{name:<18}{metric.score:6.2f}  {metric.signature}"
    yield from ("", f"{'source words':<14}{'sentences':>10}{'BLEU':>8}{'chrF':>8}")
    for one in evaluation.by_length:
        yield f"{one!s:<14}{one.sentences:>10,}{one.scores.bleu.score:>8.2f}{one.scores.chrf.score:>8.2f}"
    yield from ("", f"{evaluation.sentences:,} sentences, {evaluation.flagged:,} translations flagged.")
    if evaluation.comparison is not None:
        yield from ("", f"Against {evaluation.against}:")
        yield f"  {_told('BLEU', evaluation.comparison.bleu)}"
        yield f"  {_told('chrF', evaluation.comparison.chrf)}"


def _told(name: str, found: "Difference") -> str:
    """A difference and whether it is one."""
    judged = "more than chance" if found.p_value < SURE else "may be chance"
    return f"{name} {found.difference:+.2f}, p = {found.p_value:.3f}: {judged}; {found.system} against {found.baseline}"
