"""`mirada info` of models that read no text: forecasters, and those that look at pictures."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mirada.cli.info import Known, _files, _listed, _parameters, _progress, _setting, _told

if TYPE_CHECKING:
    from mirada.models.config import Shape

# Of models, and their tasks.
KINDS = {
    "forecaster": "forecast",
    "forecast_transformer": "forecast",
    "patches": "classify",
    "captioner": "caption",
}


@dataclass(frozen=True)
class KnownRun:
    """What the files of a folder tell; those that are not there yet tell nothing."""

    task: str
    trained: bool  # whether the model was finished once
    shape: "Shape"
    facts: Mapping[str, object] | None  # of its data
    run: Known  # of its training

    def as_json(self) -> dict[str, object]:
        """All of it for programs."""
        told = self.run.as_json()
        model = {"task": self.task, "model": self.shape.model_dump(mode="json"), "data": self.facts}
        return {name: value for name, value in told.items() if name not in ("from", "to", "vocabulary")} | model

    def lines(self) -> Iterator[str]:
        """All of it for people."""
        known = self.run
        yield _told("folder", str(known.folder))
        yield _told("task", self.task)
        count = "" if known.parameters is None else f", {known.parameters:,} parameters"
        yield _told("model", f"{self.shape.kind}: {self.shape.size}{count}")
        if self.facts is not None:
            yield _told("data", DATA[self.task](self.facts))
        for number, (name, metric) in enumerate(known.tested.items()):
            yield _told("" if number else "scores", f"test: {name} {metric['score']:.4f}  {metric['signature']}")
        if known.best is not None:
            values = "".join(f", {name} {value:.2f}" for name, value in known.best.values.items())
            yield _told("", f"development, best at step {known.best.step:,}: loss {known.best.loss:.4f}{values}")
        if known.record is not None:
            budget = known.record.budget
            yield _told("budget", f"{budget.steps:,} steps, {budget.epochs:g} passes ({budget.why})")
        state = "trained elsewhere" if self.trained and known.record is None else known.state()
        yield _told("training", state)
        yield from _listed(known.files)


def look_at_run(folder: Path) -> KnownRun | None:
    """Read what there is; None for a folder of another task."""
    from mirada.models.folder import CONFIG, FolderError, read_json
    from mirada.training import preparing, record

    if not folder.is_dir():
        return None
    try:
        config = read_json(folder / CONFIG, folder) if (folder / CONFIG).exists() else {}
        facts = folder / preparing.DATA / preparing.FACTS
        found = read_json(facts, folder) if facts.exists() else None
    except FolderError:
        return None  # whoever looks into the folder next tells what is wrong
    run = record.read(folder)
    dumped = config.get("model") or _setting(run, "model")
    kind = dumped.get("kind") if isinstance(dumped, Mapping) else None
    task = KINDS.get(str(kind))
    if task is None:
        return None
    scores = config.get("scores")
    tested = scores if isinstance(scores, Mapping) else {}
    known = Known(folder, None, run, _progress(folder), None, None, _parameters(folder), tested, _files(folder))
    return KnownRun(task, bool(config), _shape(task, dumped, folder), found, known)


def _shape(task: str, dumped: object, folder: Path) -> "Shape":
    """The shape of a model, from its folder or from the settings of its run."""
    from pydantic import TypeAdapter, ValidationError

    from mirada.models.captioner_config import CaptionerConfig
    from mirada.models.folder import FolderError
    from mirada.models.forecasting_config import ForecastModelConfig
    from mirada.models.patches_config import PatchesConfig

    adapters: dict[str, TypeAdapter[Any]] = {
        "forecast": TypeAdapter(ForecastModelConfig),
        "classify": TypeAdapter(PatchesConfig),
        "caption": TypeAdapter(CaptionerConfig),
    }
    try:
        return adapters[task].validate_python(dumped)
    except ValidationError as error:
        raise FolderError(
            f"{folder} names a model that this version does not know ({error.error_count()} values are wrong); "
            "copy the folder again, or use the version that made it"
        ) from None


def _series(facts: Mapping[str, object]) -> str:
    channels = facts.get("channels")
    count = len(channels) if isinstance(channels, list) else 0
    parts = (
        f"{facts.get('train'):,} steps trained on, {facts.get('dev'):,} looked at, {facts.get('test'):,} to test with"
    )
    return f"{count:,} channels in steps of one {facts.get('step')}: {parts}"


def _labelled_pictures(facts: Mapping[str, object]) -> str:
    from mirada.training.picture_preparing import PictureFacts, told

    return told(PictureFacts.model_validate(facts))


def _captions(facts: Mapping[str, object]) -> str:
    from mirada.training.caption_preparing import CaptionFacts, told

    return told(CaptionFacts.model_validate(facts))


DATA: Mapping[str, Callable[[Mapping[str, object]], str]] = {
    "forecast": _series,
    "classify": _labelled_pictures,
    "caption": _captions,
}
