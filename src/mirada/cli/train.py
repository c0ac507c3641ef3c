"""`mirada train`: from files to a model, and, with the same command, on from where it stopped."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.columns import named_columns, two_columns
from mirada.cli.export import comparing
from mirada.cli.failure import fail, failing
from mirada.cli.saying import Quiet, Verbose, begin, is_quiet, print_json, say
from mirada.cli.telling import tell
from mirada.training.memory import keep_memory

if TYPE_CHECKING:
    from mirada.export.kept import Kept
    from mirada.training.report import Reporter
    from mirada.training.run import Request
    from mirada.training.session import Outcome
    from mirada.training.settings import Tree


class TaskChoice(StrEnum):
    """What can be learnt."""

    TRANSLATION = "translation"
    LM = "lm"
    VECTORS = "vectors"
    MLM = "mlm"
    ELMO = "elmo"
    TAG = "tag"
    CLASSIFY = "classify"
    FORECAST = "forecast"
    NODES = "nodes"
    CAPTION = "caption"
    POLICY = "policy"


class PresetName(StrEnum):
    """Sizes of models that have a name: -fast has a deep encoder and a shallow decoder, gpt… and bert… are papers'."""

    TINY = "tiny"
    SMALL = "small"
    BASE = "base"
    BIG = "big"
    TINY_FAST = "tiny-fast"
    SMALL_FAST = "small-fast"
    BASE_FAST = "base-fast"
    BIG_FAST = "big-fast"
    GPT = "gpt"
    GPT2 = "gpt2"
    GPT3 = "gpt3"
    BERT_BASE = "bert-base"
    BERT_LARGE = "bert-large"
    VIT_B16 = "vit-b16"


class ModelName(StrEnum):
    """The kinds of models; n-grams are for language models, perceptrons for rows of numbers."""

    TRANSFORMER = "transformer"
    RECURRENT = "recurrent"
    NGRAM = "ngram"
    PERCEPTRON = "perceptron"


READERS = {ModelName.TRANSFORMER: "encoder", ModelName.RECURRENT: "recurrent_encoder"}
# What a config calls them.
KINDS = {
    TaskChoice.TRANSLATION: {ModelName.TRANSFORMER: "transformer", ModelName.RECURRENT: "recurrent"},
    TaskChoice.LM: {
        ModelName.TRANSFORMER: "language",
        ModelName.RECURRENT: "recurrent_language",
        ModelName.NGRAM: "ngram",
    },
    TaskChoice.VECTORS: {},
    TaskChoice.NODES: {},
    TaskChoice.MLM: {ModelName.TRANSFORMER: "encoder"},
    TaskChoice.ELMO: {ModelName.RECURRENT: "elmo"},
    TaskChoice.TAG: READERS,
    TaskChoice.CLASSIFY: {**READERS, ModelName.PERCEPTRON: "perceptron"},
    TaskChoice.FORECAST: {ModelName.TRANSFORMER: "forecast_transformer"},  # else decoder-only
    TaskChoice.CAPTION: {ModelName.TRANSFORMER: "captioner"},
    TaskChoice.POLICY: {},
}


Exporting = Annotated[
    bool,
    typer.Option(help="Keep an export of a translator in its folder, which translates several times as fast."),
]


@failing()
def train(
    data: Annotated[
        list[Path],
        typer.Argument(
            default_factory=list,
            show_default=False,
            help="TMX, XLIFF, PO, TSV, CSV or two plain files; CoNLL-U, pictures, or else texts.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model's folder; a run goes on in its own.")],
    source: Annotated[str | None, typer.Option("--from", help="The language to translate from, such as en.")] = None,
    target: Annotated[
        str | None, typer.Option("--to", help="The language to translate to, such as de or pt-BR.")
    ] = None,
    task: Annotated[TaskChoice, typer.Option(help="What to learn.")] = TaskChoice.TRANSLATION,
    dev: Annotated[list[Path] | None, typer.Option(help="Pairs to look at while training; else some of DATA.")] = None,
    test: Annotated[list[Path] | None, typer.Option(help="Pairs to score the end with; else some of DATA.")] = None,
    columns: Annotated[str | None, typer.Option(help="Columns of a table without a header: en,de.")] = None,
    context: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Sentences before it that a source is read with; an empty line, in CSV a row of empty cells, ends a "
            "document. [0, or that of --start]",
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file that may set everything.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="One setting: model.width=256.")] = None,
    preset: Annotated[PresetName | None, typer.Option(help="The size of the model; else by the data.")] = None,
    model: Annotated[ModelName | None, typer.Option(help="The kind of model; else a transformer.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Updates to make.")] = None,
    epochs: Annotated[float | None, typer.Option(min=0.001, help="Passes over the data.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.1, help="Time that the run may take, after --reverse.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Another number gives another run.")] = None,
    vectors: Annotated[Path | None, typer.Option(help="Word vectors that the embedding begins with.")] = None,
    start: Annotated[Path | None, typer.Option(help="A trained model to begin from, with its subwords.")] = None,
    monolingual: Annotated[
        list[Path] | None, typer.Option(help="Text in the language of --to, which --reverse translates to train on.")
    ] = None,
    reverse: Annotated[Path | None, typer.Option(help="A model from --to to --from, for --monolingual.")] = None,
    export: Exporting = True,
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Train a translator on your own files, or with --task another model: a language model, a tagger, BERT and more.

    The same command again goes on where the run was stopped, bit for bit as if it had not been.
    """
    begin(quiet, verbose)
    keep_memory()  # before NumPy and torch begin threads
    given = {"steps": steps, "epochs": epochs, "minutes": minutes}
    if sum(value is not None for value in given.values()) > 1:
        fail("--steps, --epochs and --minutes were given together; use one of them")
    if start is not None and (preset is not None or model is not None):
        fail("--start brings its own model; leave out --preset and --model")
    if task != TaskChoice.TRANSLATION and (monolingual or reverse is not None):
        fail(f"--monolingual and --reverse are for translators; leave them out with --task {task}")
    if task != TaskChoice.TRANSLATION and context is not None:
        fail(f"--context is for translators; leave it out with --task {task}")
    if bool(monolingual) != (reverse is not None):
        fail("--monolingual and --reverse go together: text, and the model that translates it; give both or neither")
    settings = _with_context(settings_of(config, changes, given, seed, _kind(task, model)), context)
    request = make_request(
        _learnt_from(task, data),
        _languages(task, source, target, columns),
        output,
        dev or [],
        test or [],
        columns,
        preset,
        _with_vectors(settings, vectors, start),
        start,
        task,
    )
    run(request, json, as_it_is if reverse is None else _back_translation(monolingual or [], reverse), export)


def _learnt_from(task: TaskChoice, data: list[Path]) -> list[Path]:
    """The files to learn from; a policy needs none."""
    if not data and task != TaskChoice.POLICY:
        fail("DATA is missing; name the files to learn from")
    return data


def _with_context(settings: "Tree", context: int | None) -> "Tree":
    """Settings with the sentences before a source that it is read with."""
    from mirada.training.settings import merge, nested

    return settings if context is None else merge(settings, nested("data.context", context))


def _with_vectors(settings: "Tree", vectors: Path | None, start: Path | None) -> "Tree":
    """Settings with the word vectors that a new model begins with."""
    from mirada.training.settings import merge, nested

    if vectors is None:
        return settings
    if start is not None:
        fail("--vectors is for new models; --start brings its own embedding: leave one of them out")
    return merge(settings, nested("training.vectors", str(vectors)))


def as_it_is(request: "Request", reporter: "Reporter") -> "Request":
    """A request that needs no synthetic pairs."""
    return request


def _back_translation(monolingual: list[Path], reverse: Path) -> "Callable[[Request, Reporter], Request]":
    def add_pairs(request: "Request", reporter: "Reporter") -> "Request":
        from mirada.synthesis.run import back_translate

        return back_translate(request, monolingual, reverse, reporter)

    return add_pairs


def _languages(task: TaskChoice, source: str | None, target: str | None, columns: str | None) -> tuple[str, str]:
    """The languages of a translator; other tasks have none."""
    if task == TaskChoice.TRANSLATION:
        if source is None or target is None:
            fail("--from and --to are missing; a translator is trained with both, such as --from en --to de")
        return source, target
    if (source, target) != (None, None) or (columns is not None and task != TaskChoice.CLASSIFY):
        fail(f"--from, --to and --columns are for translators; leave them out with --task {task}")
    return "", ""


def _kind(task: TaskChoice, model: ModelName | None) -> str | None:
    """The kind of model that a config names."""
    if model is not None and not KINDS[task]:
        fail(f"--model does not serve --task {task}, which has one kind of model; leave it out")
    if model is not None and model not in KINDS[task]:
        fail(f"--model {model} does not serve --task {task}; use {' or '.join(KINDS[task])}")
    return None if model is None else KINDS[task][model]


def settings_of(
    config: Path | None,
    changes: list[str] | None,
    given: dict[str, int | float | None],
    seed: int | None,
    kind: str | None,
) -> "Tree":
    """What a file and the command line say, the command line winning."""
    from mirada.training.settings import merge, nested, read_sets, read_toml

    tree = {} if config is None else read_toml(config)
    tree = merge(tree, read_sets(changes or []))
    for name, value in given.items():
        if value is not None:  # in place of whatever budget a file sets
            training = tree.get("training", {})
            kept = (
                {key: held for key, held in training.items() if key != "budget"} if isinstance(training, dict) else {}
            )
            tree = {**tree, "training": {**kept, "budget": {name: value}}}
    if kind is not None:
        tree = merge(tree, nested("model.kind", kind))
    return tree if seed is None else merge(tree, nested("training.seed", seed))


def make_request(
    data: list[Path],
    languages: tuple[str, str],
    output: Path,
    dev: list[Path],
    test: list[Path],
    columns: str | None,
    preset: PresetName | None,
    settings: "Tree",
    start: Path | None = None,
    task: TaskChoice = TaskChoice.TRANSLATION,
) -> "Request":
    """What is to be trained, on what, and where it goes."""
    from mirada.corpora.languages import normalise
    from mirada.training.preparing import Files
    from mirada.training.run import Request

    named = tuple(named_columns(columns) if task == TaskChoice.CLASSIFY else two_columns(columns) or ())
    source, target = (normalise(language) if language else "" for language in languages)
    files = Files(tuple(data), tuple(dev), tuple(test), source, target, named)
    name = None if preset is None else preset.value
    return Request(files, output, name, settings, "the settings", start, task.value)


def run(request: "Request", json: bool, add_pairs: "Callable[[Request, Reporter], Request]", export: bool) -> None:
    """Train, and tell how it went; `add_pairs` makes the synthetic pairs that the request is still without."""
    from mirada.training.report import ConsoleReporter
    from mirada.training.run import train as begin_training
    from mirada.training.stopping import STOPPED, listening

    reporter = ConsoleReporter(is_quiet())
    against = _reasons_against_export(request)
    if against:
        reporter.say(f"This model will have no CTranslate2 form and cannot be exported: {'; '.join(against)}.")
    with listening() as stop:
        outcome = begin_training(add_pairs(request, reporter), reporter, stop)
    exportable = outcome.finished and request.task == "translation" and not against
    kept = _kept_export(request.output) if export and exportable else None
    if not outcome.finished:
        reporter.say(
            f"Stopped and saved at step {outcome.step:,} of {outcome.total:,}. Give the same command to go on."
        )
    else:
        tell(outcome.result, request.output)
    if json:
        print_json(_as_json(request, outcome) | ({} if kept is None else {"export": kept.quantization}))
    if not outcome.finished:
        raise typer.Exit(STOPPED + (stop.signal or 0))


def _kept_export(model: Path) -> "Kept":
    """The export that a translator keeps, and a word of it."""
    from mirada.export.kept import keep

    with comparing() as listening:
        kept = keep(model, listening)
    say(str(kept))
    return kept


def _reasons_against_export(request: "Request") -> list[str]:
    """Why the translator that is to be trained could not be exported; a preset changes nothing in that."""
    if request.task != "translation":
        return []
    from mirada.export.capability import reasons_against
    from mirada.models.folder import read_config
    from mirada.training.translation import with_preset

    if request.start is not None:
        return reasons_against(read_config(request.start).model)
    return reasons_against(with_preset(request.settings, request.preset or "small", request.where).model)


def _as_json(request: "Request", outcome: "Outcome") -> dict[str, object]:
    told: dict[str, object] = {
        "model": str(request.output),
        "finished": outcome.finished,
        "step": outcome.step,
        "steps": outcome.total,
    }
    return told if outcome.result is None else told | outcome.result.as_json()
