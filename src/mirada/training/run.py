"""A run, from files to a finished folder; called again with the same request, it goes on where it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch

from mirada.models.folder import FolderError
from mirada.training import budget as budgets
from mirada.training import ngram, vectors
from mirada.training import record as records
from mirada.training.captioning import CaptionFamily
from mirada.training.classifying import ClassifyFamily
from mirada.training.config import RunConfig
from mirada.training.elmo import ElmoFamily
from mirada.training.forecasting import ForecastFamily
from mirada.training.language import LanguageFamily
from mirada.training.masked import MaskedFamily
from mirada.training.nodes import NodesFamily
from mirada.training.picturing import PictureFamily, holds_labelled_pictures
from mirada.training.policy import PolicyFamily
from mirada.training.preparing import DATA, Files
from mirada.training.record import RunRecord
from mirada.training.report import Reporter
from mirada.training.session import Outcome, Session
from mirada.training.settings import ConfigError, Tree, kind_in, shape_model, validate_as
from mirada.training.stopping import Stop
from mirada.training.subject import Family, Ready
from mirada.training.tagging import TagFamily
from mirada.training.translation import TranslationFamily

TaskName = Literal[
    "translation", "lm", "vectors", "mlm", "elmo", "tag", "classify", "caption", "forecast", "nodes", "policy"
]
USUAL = "small"  # the preset of a run whose data is not known yet
# A model learns little of a text that has fewer tokens than this for each of its parameters. Measured on Multi30k: in
# the same 20 minutes a model with 8 beats one with 0.8; with 1 the larger one needs half as many tokens to be as good.
TOKENS_FOR_A_PARAMETER = 2.0
MARK = ".mirada"  # a file that says: this folder is ours


@dataclass(frozen=True)
class Request:
    """What the user wants trained, on what, and where it goes."""

    files: Files
    output: Path
    preset: str | None = None
    settings: Tree = field(default_factory=dict)  # from a file and the command line
    where: str = "the settings"  # for errors
    start: Path | None = None
    task: TaskName = "translation"


def train(request: Request, reporter: Reporter, stop: Stop) -> Outcome:
    """Train, or go on training, until the budget is used or the run is stopped."""
    begun = time.monotonic()
    if request.task == "lm" and kind_in(request.settings) == "ngram":
        return _count(request, reporter)
    if request.task == "vectors":
        return _learn_vectors(request, reporter, stop)
    family = family_of(request)
    _require_possible(request, family)
    before = _same_run(request, family)
    claim(request.output)
    preset = request.preset or USUAL
    ready = family.prepare(preset, reporter.say)

    def session(name: str) -> Session[Any]:
        subject = ready.subject(name)
        return Session(request.files, request.output, subject, family.started, reporter, stop, begun)

    if family.started is not None:
        return session(USUAL).train()
    if before is not None:
        preset = _preset_of(request, before)
        return session(preset).train(preset)
    return _first_time(request, family, ready, reporter, session)


def _count(request: Request, reporter: Reporter) -> Outcome:
    """An n-gram model, which is counted at once."""
    if request.preset is not None or request.start is not None:
        raise ConfigError("an n-gram model has no --preset and no --start; use --set model.order=6")
    validate_as(ngram.NgramRunConfig, request.settings, request.where)
    _require_own_folder(request.output, request.files)
    claim(request.output)
    result = ngram.count(request.files, request.output, request.settings, request.where, reporter.say)
    return Outcome(True, 0, 0, result)


def _learn_vectors(request: Request, reporter: Reporter, stop: Stop) -> Outcome:
    """Word vectors, which learn in a way of their own."""
    if request.preset is not None or request.start is not None or request.files.dev or request.files.test:
        raise ConfigError(
            "word vectors have no --preset, --start, --dev and --test; use --set model.width=100, and mirada evaluate"
        )
    config = vectors.config_of(request.settings, request.where)
    _require_own_folder(request.output, request.files)
    claim(request.output)
    return vectors.learn(request.files, request.output, config, reporter, stop)


# What every family is made from: the files, the output, the settings, where they are, and the model to start from.
FAMILIES: Mapping[TaskName, Callable[[Files, Path, Tree, str, Path | None], Family]] = {
    "translation": TranslationFamily,
    "lm": LanguageFamily,
    "mlm": MaskedFamily,
    "elmo": ElmoFamily,
    "tag": TagFamily,
    "classify": ClassifyFamily,
    "caption": CaptionFamily,
    "forecast": ForecastFamily,
    "nodes": NodesFamily,
    "policy": PolicyFamily,
}


def family_of(request: Request) -> Family:
    """The family of tasks that a request belongs to."""
    if request.task not in FAMILIES:
        raise ConfigError("word vectors are no family of models with batches; they are trained by themselves")
    family = FAMILIES[request.task]
    if request.task == "classify" and holds_labelled_pictures(request.files.train[0]):
        family = PictureFamily
    return family(request.files, request.output, request.settings, request.where, request.start)


def examine(request: Request) -> RunConfig:
    """The config of a translator as far as it is known before the data, when it can be trained at all."""
    family = _translation(request)
    _require_possible(request, family)
    return family.config(request.preset or USUAL)


def _translation(request: Request) -> TranslationFamily:
    return TranslationFamily(request.files, request.output, request.settings, request.where, request.start)


def _require_possible(request: Request, family: Family) -> None:
    """What cannot be done is told before hours are spent."""
    early = family.config(request.preset or USUAL)
    budgets.asked(early.training.budget)
    _require_buildable(family, request)
    _require_own_folder(request.output, request.files)


def _same_run(request: Request, family: Family) -> RunRecord | None:
    """What the folder says of the run in it, if that is this one; nothing is touched where it is another."""
    before = records.read(request.output) if request.output.is_dir() else None
    if before is not None:
        config = family.config(_preset_of(request, before))
        records.require_same(request.output, before, records.identity_of(request.files, config, family.started))
    return before


def _preset_of(request: Request, before: RunRecord) -> str:
    return request.preset or str(before.decided["preset"]) or USUAL  # a run with --start has none


def _first_time(
    request: Request, family: Family, ready: Ready, reporter: Reporter, session: Callable[[str], Session[Any]]
) -> Outcome:
    """Begin with the preset that was asked for, or that suits the data and the time."""
    suited = request.preset or ready.suited
    minutes = family.config(suited).training.budget.minutes
    if minutes is None or request.preset is not None or shape_model(request.settings):
        return session(suited).train(suited)
    names = family.presets
    for name in reversed(names[1 : names.index(suited) + 1]):
        begun = session(name)
        if begun.tokens_in(minutes) >= TOKENS_FOR_A_PARAMETER * begun.parameters:
            return begun.train(name)
        reporter.say(f"The model '{name}' suits the data, but would see too little of it in {minutes:g} minutes.")
    return session(names[0]).train(names[0])


def _require_own_folder(output: Path, files: Files) -> None:
    """A folder that holds something else is not written to, and no input stands where a run writes."""
    if output.exists() and not output.is_dir():
        raise FolderError(f"--output {output} is a file; name a folder")
    inputs = [path.resolve() for path in (*files.train, *files.dev, *files.test, *files.synthetic)]
    inside = [path for path in inputs if path.is_relative_to((output / DATA).resolve())]
    if inside:
        raise FolderError(f"{inside[0]} stands in {output / DATA}, which the run writes anew; name another --output")
    ours = any((output / name).exists() for name in (MARK, records.NAME))
    if output.is_dir() and any(output.iterdir()) and not ours:
        raise FolderError(f"--output {output} holds other files; name a new folder, or that of an earlier run")


def claim(output: Path) -> None:
    """Make the folder, mark it as a run's own, and remove what a sudden end left half-written."""
    output.mkdir(parents=True, exist_ok=True)
    (output / MARK).write_text(
        "The folder of a run of mirada, which writes and removes files here.\n", encoding="utf-8"
    )
    for left in (*output.glob(".*.safetensors.*"), *output.glob("*/.*.safetensors.*")):
        left.unlink()


def _require_buildable(family: Family, request: Request) -> None:
    """What cannot be built is told before hours are spent on the data."""
    try:
        with torch.device("meta"):
            family.sketch(request.preset or USUAL)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ConfigError(f"{request.where}: this model cannot be built: {error}") from None
