"""`mirada info`: what a model's folder is, how good it is, and whether its training can go on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import failing
from mirada.cli.saying import Quiet, Verbose, begin, is_verbose, print_json

if TYPE_CHECKING:
    from mirada.export.folder import Exported
    from mirada.models.config import AnyModelConfig, LookConfig, NgramConfig, RecurrentStackConfig
    from mirada.models.folder import FolderConfig
    from mirada.models.labelling_folder import AnyLabelFolderConfig
    from mirada.models.language_folder import LanguageFolderConfig
    from mirada.models.nodes_config import GraphConfig
    from mirada.models.nodes_folder import NodesFolderConfig
    from mirada.models.reading_config import AnyReadingConfig
    from mirada.models.reading_folder import ReadingFolderConfig
    from mirada.models.vectors_config import VectorsConfig
    from mirada.models.vectors_folder import VectorsFolderConfig

    AnyFolderConfig = (
        FolderConfig
        | LanguageFolderConfig
        | ReadingFolderConfig
        | VectorsFolderConfig
        | NodesFolderConfig
        | AnyLabelFolderConfig
    )
    from mirada.tasks.task import Score
    from mirada.training.checkpoint import Progress
    from mirada.training.labelling_preparing import LabelFacts
    from mirada.training.language_preparing import TextFacts
    from mirada.training.nodes_preparing import GraphFacts
    from mirada.training.preparing import Facts
    from mirada.training.record import RunRecord
    from mirada.training.vectors_preparing import WordFacts

# Of models whose folder does not say yet what they are for: the task of each kind.
TASKS = {"skipgram": "vectors", "cbow": "vectors", "encoder": "mlm", "elmo": "elmo", "graph": "nodes"}
LEFT = 12  # columns of the names before what is told


@dataclass(frozen=True)
class Known:
    """What the files of a folder tell; those that are not there yet, or were not copied, tell nothing."""

    folder: Path
    config: "AnyFolderConfig | None"  # of a model that was finished once
    record: "RunRecord | None"  # of its training
    progress: "Progress | None"
    facts: "Facts | GraphFacts | TextFacts | WordFacts | LabelFacts | None"  # of its data
    model: "AnyModelConfig | GraphConfig | NgramConfig | VectorsConfig | AnyReadingConfig | None"
    parameters: int | None
    tested: Mapping[str, Mapping[str, object]]
    files: Mapping[str, int]  # with their bytes; folders with those of all in them

    @property
    def languages(self) -> tuple[str, str]:
        """From and to; empty where nobody tells, and for other tasks than translation."""
        if self.config is not None:
            return str(getattr(self.config, "source", "")), str(getattr(self.config, "target", ""))
        data = self.record.identity.get("data") if self.record is not None else None
        return (str(data.get("from", "")), str(data.get("to", ""))) if isinstance(data, Mapping) else ("", "")

    @property
    def task(self) -> str:
        """What the model is for."""
        if self.config is not None:
            return self.config.task
        if isinstance(found := getattr(self.facts, "task", None), str):
            return found
        kind = "" if self.model is None else self.model.kind
        return "lm" if "language" in kind else TASKS.get(kind, "translation")

    @property
    def vocabulary(self) -> int | None:
        """How many subwords there are."""
        return self.config.vocabulary if self.config else self.facts.vocabulary if self.facts else None

    @property
    def units(self) -> str:
        """What the vocabulary consists of."""
        if self.task == "vectors":
            return "words"
        return str(getattr(self.config, "units", None) or getattr(self.facts, "units", "subwords"))

    @staticmethod
    def data(facts: "Facts | GraphFacts | TextFacts | WordFacts | LabelFacts") -> str:
        """What was trained on, looked at and tested with, in words."""
        from mirada.training.labelling_preparing import LabelFacts
        from mirada.training.language_preparing import TextFacts
        from mirada.training.nodes_preparing import GraphFacts, told_facts
        from mirada.training.vectors_preparing import WordFacts

        if isinstance(facts, LabelFacts):
            train, dev, test = (facts.units[part] for part in ("train", "dev", "test"))
            told = f"{facts.labels:,} labels: {train:,} {'words' if facts.task == 'tag' else 'rows'}"
            return f"{told} trained on, {dev:,} looked at, {test:,} to test with"
        if isinstance(facts, GraphFacts):
            return told_facts(facts)
        if isinstance(facts, TextFacts):
            train, dev, test = (facts.tokens[part] for part in ("train", "dev", "test"))
            return f"{train:,} {facts.units} trained on, {dev:,} looked at, {test:,} to test with"
        if isinstance(facts, WordFacts):
            return f"{facts.running:,} words trained on, {facts.different:,} different, in {facts.lines:,} lines"
        return f"{facts.train:,} pairs trained on, {facts.dev:,} looked at, {facts.test:,} to test with"

    @property
    def best(self) -> "Score | None":
        """The best score on the development set, by what the run selects."""
        if self.progress is None or not self.progress.scores:
            return None
        select = _setting(self.record, "training", "select")
        usual = all("chrf" in one.values for one in self.progress.scores)
        name = select if isinstance(select, str) else "chrf" if usual else "loss"
        return max(self.progress.scores, key=lambda one: (one.measure(name), one.step))

    @property
    def status(self) -> str:
        """One word for programs: finished, running, prepared, or trained where its training was not copied along."""
        if self.record is not None:
            return self.record.status
        return "trained" if self.config is not None else "prepared"

    @property
    def can_go_on(self) -> bool:
        """Whether the command that began the training would go on where it stopped."""
        return self.record is not None and self.progress is not None and self.status == "running"

    def state(self) -> str:
        """The state of the training in words."""
        if self.model is not None and self.model.kind == "ngram":
            return "counted at once; the same command counts again"
        if self.record is None:
            return "trained elsewhere" if self.config is not None else "the data is prepared; no step was made yet"
        step, steps = self.progress.step if self.progress else 0, self.record.budget.steps
        if self.status == "finished":
            early = "; nothing got better, so it stopped early" if 0 < step < steps else ""
            further = (
                "its rate has fallen to nothing" if self.task == "vectors" else "a larger budget goes on from there"
            )
            return f"finished after {step or steps:,} of {steps:,} steps{early}; {further}"
        if self.progress is None:
            return f"begun, and nothing is saved yet of {steps:,} steps; the same command begins again"
        return f"at step {step:,} of {steps:,}; if it is not running, the same command goes on from there"

    def as_json(self) -> dict[str, object]:
        """All of it for programs."""
        source, target = self.languages
        budget = self.record.budget if self.record else None
        return {
            "folder": str(self.folder),
            "task": self.task,
            "from": source,
            "to": target,
            "model": self.model.model_dump(mode="json") if self.model else None,
            "parameters": self.parameters,
            "vocabulary": self.vocabulary,
            "scores": {"development": self.best.model_dump(mode="json") if self.best else None, **self.tested},
            "budget": budget.model_dump(mode="json") if budget else None,
            "training": {
                "status": self.status,
                "can_go_on": self.can_go_on,
                "step": self.progress.step if self.progress else None,
                "steps": budget.steps if budget else None,
                "seconds": self.progress.seconds if self.progress else None,
                "tokens": self.progress.tokens if self.progress else None,
                "decided": self.record.decided if self.record else None,
            },
            "data": self.facts.model_dump(mode="json") if self.facts else None,
            "files": dict(self.files),
            "bytes": sum(self.files.values()),
        }


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
            "mirada": about.mirada,
            "files": dict(self.files),
            "bytes": sum(self.files.values()),
        }

    def lines(self) -> Iterator[str]:
        """All of it for people."""
        about = self.about
        yield _told("folder", str(self.folder))
        yield _told("task", f"translation from {about.source} to {about.target}")
        rounded = "float32" if about.quantization == "none" else about.quantization
        yield _told("model", f"exported for CTranslate2, {rounded}; its card says what it was made from")
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
    from mirada.cli.info_runs import look_at_run
    from mirada.export.folder import is_exported

    known = _look_at_export(model) if is_exported(model) else look_at_run(model) or look_into(model)
    if as_json:
        print_json(known.as_json())
    else:
        typer.echo("\n".join(_lines(known) if isinstance(known, Known) else known.lines()))


def _look_at_export(folder: Path) -> KnownExport:
    """Read what an exported folder says of itself, when all its files are there."""
    from mirada.export.folder import read_about

    return KnownExport(folder, read_about(folder), _files(folder))


def look_into(folder: Path) -> Known:
    """Read what there is; a folder of another kind is an error that says so."""
    from mirada.models.folder import CONFIG
    from mirada.training import preparing, record

    run = record.read(folder) if folder.is_dir() else None
    facts = _facts(folder / preparing.DATA)
    begun = run is not None or facts is not None
    config: AnyFolderConfig | None = None
    if not begun or (folder / CONFIG).exists():
        config = _read_config(folder)
    return Known(
        folder=folder,
        config=config,
        record=run,
        progress=_progress(folder),
        facts=facts,
        model=config.model if config is not None else _model_of(run, folder),
        parameters=_parameters(folder),
        tested=_tested(config),
        files=_files(folder),
    )


def _read_config(folder: Path) -> "AnyFolderConfig":
    """The config of a finished folder, by its task."""
    from mirada.models import labelling_folder, language_folder, nodes_folder, text_folders, vectors_folder
    from mirada.models.folder import read_config, task_of

    match task_of(folder):
        case "lm":
            return language_folder.read_config(folder)
        case "nodes":
            return nodes_folder.read_config(folder)
        case "tag" | "classify":
            return labelling_folder.read_config(folder)
        case "vectors":
            return vectors_folder.read_config(folder)
        case "mlm" | "elmo":
            return text_folders.read_config(folder)
        case _:
            return read_config(folder)


def _facts(data: Path) -> "Facts | GraphFacts | TextFacts | WordFacts | LabelFacts | None":
    """What the preparation of the data found, where that is still kept."""
    from pydantic import TypeAdapter, ValidationError

    from mirada.models.folder import FolderError, read_json
    from mirada.training.labelling_preparing import LabelFacts
    from mirada.training.language_preparing import TextFacts
    from mirada.training.nodes_preparing import GraphFacts
    from mirada.training.preparing import FACTS, Facts
    from mirada.training.vectors_preparing import WordFacts

    if not (data / FACTS).exists():
        return None
    known: TypeAdapter[Facts | GraphFacts | TextFacts | WordFacts | LabelFacts] = TypeAdapter(
        Facts | GraphFacts | TextFacts | WordFacts | LabelFacts
    )
    try:
        return known.validate_python(read_json(data / FACTS, data))
    except (FolderError, ValidationError):  # it is made again when the run goes on
        return None


def _model_of(
    run: "RunRecord | None", folder: Path
) -> "AnyModelConfig | GraphConfig | AnyReadingConfig | VectorsConfig | None":
    """The shape of a model that is still in training, from the settings of its run."""
    from pydantic import ValidationError

    from mirada.models.config import problems
    from mirada.models.folder import FolderError
    from mirada.training.config import RunConfig
    from mirada.training.labelling_config import ClassifyRunConfig
    from mirada.training.language_config import LanguageRunConfig
    from mirada.training.masked_config import ElmoRunConfig, MaskedRunConfig
    from mirada.training.nodes_config import NodesRunConfig
    from mirada.training.record import NAME
    from mirada.training.vectors_config import VectorsRunConfig

    dumped = _setting(run, "model")
    if dumped is None:
        return None
    kinds: dict[
        str,
        type[
            RunConfig
            | NodesRunConfig
            | LanguageRunConfig
            | VectorsRunConfig
            | MaskedRunConfig
            | ElmoRunConfig
            | ClassifyRunConfig
        ],
    ] = {
        "lm": LanguageRunConfig,
        "nodes": NodesRunConfig,
        "vectors": VectorsRunConfig,
        "mlm": MaskedRunConfig,
        "elmo": ElmoRunConfig,
        "labels": ClassifyRunConfig,  # whose model and a tagger's are the same
    }
    named = str(_setting(run, "model", "kind"))
    task = "lm" if "language" in named else TASKS.get(named, "")
    kind = kinds.get(task if _setting(run, "head") is None else "labels", RunConfig)
    try:
        return kind.model_validate({"model": dumped}).model
    except ValidationError as error:
        raise FolderError(problems(error, kind, str(folder / NAME))) from None


def _setting(run: "RunRecord | None", *names: str) -> object:
    """A value of the settings of a run, None where it is not told."""
    found: object = None if run is None else run.identity.get("settings")
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _progress(folder: Path) -> "Progress | None":
    """The numbers in the header of the newest checkpoint that can be read; its tensors are left on the disk."""
    from pydantic import ValidationError
    from safetensors import SafetensorError, safe_open

    from mirada.training.checkpoint import CURRENT, PREVIOUS, Progress

    for path in (folder / CURRENT, folder / PREVIOUS):
        try:
            with safe_open(str(path), framework="np") as file:
                return Progress.model_validate_json((file.metadata() or {})["progress"])
        except (OSError, SafetensorError, KeyError, ValidationError):
            continue
    return None


def _parameters(folder: Path) -> int | None:
    """The numbers that the model has learnt, counted in the header of its weights or of the newest it has kept."""
    from math import prod

    from safetensors import SafetensorError, safe_open

    from mirada.models.folder import WEIGHTS
    from mirada.training.averaging import FOLDER

    for path in (folder / WEIGHTS, *sorted((folder / FOLDER).glob("*.safetensors"), reverse=True)):
        try:
            with safe_open(str(path), framework="np") as file:
                return sum(prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118 no mapping
        except (OSError, SafetensorError):
            continue
    return None


def _tested(config: "AnyFolderConfig | None") -> dict[str, dict[str, object]]:
    """The scores of the test set with their signatures."""
    return {} if config is None else {name: metric.model_dump() for name, metric in config.scores.items()}


def _files(folder: Path) -> dict[str, int]:
    """The files of a folder with their sizes, and its folders with all that is in them, by name."""
    sizes = {}
    for path in sorted(folder.iterdir()):
        inner = path.rglob("*") if path.is_dir() else [path]
        sizes[path.name + ("/" if path.is_dir() else "")] = sum(map(_bytes_of, inner))
    return sizes


def _bytes_of(path: Path) -> int:
    """The size of a file; 0 of what is none, and of one that a run in progress has just taken away."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def _lines(known: Known) -> Iterator[str]:
    """What is known, for people."""
    source, target = known.languages
    yield _told("folder", str(known.folder))
    yield _told("task", f"translation from {source} to {target}" if source else known.task)
    if known.model is not None:
        yield from map(_told, ("model", "", ""), _shape(known))
    if known.vocabulary is not None:
        yield _told("vocabulary", f"{known.vocabulary:,} {known.units}")
    if known.facts is not None:
        yield _told("data", known.data(known.facts))
    yield from map(_told, ("scores", "", "", ""), _scores(known))
    if known.record is not None:
        budget = known.record.budget
        yield _told("budget", f"{budget.steps:,} steps, {budget.epochs:g} passes ({budget.why})")
    yield _told("training", known.state())
    if is_verbose():
        yield from _details(known)
    yield from _listed(known.files)


def _listed(files: Mapping[str, int]) -> Iterator[str]:
    """The files of a folder with their sizes."""
    for number, (name, size) in enumerate(files.items()):
        yield _told("" if number else "files", f"{name:<34}{_size(size):>10}")


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
        yield f"test: {names.get(name, name)} {metric['score']:.2f}  {metric['signature']}"
    if known.best is not None:
        values = "".join(f", {names.get(name, name)} {value:.2f}" for name, value in known.best.values.items())
        yield f"development, best at step {known.best.step:,}: loss {known.best.loss:.3f}{values}"
    elif not known.tested:
        yield "none yet"


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
