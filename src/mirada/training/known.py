"""The tasks whose folders can be read, each with the kinds of its files: one line makes a new task known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mirada.models import (
    caption_folder,
    folder,
    forecasting_folder,
    labelling_folder,
    language_folder,
    nodes_folder,
    picture_folder,
    policy_folder,
    text_folders,
    vectors_folder,
)
from mirada.models.config import Strict
from mirada.models.folder import AnyFolderConfig
from mirada.training.caption_config import CaptionRunConfig
from mirada.training.caption_preparing import CaptionFacts
from mirada.training.config import RunConfig
from mirada.training.facts import PreparedFacts
from mirada.training.forecasting_config import ForecastRunConfig
from mirada.training.forecasting_preparing import SeriesFacts
from mirada.training.labelling_config import ClassifyRunConfig, TagRunConfig
from mirada.training.labelling_preparing import LabelFacts
from mirada.training.language_config import LanguageRunConfig
from mirada.training.language_preparing import TextFacts
from mirada.training.masked_config import ElmoRunConfig, MaskedRunConfig
from mirada.training.nodes_config import NodesRunConfig
from mirada.training.nodes_preparing import GraphFacts
from mirada.training.picture_preparing import PictureFacts
from mirada.training.picturing import PictureRunConfig
from mirada.training.policy import EpisodesFacts
from mirada.training.policy_config import PolicyRunConfig
from mirada.training.preparing import Facts
from mirada.training.vectors_config import VectorsRunConfig
from mirada.training.vectors_preparing import WordFacts


@dataclass(frozen=True, slots=True)
class KnownTask:
    """What the folder of a task holds: `config.json`, the facts of its data, and the settings of its run."""

    read_config: Callable[[Path], AnyFolderConfig]
    facts: type[PreparedFacts]
    run: type[Strict]  # its field `model` is what is trained


PICTURES = "pictures"  # what --task classify does with them, by models of their own
TASKS: Mapping[str, KnownTask] = {
    "translation": KnownTask(folder.read_config, Facts, RunConfig),
    "lm": KnownTask(language_folder.read_config, TextFacts, LanguageRunConfig),
    "mlm": KnownTask(text_folders.read_config, TextFacts, MaskedRunConfig),
    "elmo": KnownTask(text_folders.read_config, TextFacts, ElmoRunConfig),
    "vectors": KnownTask(vectors_folder.read_config, WordFacts, VectorsRunConfig),
    "tag": KnownTask(labelling_folder.read_config, LabelFacts, TagRunConfig),
    "classify": KnownTask(labelling_folder.read_config, LabelFacts, ClassifyRunConfig),
    PICTURES: KnownTask(picture_folder.read_config, PictureFacts, PictureRunConfig),
    "caption": KnownTask(caption_folder.read_config, CaptionFacts, CaptionRunConfig),
    "nodes": KnownTask(nodes_folder.read_config, GraphFacts, NodesRunConfig),
    "forecast": KnownTask(forecasting_folder.read_config, SeriesFacts, ForecastRunConfig),
    "policy": KnownTask(policy_folder.read_config, EpisodesFacts, PolicyRunConfig),
}


def known_task(task: str, kind: object) -> KnownTask | None:
    """The kinds of files of a task with a model of this kind."""
    return TASKS.get(PICTURES if (task, kind) == ("classify", picture_folder.KIND) else task)
