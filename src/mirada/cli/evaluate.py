"""`mirada evaluate`: how good a model's translations are, in scores that others can compute again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.captions import evaluate_captions
from mirada.cli.evaluate_labels import evaluate_labels
from mirada.cli.evaluate_nodes import evaluate_nodes
from mirada.cli.evaluate_reading import evaluate_reading
from mirada.cli.evaluate_series import evaluate_series
from mirada.cli.evaluate_text import evaluate_text
from mirada.cli.evaluate_words import evaluate_words
from mirada.cli.failure import fail, failing
from mirada.cli.parallel import Pairs, read_pairs, require_place
from mirada.cli.play import evaluate_policy
from mirada.cli.saying import Quiet, Verbose, begin, print_json, say
from mirada.cli.tested import Tested, load_tested, require_same_languages, translate_all
from mirada.cli.translate import EngineChoice

if TYPE_CHECKING:
    from mirada.evaluation.translation import Bucket, Comparison, Difference, Metric, Scores

SURE = 0.05  # a difference less likely by chance than this is one


@dataclass(frozen=True)
class Evaluation:
    """All that was measured of a model on a test set."""

    model: Path
    engine: str  # what has computed
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
        found["engine"] = self.engine
        if self.comparison is not None:
            found["against"] = {"model": str(self.against), **self.comparison.as_json()}
        return found


@failing()
def evaluate(
    model: Annotated[Path, typer.Argument(help="The folder of a trained or exported model.")],
    source: Annotated[
        Path | None, typer.Option("--input", help="What to translate, to foretell or to label, or a set of words.")
    ] = None,
    reference: Annotated[Path | None, typer.Option(help="Their translations by people, line for line.")] = None,
    beam: Annotated[int, typer.Option(min=1, max=100, help="How many translations are followed at a time.")] = 5,
    against: Annotated[Path | None, typer.Option(help="Another model; is the difference more than chance?")] = None,
    hypotheses: Annotated[Path | None, typer.Option(help="Save the model's translations in this file.")] = None,
    engine: Annotated[EngineChoice, typer.Option(help="What computes; auto is the fastest.")] = EngineChoice.AUTO,
    stride: Annotated[
        int | None, typer.Option(min=1, help="Of a language model: tokens between two windows. [its context]")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw what a tagger or classifier confuses: .png or .svg.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Score a translator by BLEU and chrF, a language model by perplexity, taggers by accuracy, vectors by people."""
    begin(quiet, verbose)
    if source is None:
        _evaluate_without_input(model, as_json)
        return
    if reference is None:
        _evaluate_alone(model, source, stride, output, beam, as_json)
        return
    if output is not None:
        fail("--output draws what a tagger or a classifier confuses; leave it out with --reference")
    if stride is not None:
        fail("--stride is for language models, which are scored without --reference; leave one of them out")
    require_place("--hypotheses", hypotheses, (source, reference))
    test_set = read_pairs(source, reference)
    tested = load_tested(model, engine, beam)
    baseline = None if against is None else load_tested(against, engine, beam)
    if baseline is not None:
        require_same_languages(tested, baseline)
    evaluation = _evaluate(tested, test_set, beam, baseline, hypotheses)
    if as_json:
        print_json(evaluation.as_json())
    else:
        typer.echo("\n".join(_lines(evaluation)))


def _evaluate_without_input(model: Path, as_json: bool) -> None:
    """Score a model that needs no file: a policy plays."""
    from mirada.models.folder import task_of

    if model.is_file() or task_of(model) != "policy":
        fail(f"--input is missing: name the file that {model} is to be scored on")
    evaluate_policy(model, as_json)


def _evaluate_alone(
    model: Path, source: Path, stride: int | None, output: Path | None, beam: int, as_json: bool
) -> None:
    """Score a model that needs no translations by people: each task has a line here."""
    from mirada.models.folder import task_of

    match "vectors" if model.is_file() else task_of(model):
        case "lm":
            evaluate_text(model, source, stride, as_json)
        case "tag" | "classify" as task:
            evaluate_labels(model, task, source, output, as_json)
        case "nodes":
            evaluate_nodes(model, source, as_json)
        case "vectors":
            evaluate_words(model, source, as_json)
        case "mlm" | "elmo":
            _evaluate_reading(model, source, stride, as_json)
        case "forecast":
            evaluate_series(model, source, as_json)
        case "caption":
            evaluate_captions(model, source, beam, as_json)
        case _:
            fail(f"--reference is missing: {model} is a translator, and is scored against translations by people")


def _evaluate_reading(model: Path, source: Path, stride: int | None, as_json: bool) -> None:
    if stride is not None:
        fail(f"--stride is for language models of --task lm; leave it out, since {model} reads line by line")
    evaluate_reading(model, source, as_json)


def _evaluate(
    tested: Tested, test_set: Pairs, beam: int, baseline: Tested | None, hypotheses: Path | None
) -> Evaluation:
    from mirada.evaluation.translation import (
        USUAL_TOKENIZER,
        by_length,
        lowercased_tokenised_bleu,
        score,
        tokenizer_for,
    )

    tokenizer = tokenizer_for(tested.translator.target)
    translations = translate_all(tested, test_set.sources, beam).translations
    texts = [one.text for one in translations]
    if hypotheses is not None:
        _save(texts, hypotheses)
    return Evaluation(
        model=tested.folder,
        engine=tested.engine,
        beam=beam,
        sentences=len(texts),
        flagged=sum(1 for one in translations if one.flags),
        scores=score(texts, test_set.targets, tokenizer),
        lowercased=lowercased_tokenised_bleu(texts, test_set.targets) if tokenizer == USUAL_TOKENIZER else None,
        by_length=by_length(test_set.sources, texts, test_set.targets, tokenizer=tokenizer),
        against=None if baseline is None else baseline.folder,
        comparison=None if baseline is None else _compare(baseline, texts, test_set, beam, tokenizer),
    )


def _save(texts: Sequence[str], path: Path) -> None:
    """Write the translations, each on one line, so that the file stays parallel to the input."""
    from mirada.corpora.writing import replacing

    with replacing(path) as out:
        out.write("".join(" ".join(text.splitlines()) + "\n" for text in texts).encode())
    say(f"{path} written")


def _compare(baseline: Tested, texts: list[str], test_set: Pairs, beam: int, tokenizer: str) -> "Comparison":
    from mirada.evaluation.translation import affordable_samples, paired_bootstrap

    others = [one.text for one in translate_all(baseline, test_set.sources, beam).translations]
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
