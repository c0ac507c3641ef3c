"""`mirada info`: what a model's folder is, how good it is, and whether its training can go on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import failing
from mirada.cli.info_known import Known, files_of, look_into
from mirada.cli.saying import Quiet, Verbose, begin, is_verbose, print_json

if TYPE_CHECKING:
    from mirada.export.folder import Exported
    from mirada.models.config import LookConfig, RecurrentStackConfig

LEFT = 12  # columns of the names before what is told


@dataclass(frozen=True)
class KnownExport:
    """What an exported folder tells; nothing of it needs torch."""

    folder: Path
    about: "Exported"
    files: Mapping[str, int]

    def as_json(self) -> dict[str, object]:
        """All of it for programs."""
        about = self.about
        return {
            "folder": str(self.folder),
            "task": "translation",
            "from": about.source,
            "to": about.target,
            "engine": "ctranslate2",
            "quantization": about.quantization,
            "shortlist": about.shortlist,
            "vocabulary": about.vocabulary,
            "slots": about.slots,
            "longest": about.longest,
            **({"context": about.context} if about.context else {}),
            "mirada": about.mirada,
            "files": dict(self.files),
            "bytes": sum(self.files.values()),
        }

    def lines(self) -> Iterator[str]:
        """All of it for people."""
        about = self.about
        yield _told("folder", str(self.folder))
        yield _told("task", _translation(about.source, about.target, about.context))
        yield _told("model", f"exported for CTranslate2, {about.form}; its card says what it was made from")
        slots = f", {about.slots} slots for placeholders" if about.slots else ""
        shortlist = "" if about.shortlist is None else f", {about.shortlist:,} of them can be said"
        yield _told("vocabulary", f"{about.vocabulary:,} subwords{shortlist}{slots}")
        yield from _listed(self.files)


@failing()
def info(
    model: Annotated[Path, typer.Argument(help="The folder of a model: finished, still in training, or exported.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Tell what a model is, how good it is, and whether its training can go on."""
    begin(quiet, verbose)
    from mirada.export.folder import is_exported

    known = _look_at_export(model) if is_exported(model) else look_into(model)
    if as_json:
        print_json(known.as_json())
    else:
        typer.echo("\n".join(_lines(known) if isinstance(known, Known) else known.lines()))


def _look_at_export(folder: Path) -> KnownExport:
    """Read what an exported folder says of itself, when all its files are there."""
    from mirada.export.folder import read_about

    return KnownExport(folder, read_about(folder), files_of(folder))


def _lines(known: Known) -> Iterator[str]:
    """What is known, for people."""
    source, target = known.languages
    yield _told("folder", str(known.folder))
    yield _told("task", _translation(source, target, known.context) if source else known.task)
    if known.model is not None:
        yield from map(_told, ("model", "", ""), _shape(known))
    if known.vocabulary is not None:
        yield _told("vocabulary", f"{known.vocabulary:,} {known.units}")
    if known.facts is not None:
        yield _told("data", known.facts.told())
    for number, line in enumerate(_scores(known)):
        yield _told("" if number else "scores", line)
    if known.record is not None:
        budget = known.record.budget
        yield _told("budget", f"{budget.steps:,} steps, {budget.epochs:g} passes ({budget.why})")
    yield _told("training", known.state())
    if known.export is not None:
        yield _told("export", known.export)
    if is_verbose():
        yield from _details(known)
    yield from _listed(known.files)


def _listed(files: Mapping[str, int]) -> Iterator[str]:
    """The files of a folder with their sizes."""
    for number, (name, size) in enumerate(files.items()):
        yield _told("" if number else "files", f"{name:<34}{_size(size):>10}")


def _translation(source: str, target: str, context: int) -> str:
    """What a translator does."""
    before = f", each text read with up to {context} before it" if context else ""
    return f"translation from {source} to {target}{before}"


def _told(name: str, what: str) -> str:
    return f"{name:<{LEFT}}{what}"


def _shape(known: Known) -> Iterator[str]:
    """The shape of the model: its size, then how each half looks."""
    from mirada.models.config import LanguageModelConfig, RecurrentConfig, TransformerConfig
    from mirada.models.reading_config import EncoderConfig

    model = known.model
    if model is None:
        return
    count = f", {known.parameters:,} parameters" if known.parameters is not None and model.kind != "ngram" else ""
    yield f"{model.kind}: {model.size}{count}"
    if isinstance(model, RecurrentConfig):
        yield f"encoder: {_recurrence_of(model.encoder)}, directions: {model.encoder.directions}"
        yield f"decoder: {_recurrence_of(model.decoder)}; at the source: {model.look}"
        return
    if isinstance(model, EncoderConfig):
        yield f"stack: {_look_of(model.stack, str(model.stack.pattern))}"
    if isinstance(model, LanguageModelConfig):
        yield f"stack: {_look_of(model.stack, _causal(model.stack))}"
    if not isinstance(model, TransformerConfig):
        return
    yield f"encoder: {_look_of(model.encoder, str(model.encoder.pattern))}"
    cross = _look_of(model.cross, str(model.cross.pattern))
    yield f"decoder: {_look_of(model.decoder, _causal(model.decoder))}; at the source: {cross}"


def _causal(look: "LookConfig") -> str:
    """The pattern of who writes, and never looks ahead."""
    own = str(look.pattern)
    return "causal" if own == "full" else f"causal & ({own})"


def _recurrence_of(stack: "RecurrentStackConfig") -> str:
    """What a recurrent stack is made of."""
    residual = ", residual" if stack.residual and stack.layers > 1 else ""
    return f"{stack.layers} × {stack.cell} of width {stack.width}{residual}"


def _look_of(look: "LookConfig", pattern: str) -> str:
    """How a kind of layer looks: heads, who is seen, weighed how, and in which order."""
    from mirada.models.words import write_word

    position = "" if look.position is None else f", {write_word(look.position)}"
    return f"{look.heads} heads, {pattern}, {write_word(look.score)}{position}"


def _scores(known: Known) -> Iterator[str]:
    """The test set's scores with their signatures, and the best on the development set."""
    names = {"bleu": "BLEU", "chrf": "chrF", "macro_f1": "macro F1", "weighted_f1": "weighted F1"}
    for name, metric in known.tested.items():
        yield f"test: {names.get(name, name)} {_figure(metric['score'])}  {metric['signature']}"
    if known.best is not None:
        values = "".join(f", {names.get(name, name)} {_figure(value)}" for name, value in known.best.values.items())
        yield f"development, best at step {known.best.step:,}: loss {known.best.loss:.3f}{values}"
    elif not known.tested:
        yield "none yet"


def _figure(score: object) -> str:
    """A score with the digits that tell it apart: errors of standardised numbers lie far below 1."""
    return f"{score:.4f}" if isinstance(score, float) and abs(score) < 1 else f"{score:.2f}"


def _details(known: Known) -> Iterator[str]:
    """What was decided for the run, and what it used."""
    if known.record is not None:
        yield _told("decided", ", ".join(f"{name} {value}" for name, value in known.record.decided.items()))
    if known.progress is not None:
        yield _told("used", f"{known.progress.tokens:,} tokens in {known.progress.seconds / 60:.1f} minutes")


def _size(count: int) -> str:
    """Bytes as people read them."""
    for unit, least in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= least:
            return f"{count / least:.1f} {unit}"
    return f"{count} B"
