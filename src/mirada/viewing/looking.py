"""Looking: a model's folder and what it is to read become a view, by what the model is for."""

from __future__ import annotations

from pathlib import Path

from mirada.models.folder import task_of
from mirada.viewing.contract import View


def look_into(folder: Path, text: str, *, reference: str | None = None, beam: int = 5) -> View:
    """What the model of a folder sees, and what it says, at a text."""
    name, task = folder.resolve().name, task_of(folder)
    if task != "translation":
        require_no_reference(reference)
    match task:
        case "lm":
            from mirada.generator import Generator
            from mirada.viewing import language

            return language.look(Generator.load(folder), text, name=name)
        case "mlm":
            from mirada.filler import Filler
            from mirada.viewing import masked

            return masked.look(Filler.load(folder), text, name=name)
        case "tag":
            from mirada.labeller import Tagger
            from mirada.viewing import labelling

            return labelling.look_at_tags(Tagger.load(folder), text, name=name)
        case "classify":
            from mirada.labeller import Classifier
            from mirada.viewing import labelling

            return labelling.look_at_class(Classifier.load(folder), text, name=name)
        case "nodes":
            from mirada.node_classifier import NodeClassifier
            from mirada.viewing import nodes

            return nodes.look(NodeClassifier.load(folder), text, name=name)
        case _:  # who is no translator is told so when it is loaded
            from mirada.translator import Translator
            from mirada.viewing import translation

            return translation.look(Translator.load(folder), text, reference=reference, beam=beam, name=name)


def require_no_reference(reference: str | None) -> None:
    """Refuse a reference where there is no translator to say it."""
    if reference is not None:
        raise ValueError("a reference is what a translator is made to say, and this is none; leave it out")
