"""Tiny classifiers of pictures and captioners without training, and pictures for them."""

from pathlib import Path

import numpy as np
from PIL import Image

from mirada.corpora.pictures.picture import PictureShape
from mirada.corpora.pictures.store import Standard
from mirada.describer import Describer
from mirada.models.build import build_captioner
from mirada.models.caption_folder import CaptionFolderConfig, LoadedCaptioner
from mirada.models.captioner_config import CaptionerConfig
from mirada.models.config import LookConfig, StackConfig
from mirada.models.labelling_config import ClassifierHeadConfig
from mirada.models.patches_config import PatchesConfig
from mirada.models.picture_folder import LoadedPictureClassifier, PictureFolderConfig, build_classifier
from mirada.recogniser import Recogniser
from mirada.text.labels import Labels
from mirada.text.subwords import BEGIN
from tests.translators import subwords

SHAPE = PictureShape(height=6, width=10, channels=3)  # 3 × 5 patches
STANDARD = Standard(mean=(120.0, 130.0, 140.0), deviation=(60.0, 70.0, 80.0))
STACK = StackConfig(layers=2, heads=2)
LABELS = ("cat", "dog", "fox")


def recogniser(
    pooling: str = "mean", class_token: bool = False, shape: PictureShape = SHAPE, patch: int = 2
) -> Recogniser:
    model = PatchesConfig(patch=patch, class_token=class_token, width=8, feed_forward=16, stack=STACK)
    head = ClassifierHeadConfig(pooling=pooling)
    config = PictureFolderConfig(labels=LABELS, shape=shape, standard=STANDARD, model=model, head=head)
    built = build_classifier(model, head, shape, len(LABELS), seed=3).eval()
    return Recogniser(LoadedPictureClassifier(config, built, Labels(LABELS)))


def describer() -> Describer:
    model = CaptionerConfig(
        patch=2,
        width=8,
        feed_forward=16,
        encoder=STACK,
        decoder=STACK,
        cross=LookConfig(heads=2),
        position="learned(40)",
    )
    config = CaptionFolderConfig(
        vocabulary=subwords().size, languages=("",), longest=12, shape=SHAPE, standard=STANDARD, model=model
    )
    built = build_captioner(model, SHAPE, config.vocabulary, seed=4).eval()
    return Describer(LoadedCaptioner(config, built, subwords(), {"": BEGIN}), Path())


def drawn(folder: Path, name: str = "a.png", height: int = 6, width: int = 10) -> Path:
    """A picture of noise in a file."""
    pixels = np.random.default_rng(2).integers(0, 256, (height, width, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(folder / name)
    return folder / name
