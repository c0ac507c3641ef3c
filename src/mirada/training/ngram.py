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
from mirada.text.units import counted_in
from mirada.training.language import recorded
from mirada.training.language_card import write_counted_card
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
    development = Score(step=0, loss=_score(model, prepared, "dev").loss)
    test = _score(model, prepared, "test") if prepared.facts.tokens["test"] else None
    result = LanguageResult(development=development, parameters=model.size, steps=(), test=test)
    described = LanguageFolderConfig(
        mirada=__version__,
        units=prepared.facts.units,
        vocabulary=units.size,
        scores={} if test is None else recorded(test),
        model=config.model,
    )
    card = write_counted_card(described, prepared.facts, result, folder.name)
    tensors = {name: torch.from_numpy(numbers) for name, numbers in model.tensors().items()}
    language_folder.save(folder, described, tensors, units, card)
    return result


def _score(model: Ngram, prepared: PreparedText, part: str) -> TextScore:
    text = prepared.stores[part].stream("source")
    loss = -float(model.log_probabilities(text).mean())
    return TextScore(loss, len(text), prepared.facts.characters[part], model.context, 1, counted_in(prepared.units))
