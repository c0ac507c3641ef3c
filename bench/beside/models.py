"""The model that is translated with: given, or trained for some minutes, and exported in int8."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from beside.bench import Bench
from beside.task import DataError, require_corpus
from mirada.export.choice import WEIGHTS
from mirada.export.folder import ABOUT, fingerprint, is_exported, read_about

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
    usual = bench.home / f"int8-{model.resolve().name}"
    if not (is_exported(usual) and read_about(usual).weights == fingerprint(model / WEIGHTS)):
        _mirada("export", str(model), "--quantization", "int8", "--output", str(usual))
    return Exports(usual, _without_shortlist(usual))


def _without_shortlist(exported: Path) -> Path:
    """A copy of an exported folder that searches among all subwords."""
    plain = exported.with_name(f"{exported.name}-plain")
    shutil.rmtree(plain, ignore_errors=True)
    shutil.copytree(exported, plain, ignore=shutil.ignore_patterns(SHORTLIST))
    about = json.loads((plain / ABOUT).read_bytes())
    about.pop("shortlist", None)
    (plain / ABOUT).write_text(json.dumps(about, indent=2), encoding="utf-8")
    return plain


def _mirada(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "mirada", *words, "--quiet"], check=True)
