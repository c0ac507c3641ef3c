"""Tiny language models without training, on characters and on subwords."""

from mirada.generator import Generator
from mirada.models.build import build
from mirada.models.config import LanguageModelConfig, RecurrentLanguageConfig, RecurrentStackConfig, StackConfig
from mirada.models.language_folder import LanguageFolderConfig, LoadedLanguage
from mirada.text.characters import Characters
from mirada.text.units import SubwordLines, Units
from tests.translators import subwords

SHAPE = LanguageModelConfig(context=23, width=12, feed_forward=17, stack=StackConfig(layers=3, heads=2))
RECURRENT = RecurrentLanguageConfig(context=23, width=12, stack=RecurrentStackConfig(width=10))


def characters() -> Characters:
    return Characters("abcdefghijklmnopqrstuvwxyz .")


def generator(units: Units | None = None, shape: LanguageModelConfig | RecurrentLanguageConfig = SHAPE) -> Generator:
    units = units or characters()
    kind = "subwords" if isinstance(units, SubwordLines) else "characters"
    config = LanguageFolderConfig(units=kind, vocabulary=units.size, model=shape)
    return Generator(LoadedLanguage(config, build(shape, units.size, seed=7).eval(), units))


def on_subwords() -> Generator:
    return generator(SubwordLines(subwords()))
