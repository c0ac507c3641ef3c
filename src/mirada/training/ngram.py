"""An n-gram model as a run: its text is prepared as that of every language model, and then counted once."""

from __future__ import annotations

from pathlib import Path

import torch

from mirada import __version__
from mirada.evaluation.language import TextScore
from mirada.models import language_folder
from mirada.models.config import NgramConfig, Strict
from mirada.models.language_folder import LanguageFolderConfig
from mirada.models.ngram import Ngram
from mirada.tasks.task import Score
from mirada.training.language import recorded
from mirada.training.language_config import TextConfig
from mirada.training.language_preparing import PreparedText, prepare_text
from mirada.training.preparing import Files, Say
from mirada.training.result import LanguageResult
from mirada.training.settings import Tree, validate_as


class NgramRunConfig(Strict):
    """A whole run of an n-gram model: nothing is learnt step by step."""

    data: TextConfig = TextConfig()
    model: NgramConfig = NgramConfig()


def count(files: Files, folder: Path, settings: Tree, where: str, say: Say) -> LanguageResult:
    """Count the n-grams of a text and write the folder."""
    config = validate_as(NgramRunConfig, settings, where)
    prepared = prepare_text(folder, files, config.data, None, say)
    units = prepared.units
    model = Ngram.count(prepared.stores["train"].stream("source"), config.model.order, units.size, units.line_end)
    say(f"{model.size:,} different n-grams of 1 to {model.order} {prepared.facts.units} counted.")
    development, test = _score(model, prepared, "dev"), _score(model, prepared, "test")
    loss = 0.0 if development is None else development.loss
    described = LanguageFolderConfig(
        mirada=__version__,
        units=prepared.facts.units,
        vocabulary=units.size,
        scores={} if test is None else recorded(test),
        model=config.model,
    )
    card = f"# An n-gram model\n\nMade by mirada {__version__}: {config.model.size}, {model.size:,} n-grams.\n"
    tensors = {name: torch.from_numpy(numbers) for name, numbers in model.tensors().items()}
    language_folder.save(folder, described, tensors, units, card)
    return LanguageResult(development=Score(step=0, loss=loss), parameters=model.size, steps=(), test=test)


def _score(model: Ngram, prepared: PreparedText, part: str) -> TextScore | None:
    text = prepared.stores[part].stream("source")
    if not len(text):
        return None
    loss = -float(model.log_probabilities(text).mean())
    return TextScore(loss, len(text), prepared.facts.characters[part], model.context, 1)
