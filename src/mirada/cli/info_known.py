"""What the files of a model's folder tell, whatever its task; those that are not there tell nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mirada.models.config import AnyShape
    from mirada.models.folder import AnyFolderConfig
    from mirada.tasks.task import Score
    from mirada.training.checkpoint import Progress
    from mirada.training.facts import PreparedFacts
    from mirada.training.record import RunRecord


@dataclass(frozen=True)
class Known:
    """What is known of a model."""

    folder: Path
    config: "AnyFolderConfig | None"  # of a model that was finished once
    record: "RunRecord | None"  # of its training
    progress: "Progress | None"
    facts: "PreparedFacts | None"  # of its data
    model: "AnyShape | None"
    parameters: int | None
    files: Mapping[str, int]  # with their bytes; folders with those of all in them

    @property
    def task(self) -> str:
        """What the model is for."""
        return self.config.task if self.config is not None else task_of_run(self.record)

    @property
    def languages(self) -> tuple[str, str]:
        """From and to; empty where nobody tells, and for other tasks than translation."""
        if self.config is not None:
            return str(getattr(self.config, "source", "")), str(getattr(self.config, "target", ""))
        data = self.record.identity.get("data") if self.record is not None else None
        return (str(data.get("from", "")), str(data.get("to", ""))) if isinstance(data, Mapping) else ("", "")

    @property
    def context(self) -> int:
        """How many sentences before a text a translator reads with it."""
        found = getattr(self.config, "context", 0)
        return found if isinstance(found, int) and self.task == "translation" else 0

    @property
    def vocabulary(self) -> int | None:
        """How many units of text there are; None where no text is read."""
        found = getattr(self.config, "vocabulary", None) or getattr(self.facts, "vocabulary", None)
        return found if isinstance(found, int) else None

    @property
    def units(self) -> str:
        """What the vocabulary consists of."""
        if self.task == "vectors":
            return "words"
        found = getattr(self.config, "units", None) or getattr(self.facts, "units", None)
        return found if isinstance(found, str) else "subwords"

    @property
    def tested(self) -> dict[str, dict[str, object]]:
        """The scores of the test set with their signatures."""
        return {} if self.config is None else {name: one.model_dump() for name, one in self.config.scores.items()}

    @property
    def best(self) -> "Score | None":
        """The best score on the development set, by what the run selects."""
        if self.progress is None or not self.progress.scores:
            return None
        select = setting(self.record, "training", "select")
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

    @cached_property
    def export(self) -> str | None:
        """What is known of the export that a translator's folder keeps; None where there is none."""
        from mirada.export.choice import is_stale
        from mirada.export.folder import INSIDE, ExportError, is_exported, read_about

        if not is_exported(self.folder / INSIDE):
            return None
        try:
            form = read_about(self.folder / INSIDE).form
        except ExportError as error:
            return f"of no use: {error}"
        return f"for CTranslate2, {form}{'; of other weights, so it is not used' if is_stale(self.folder) else ''}"

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
            **({"context": self.context} if self.context else {}),  # of translators that read documents
            "scores": {"development": self.best.model_dump(mode="json") if self.best else None, **self.tested},
            "budget": budget.model_dump(mode="json") if budget else None,
            **({} if self.export is None else {"export": self.export}),
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


def look_into(folder: Path) -> Known:
    """Read what there is; a folder of another kind is an error that says so."""
    from mirada.models.folder import CONFIG
    from mirada.training import preparing, record

    run = record.read(folder) if folder.is_dir() else None
    data = folder / preparing.DATA / preparing.FACTS
    begun = run is not None or data.exists()
    config: AnyFolderConfig | None = None
    if not begun or (folder / CONFIG).exists():
        config = _read_config(folder)
    model = config.model if config is not None else _model_of(run, folder)
    return Known(
        folder=folder,
        config=config,
        record=run,
        progress=_progress(folder),
        facts=_facts(data, task_of_run(run) if config is None else config.task, model),
        model=model,
        parameters=_parameters(folder),
        files=files_of(folder),
    )


def _read_config(folder: Path) -> "AnyFolderConfig":
    """The config of a finished folder, by its task; where that is not known, the reader of translators says so."""
    from mirada.models.folder import CONFIG, read_config, read_json, task_of
    from mirada.training.known import known_task

    model = read_json(folder / CONFIG, folder).get("model")
    known = known_task(task_of(folder), model.get("kind") if isinstance(model, Mapping) else None)
    return read_config(folder) if known is None else known.read_config(folder)


def task_of_run(run: "RunRecord | None") -> str:
    """What a run learns; records of the first versions do not say it, and data alone may be for any task."""
    if run is not None and run.task:
        return run.task
    return "lm" if "language" in str(setting(run, "model", "kind")) else "translation"


def _facts(path: Path, task: str, model: "AnyShape | None") -> "PreparedFacts | None":
    """What the preparation of the data found, where that is still kept."""
    from pydantic import ValidationError

    from mirada.models.folder import FolderError, read_json
    from mirada.training.known import known_task

    known = known_task(task, None if model is None else model.kind)
    if known is None or not path.exists():
        return None
    try:
        return known.facts.model_validate(read_json(path, path.parent))
    except (FolderError, ValidationError):  # it is made again when the run goes on
        return None


def _model_of(run: "RunRecord | None", folder: Path) -> "AnyShape | None":
    """The shape of a model that is still in training, from the settings of its run."""
    from pydantic import ValidationError

    from mirada.models.config import AnyShape, problems
    from mirada.models.folder import FolderError
    from mirada.training.known import known_task
    from mirada.training.record import NAME

    dumped = setting(run, "model")
    known = known_task(task_of_run(run), setting(run, "model", "kind"))
    if dumped is None or known is None:
        return None
    try:
        found = getattr(known.run.model_validate({"model": dumped}), "model", None)
    except ValidationError as error:
        raise FolderError(problems(error, known.run, str(folder / NAME))) from None
    return found if isinstance(found, AnyShape) else None


def setting(run: "RunRecord | None", *names: str) -> object:
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


def files_of(folder: Path) -> dict[str, int]:
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
