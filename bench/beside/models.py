"""The model that is translated with: given, or trained as a newcomer would train it, and exported in int8."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from beside.bench import Bench
from beside.task import LANGUAGES, DataError, require_corpus
from mirada.export.choice import WEIGHTS
from mirada.export.folder import fingerprint, is_exported, read_about

MINUTES = 20  # of training; models of five say so much again and again that searches differ in their limits alone
SHORTLIST = "vmap.txt"  # of an exported folder that has one


@dataclass(frozen=True)
class Exports:
    """An export as it is made by default, and the same weights without a shortlist."""

    usual: Path
    plain: Path

    @property
    def has_shortlist(self) -> bool:
        """Whether the two differ."""
        return (self.usual / SHORTLIST).is_file()


def trained_model(bench: Bench) -> Path:
    """The model that was given, or that of an earlier measure or run, or else a new one."""
    if bench.model is not None:
        if not (bench.model / WEIGHTS).is_file():
            raise DataError(f"--model {bench.model} has no {WEIGHTS}; give the folder of a trained model")
        return bench.model
    model = _place(bench)
    return model if (model / WEIGHTS).is_file() else train_model(bench)


def train_model(bench: Bench) -> Path:
    """A model with the defaults, in place of the one before."""
    corpus = require_corpus(bench.data)
    model = _place(bench)
    shutil.rmtree(model, ignore_errors=True)
    print(f"Training a model to translate with, {MINUTES} minutes.", file=sys.stderr, flush=True)
    parts = (("", "train"), ("--dev", "val"), ("--test", "test_2016_flickr"))
    files = [
        word
        for option, part in parts
        for language in LANGUAGES.values()
        for word in (option, str(corpus / f"{part}.{language}"))
        if word
    ]
    _mirada("train", *files, "--from", "en", "--to", "de", "--minutes", str(MINUTES), "--output", str(model))
    return model


def _place(bench: Bench) -> Path:
    return bench.home / "default-model"


def exported_models(bench: Bench) -> Exports:
    """The int8 exports of the model, made once for its weights."""
    model = trained_model(bench)
    return Exports(_exported(bench, model, ""), _exported(bench, model, "-plain", "--no-shortlist"))


def _exported(bench: Bench, model: Path, name: str, *options: str) -> Path:
    """An export of its own: the weights of one with a shortlist are not those of one without."""
    folder = bench.home / f"int8-{model.resolve().name}{name}"
    if not (is_exported(folder) and read_about(folder).weights == fingerprint(model / WEIGHTS)):
        _mirada("export", str(model), "--quantization", "int8", *options, "--output", str(folder))
    return folder


def _mirada(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "mirada", *words, "--quiet"], check=True)
