"""The model that is translated with: given, or trained for some minutes, and exported in int8."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from beside.bench import Bench
from beside.task import DataError, require_corpus
from mirada.export.choice import WEIGHTS
from mirada.export.folder import fingerprint, is_exported, read_about

MINUTES = 5  # of training, where no model is given
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
    """The model that was given, or one of the small shape: some minutes give sentences of the usual length."""
    if bench.model is not None:
        if not (bench.model / WEIGHTS).is_file():
            raise DataError(f"--model {bench.model} has no {WEIGHTS}; give the folder of a trained model")
        return bench.model
    model = bench.home / "model"
    if not (model / WEIGHTS).is_file():
        corpus = require_corpus(bench.data)
        print(f"Training a model to translate with, {MINUTES} minutes.", file=sys.stderr, flush=True)
        files = [str(corpus / f"train.{language}") for language in ("en", "de")]
        looked_at = [word for language in ("en", "de") for word in ("--dev", str(corpus / f"val.{language}"))]
        shape = ["--preset", "small", "--set", "data.vocabulary=8000", "--minutes", str(MINUTES)]
        _mirada("train", *files, *looked_at, "--from", "en", "--to", "de", *shape, "--output", str(model))
    return model


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
