"""The papers' sizes, counted without their memory: our parameters beside the published numbers.

What differs: we count the output's bias of each token, BERT's norm after the embedding is not there, and GPT's papers
have no bias of the output. All of it is less than a hundredth. The Transformer's "base" is said to have 65 million and
has 63 by its own formula with 37,000 pieces; BERT's "340 million" are 335 by its own.
"""

import pytest
import torch

from mirada.models.build import build
from mirada.models.presets import LANGUAGE
from mirada.models.reading_presets import READING
from mirada.models.text_folders import build_masked
from mirada.training.translation import with_preset

CLOSE = 0.04


def count(model: torch.nn.Module) -> int:
    return sum(one.numel() for one in model.parameters())


@pytest.mark.parametrize(("name", "published"), [("base", 65e6), ("big", 213e6)])
def test_transformer(name: str, published: float) -> None:
    with torch.device("meta"):
        model = build(with_preset({}, name, "here").model, 37_000)
    assert count(model) == pytest.approx(published, rel=CLOSE)


@pytest.mark.parametrize(("name", "published"), [("bert-base", 110e6), ("bert-large", 340e6)])
def test_bert(name: str, published: float) -> None:
    config = READING[name].config
    with torch.device("meta"):
        model = build_masked(config, 30_522, next_sentence=True)
    assert count(model) == pytest.approx(published, rel=CLOSE)
    assert config.places == 512


@pytest.mark.parametrize(
    ("name", "vocabulary", "published"),
    [("gpt", 40_478, 117e6), ("gpt2", 50_257, 1_542e6), ("gpt3", 50_257, 175e9)],
)
def test_gpt(name: str, vocabulary: int, published: float) -> None:
    with torch.device("meta"):
        model = build(LANGUAGE[name].config, vocabulary)
    assert count(model) == pytest.approx(published, rel=CLOSE)


def test_bert_base_to_the_last_number() -> None:
    """The paper's encoder with its pooler has 109,482,240; ours has no norm after the embedding."""
    width, vocabulary = 768, 30_522
    with torch.device("meta"):
        model = build_masked(READING["bert-base"].config, vocabulary, next_sentence=True)
    heads = (width * width + width) + 2 * width + vocabulary + (2 * width + 2)  # words: map, norm, bias; what follows
    assert count(model) - heads == 109_482_240 - 2 * width
