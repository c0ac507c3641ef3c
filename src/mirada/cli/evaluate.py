"""`mirada evaluate`: how good a model's translations are, in scores that others can compute again."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import fail, failing
from mirada.cli.parallel import Pairs, read_pairs, require_place
from mirada.cli.saying import Quiet, Verbose, bar, begin, detail, print_json, say

if TYPE_CHECKING:
    from mirada.evaluation.translation import Bucket, Comparison, Difference, Metric, Scores
    from mirada.translator import Translation

CHUNK = 512  # sentences between two looks of the progress bar: enough to be sorted into full batches
SURE = 0.05  # a difference less likely by chance than this is one


@dataclass(frozen=True)
class Translated:
    """The translations of a test set, and the time that they took."""

    translations: "list[Translation]"
    seconds: float


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
    require_place("--hypotheses", hypotheses, (source, reference))
    test_set = read_pairs(source, reference)
    evaluation = _evaluate(model, test_set, beam, against, hypotheses)
    if as_json:
        print_json(evaluation.as_json())
    else:
        typer.echo("\n".join(_lines(evaluation)))


def _evaluate(model: Path, test_set: Pairs, beam: int, against: Path | None, hypotheses: Path | None) -> Evaluation:
    from mirada.evaluation.translation import (
        USUAL_TOKENIZER,
        by_length,
        lowercased_tokenised_bleu,
        score,
        tokenizer_for,
    )

    tokenizer = tokenizer_for(languages_of(model)[1])
    if against is not None:
        require_same_languages(model, against)
    translations = translate_all(model, test_set.sources, beam).translations
    texts = [one.text for one in translations]
    if hypotheses is not None:
        _save(texts, hypotheses)
    return Evaluation(
        model=model,
        beam=beam,
        sentences=len(texts),
        flagged=sum(1 for one in translations if one.flags),
        scores=score(texts, test_set.targets, tokenizer),
        lowercased=lowercased_tokenised_bleu(texts, test_set.targets) if tokenizer == USUAL_TOKENIZER else None,
        by_length=by_length(test_set.sources, texts, test_set.targets, tokenizer=tokenizer),
        against=against,
        comparison=None if against is None else _compare(against, texts, test_set, beam, tokenizer),
    )


def languages_of(folder: Path) -> tuple[str, str]:
    """The languages that a model, trained or exported, translates from and to."""
    from mirada.export.folder import is_exported, read_about
    from mirada.models.folder import read_config

    about = read_about(folder) if is_exported(folder) else read_config(folder)
    return about.source, about.target


def require_same_languages(model: Path, against: Path) -> None:
    """Refuse to compare models that translate between different languages."""
    one, other = languages_of(model), languages_of(against)
    if one != other:
        fail(
            f"{model} translates {one[0]} to {one[1]} and {against} {other[0]} to {other[1]}; "
            "only models of the same languages can be compared"
        )


def translate_all(model: Path, sources: list[str], beam: int) -> Translated:
    """The translations of all sentences, with a bar on a terminal."""
    from mirada.translator import Translator

    translator = Translator.load(model)
    start = time.perf_counter()
    found: list[Translation] = []
    with bar(f"translating by {model}", len(sources)) as show:
        for at in range(0, len(sources), CHUNK):
            found += translator.translate(sources[at : at + CHUNK], beam=beam)
            show(len(found))
    seconds = time.perf_counter() - start
    say(f"{len(found):,} sentences translated by {model} in {seconds:.1f} seconds")
    for number, one in enumerate(found, start=1):
        if one.flags:
            detail(f"line {number}: {', '.join(map(str, one.flags))}: {one.text}")
    return Translated(found, seconds)


def _save(texts: Sequence[str], path: Path) -> None:
    """Write the translations, each on one line, so that the file stays parallel to the input."""
    from mirada.corpora.writing import replacing

    with replacing(path) as out:
        out.write("".join(" ".join(text.splitlines()) + "\n" for text in texts).encode())
    say(f"{path} written")


def _compare(against: Path, texts: list[str], test_set: Pairs, beam: int, tokenizer: str) -> "Comparison":
    from mirada.evaluation.translation import affordable_samples, paired_bootstrap

    others = [one.text for one in translate_all(against, test_set.sources, beam).translations]
    samples = affordable_samples(len(texts))
    return paired_bootstrap(texts, others, test_set.targets, samples, tokenizer=tokenizer)


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
        yield f"  {in_words('BLEU', evaluation.comparison.bleu)}"
        yield f"  {in_words('chrF', evaluation.comparison.chrf)}"


def in_words(name: str, found: "Difference") -> str:
    """A difference and whether it is one."""
    judged = "more than chance" if found.p_value < SURE else "may be chance"
    return f"{name} {found.difference:+.2f}, p = {found.p_value:.3f}: {judged}; {found.system} against {found.baseline}"
