"""`mirada compare`: several models on one test set: scores, what they cost, and how they do with longer sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.compare_kernels import kernel_lines, looks_of
from mirada.cli.evaluate import SURE, in_words
from mirada.cli.failure import fail, failing
from mirada.cli.parallel import Pairs, read_pairs, require_place
from mirada.cli.saying import Quiet, Verbose, begin, print_json, say
from mirada.cli.tested import Tested, load_tested, require_same_languages, translate_all
from mirada.cli.translate import EngineChoice

if TYPE_CHECKING:
    from mirada.evaluation.translation import Bucket, Comparison, Difference, Scores
    from mirada.models.explaining import Explained


@dataclass(frozen=True)
class Costs:
    """What a model's folder tells of its size and its training; an exported one, or one from elsewhere, tells less."""

    parameters: int | None
    seconds: float | None
    tokens: int | None  # of both sides

    @property
    def tokens_a_second(self) -> float | None:
        """How fast it was trained."""
        return self.tokens / self.seconds if self.tokens is not None and self.seconds else None

    def as_json(self) -> dict[str, object]:
        """The costs for programs."""
        training = {"seconds": self.seconds, "tokens": self.tokens, "tokens_per_second": self.tokens_a_second}
        return {"parameters": self.parameters, "training": training}


@dataclass(frozen=True)
class Measured:
    """All that was measured of one model."""

    folder: Path
    label: str
    scores: "Scores"
    by_length: "Sequence[Bucket]"
    flagged: int
    seconds: float  # of translating
    tokens: int  # that were written
    costs: Costs
    looks: "Sequence[Explained]"  # its attentions, with their kernels, where torch computed it
    against_first: "Comparison | None"  # None for the first

    def as_json(self) -> dict[str, object]:
        """The model's row for programs."""
        against = None if self.against_first is None else self.against_first.as_json()
        return (
            {"model": str(self.folder), **self.scores.as_json(), **self.costs.as_json()}
            | {"translating": {"seconds": round(self.seconds, 3), "tokens_per_second": self.tokens / self.seconds}}
            | {"flagged": self.flagged, "by_length": [bucket.as_json() for bucket in self.by_length]}
            | {"attentions": [one.as_json() for one in self.looks], "against_first": against}
        )


@failing()
def compare(
    models: Annotated[list[Path], typer.Argument(help="The folders of two or more models.", show_default=False)],
    source: Annotated[Path, typer.Option("--input", "-i", help="The sentences to translate, one on each line.")],
    reference: Annotated[Path, typer.Option(help="Their translations by people, line for line.")],
    beam: Annotated[int, typer.Option(min=1, max=100, help="How many translations are followed at a time.")] = 5,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the scores by length here, as .png or .svg.")
    ] = None,
    engine: Annotated[EngineChoice, typer.Option(help="What computes; auto is the fastest.")] = EngineChoice.AUTO,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Compare models on one test set: BLEU, chrF, chance, size, speed, the scores by length, and the kernels.

    The first model is what the others are tested against by paired bootstrap.
    """
    begin(quiet, verbose)
    if len(models) < 2:
        fail(f"only {models[0]} was given; name two models or more, or use `mirada evaluate`")
    require_place("--output", output, [source, reference])
    _require_picture(output)
    pairs = read_pairs(source, reference)
    tested = [load_tested(model, engine, beam) for model in models]
    for other in tested[1:]:
        require_same_languages(tested[0], other)
    measured = _measure(tested, pairs, beam)
    if output is not None:
        _draw(measured, output)
    if as_json:
        told = {"sentences": len(pairs.sources), "beam": beam}
        print_json(told | {"models": [one.as_json() for one in measured]})
    else:
        typer.echo("\n".join(_lines(measured)))


def _require_picture(output: Path | None) -> None:
    from mirada.viewing.lengths import PICTURES

    if output is not None and output.suffix.lower() not in PICTURES:
        fail(f"cannot write {output}: a picture is {' or '.join(PICTURES)}; use {output.with_suffix(PICTURES[-1])}")


def _measure(models: Sequence[Tested], pairs: Pairs, beam: int) -> list[Measured]:
    from mirada.evaluation.translation import affordable_samples, by_length, paired_bootstrap, score, tokenizer_for

    tokenizer, samples = tokenizer_for(models[0].translator.target), affordable_samples(len(pairs.sources))
    measured: list[Measured] = []
    first: list[str] | None = None
    for model, label in zip(models, _labels([model.folder for model in models]), strict=True):
        found = translate_all(model, pairs.sources, beam)
        texts = [one.text for one in found.translations]
        against = None if first is None else paired_bootstrap(texts, first, pairs.targets, samples, tokenizer=tokenizer)
        first = texts if first is None else first
        measured.append(
            Measured(
                folder=model.folder,
                label=label,
                scores=score(texts, pairs.targets, tokenizer),
                by_length=by_length(pairs.sources, texts, pairs.targets, tokenizer=tokenizer),
                flagged=sum(1 for one in found.translations if one.flags),
                seconds=found.seconds,
                tokens=sum(len(one.tokens) for one in found.translations),
                costs=_costs(model.folder),
                looks=looks_of(model),
                against_first=against,
            )
        )
    return measured


def _labels(models: Sequence[Path]) -> list[str]:
    """Short names for folders: the last part, or the whole where two would have the same."""
    names = [folder.resolve().name for folder in models]
    return [name if names.count(name) == 1 else str(folder) for name, folder in zip(names, models, strict=True)]


def _costs(folder: Path) -> Costs:
    from mirada.cli.info_known import look_into
    from mirada.export.folder import is_exported

    if is_exported(folder):
        return Costs(None, None, None)
    known = look_into(folder)
    trained = known.progress
    return Costs(
        known.parameters, None if trained is None else trained.seconds, None if trained is None else trained.tokens
    )


def _draw(measured: Sequence[Measured], output: Path) -> None:
    from mirada.corpora.writing import replacing
    from mirada.viewing.lengths import draw_by_length

    picture = draw_by_length(output, {one.label: one.by_length for one in measured})
    with replacing(output) as out:
        out.write(picture)
    say(f"{output} written")


def _lines(measured: Sequence[Measured]) -> Iterator[str]:
    """The comparison for people."""
    left = max(5, *(len(one.label) for one in measured)) + 2
    yield f"{'model':<{left}}{'BLEU':>7} {'chrF':>8} {'parameters':>13}{'trained':>11}{'tokens/s':>11}{'writes':>11}"
    for one in measured:
        yield f"{one.label:<{left}}{_score(one, 'bleu')} {_score(one, 'chrf')}{_costs_of(one)}"
    yield ""
    for one in measured[1:]:
        if one.against_first is not None:
            yield f"{one.label} against {measured[0].label}:"
            yield f"  {in_words('BLEU', one.against_first.bleu)}"
            yield f"  {in_words('chrF', one.against_first.chrf)}"
    for metric, name in (("bleu", "BLEU"), ("chrf", "chrF")):
        yield from ("", *_by_length(measured, metric, name))
    yield from ("", *kernel_lines({one.label: one.looks for one in measured}))
    scores = measured[0].scores
    yield from ("", "Trained: minutes, and tokens of both sides in a second. Writes: subwords of translations in one.")
    yield f"* differs from {measured[0].label} by more than chance, p < {SURE} by paired bootstrap."
    yield from (f"BLEU {scores.bleu.signature}", f"chrF {scores.chrf.signature}")


def _score(one: Measured, metric: str) -> str:
    found: float = getattr(one.scores, metric).score
    against: Difference | None = None if one.against_first is None else getattr(one.against_first, metric)
    return f"{found:>7.2f}" + ("*" if against is not None and against.p_value < SURE else " ")


def _costs_of(one: Measured) -> str:
    costs = one.costs
    parameters = "–" if costs.parameters is None else f"{costs.parameters:,}"
    minutes = "–" if costs.seconds is None else f"{costs.seconds / 60:.1f} min"
    speed = "–" if costs.tokens_a_second is None else f"{costs.tokens_a_second:,.0f}/s"
    return f"{parameters:>13}{minutes:>11}{speed:>11}{f'{one.tokens / one.seconds:,.0f}/s':>11}"


def _by_length(measured: Sequence[Measured], metric: str, name: str) -> Iterator[str]:
    """A row for each length, a column for each model."""
    widths = [max(8, len(one.label) + 2) for one in measured]
    labels = "".join(f"{one.label:>{width}}" for one, width in zip(measured, widths, strict=True))
    yield f"{name + ' by words':<14}{'sentences':>10}{labels}"
    for buckets in zip(*(one.by_length for one in measured), strict=True):
        scores = [getattr(bucket.scores, metric).score for bucket in buckets]
        told = "".join(f"{score:>{width}.2f}" for score, width in zip(scores, widths, strict=True))
        yield f"{buckets[0]!s:<14}{buckets[0].sentences:>10,}{told}"
