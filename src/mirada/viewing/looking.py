"""Looking: a model's folder and what it is to read become a view, by what the model is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mirada.models.folder import task_of
from mirada.models.picture_folder import reads_pictures
from mirada.viewing.contract import View
from mirada.viewing.patches import require_pictures
from mirada.viewing.sequences import require_no_reference

PICTURES: Final = "pictures"  # what is called a classifier of pictures here, whose task is "classify" as well


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model is looked at with: a text, or the path of a picture, and what it is told."""

    folder: Path
    text: str
    reference: str | None = None  # what a translator or a captioner is made to say
    beam: int = 5
    language: str | None = None  # of a caption
    number: int | None = None  # which picture of a file that holds several

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.folder.resolve().name


def look_into(asked: Asked) -> View:
    """What the model of a folder sees, and what it says."""
    task = task_of(asked.folder)
    if task == "classify" and reads_pictures(asked.folder):
        task = PICTURES
    _require_suited(asked, task)
    return LOOKS.get(task, _translation)(asked)  # who is no translator is told so when it is loaded


def _require_suited(asked: Asked, task: str) -> None:
    """Refuse what a model of this task has no use for, and a picture that is not there."""
    if task not in ("translation", "caption"):
        require_no_reference(asked.reference)
    if asked.language is not None and task != "caption":
        raise ValueError("a language is what a captioner is told to write, and this is none; leave it out")
    if task in ("caption", PICTURES):
        require_pictures(Path(asked.text))
    elif asked.number is not None:
        raise ValueError("a number says which picture of several is meant, and this model reads none; leave it out")


def _language(asked: Asked) -> View:
    from mirada.generator import Generator
    from mirada.viewing import language

    return language.look(Generator.load(asked.folder), asked.text, name=asked.name)


def _masked(asked: Asked) -> View:
    from mirada.filler import Filler
    from mirada.viewing import masked

    return masked.look(Filler.load(asked.folder), asked.text, name=asked.name)


def _tags(asked: Asked) -> View:
    from mirada.labeller import Tagger
    from mirada.viewing import labelling

    return labelling.look_at_tags(Tagger.load(asked.folder), asked.text, name=asked.name)


def _class(asked: Asked) -> View:
    from mirada.labeller import Classifier
    from mirada.viewing import labelling

    return labelling.look_at_class(Classifier.load(asked.folder), asked.text, name=asked.name)


def _picture(asked: Asked) -> View:
    from mirada.recogniser import Recogniser
    from mirada.viewing import recognising

    return recognising.look(Recogniser.load(asked.folder), Path(asked.text), number=asked.number, name=asked.name)


def _caption(asked: Asked) -> View:
    from mirada.describer import Describer
    from mirada.viewing import captioning

    return captioning.look(
        Describer.load(asked.folder),
        Path(asked.text),
        language=asked.language,
        reference=asked.reference,
        beam=asked.beam,
        number=asked.number,
        name=asked.name,
    )


def _nodes(asked: Asked) -> View:
    from mirada.node_classifier import NodeClassifier
    from mirada.viewing import nodes

    return nodes.look(NodeClassifier.load(asked.folder), asked.text, name=asked.name)


def _translation(asked: Asked) -> View:
    from mirada.translator import Translator
    from mirada.viewing import translation

    translator = Translator.load(asked.folder)
    return translation.look(translator, asked.text, reference=asked.reference, beam=asked.beam, name=asked.name)


# Each task has a line here.
LOOKS: Mapping[str, Callable[[Asked], View]] = {
    "lm": _language,
    "mlm": _masked,
    "tag": _tags,
    "classify": _class,
    PICTURES: _picture,
    "caption": _caption,
    "nodes": _nodes,
}
