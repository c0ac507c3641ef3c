"""Tiny taggers and classifiers without training."""

from pathlib import Path

from mirada.labeller import Classifier, Tagger
from mirada.models.config import StackConfig
from mirada.models.folder import tensors_of
from mirada.models.labelling_config import ClassifierHeadConfig, build_labeller
from mirada.models.labelling_folder import (
    AnyLabelFolderConfig,
    ClassifierFolderConfig,
    LoadedLabeller,
    TaggerFolderConfig,
    save,
)
from mirada.models.reading_config import AnyReadingConfig, EncoderConfig
from mirada.text.labels import Labels
from tests.translators import subwords

SHAPE = EncoderConfig(width=12, feed_forward=17, stack=StackConfig(layers=2, heads=3))
TAGS = ("ADJ", "NOUN", "VERB")


def _loaded(config: AnyLabelFolderConfig) -> LoadedLabeller:
    model = build_labeller(config.model, config.head, config.size, len(config.labels), seed=5).eval()
    return LoadedLabeller(config, model, subwords(), Labels(config.labels))


def tagger(shape: AnyReadingConfig = SHAPE) -> Tagger:
    config = TaggerFolderConfig(vocabulary=subwords().size, labels=TAGS, longest=30, model=shape)
    return Tagger(Path(), _loaded(config), config)


def classifier(pooling: str = "attention", shape: AnyReadingConfig = SHAPE) -> Classifier:
    head = ClassifierHeadConfig(pooling=pooling)
    config = ClassifierFolderConfig(
        vocabulary=subwords().size, labels=("bad", "good"), longest=30, model=shape, head=head
    )
    return Classifier(Path(), _loaded(config), config)


def saved(made: Tagger | Classifier, folder: Path) -> Path:
    """The folder of one of them."""
    save(folder, made.loaded.config, tensors_of(made.loaded.model), subwords(), "# A model\n")
    return folder
