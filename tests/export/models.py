"""Tiny models to export: random weights, made sharp, so that no two translations are nearly as good."""

from pathlib import Path

import torch

from mirada.attention import Sinusoidal
from mirada.models.build import build
from mirada.models.config import LookConfig, StackConfig, TransformerConfig
from mirada.models.folder import FolderConfig, Loaded, save, tensors_of
from mirada.native.library import why_not
from tests.translators import TEXTS, subwords

SHARP = 3.0  # times the usual weights
SOURCES = subwords().encode_many([*TEXTS, "Go.", "no", "Wait, wait, and then save the file: one two."], end=True)
SOURCES.append([*SOURCES[3], *SOURCES[1]])  # a sentence with the one before it
ROUNDED_ENGINE = "ctranslate2" if why_not() else "native"  # what computes exports in int8 here


def shape(**changes: object) -> TransformerConfig:
    """A model of two layers and widths that are easily told apart."""
    stack = StackConfig(heads=2, layers=2)
    usual: dict[str, object] = {
        "width": 8,
        "feed_forward": 12,
        "encoder": stack,
        "decoder": stack,
        "cross": LookConfig(heads=2),
        "position": Sinusoidal(),
    }
    return TransformerConfig.model_validate(usual | changes)


def stack(**changes: object) -> StackConfig:
    return StackConfig.model_validate({"heads": 2, "layers": 2} | changes)


def random_model(model: TransformerConfig, seed: int = 3, context: int = 0) -> Loaded:
    """A model with numbers of all kinds, biases and norms included."""
    config = FolderConfig(
        source="en", target="es", vocabulary=subwords().size, longest=40, context=context, model=model
    )
    made = build(model, config.vocabulary, seed).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for tensor in made.parameters():
            tensor.add_(torch.randn(tensor.shape, generator=generator), alpha=0.3 * (8 / model.width) ** 0.5)
        made.embedding.weight *= SHARP
        made.output.bias[3] += 2.0  # it must end now and then
    return Loaded(config, made, subwords())


def model_folder(folder: Path, model: TransformerConfig | None = None, context: int = 0) -> Path:
    """The folder of a random model."""
    loaded = random_model(shape() if model is None else model, context=context)
    save(folder, loaded.config, tensors_of(loaded.model), loaded.subwords, "A model for tests.\n")
    return folder
