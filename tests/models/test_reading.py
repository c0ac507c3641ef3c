"""Readers: padding changes no state, segments tell sentences apart, and the config builds what it says."""

import pytest
import torch

from mirada.attention import Padding
from mirada.models.build import build
from mirada.models.config import RecurrentEncoderConfig, StackConfig
from mirada.models.reading import EncoderReader
from mirada.models.reading_config import AnyReadingConfig, EncoderConfig, RecurrentReaderConfig

CONFIGS: dict[str, AnyReadingConfig] = {
    "encoder": EncoderConfig(width=14, feed_forward=22, segments=2, stack=StackConfig(layers=2, heads=2)),
    "recurrent": RecurrentReaderConfig(width=14, stack=RecurrentEncoderConfig(width=10, layers=2)),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_padding_changes_no_state(name: str) -> None:
    reader = build(CONFIGS[name], 31, seed=1).eval()
    tokens = torch.randint(4, 31, (1, 5), generator=torch.Generator().manual_seed(1))
    alone = reader(tokens)
    padded = torch.cat([tokens, torch.zeros(1, 2, dtype=torch.int64)], 1)
    beside = reader(padded, Padding.from_lengths([5], 7))
    torch.testing.assert_close(beside[:, :5], alone)
    assert alone.shape == (1, 5, reader.width)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_same_seed_builds_the_same_reader(name: str) -> None:
    first, second, other = (build(CONFIGS[name], 31, seed=seed) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(first.parameters(), other.parameters(), strict=True))


def test_every_place_knows_what_stands_after_it() -> None:
    tokens = torch.tensor([[5, 6, 7]])
    for config in CONFIGS.values():
        reader = build(config, 31, seed=1).eval()
        assert not torch.allclose(reader(tokens)[:, 0], reader(torch.tensor([[5, 6, 8]]))[:, 0])


def test_segments_are_told_apart() -> None:
    reader = build(CONFIGS["encoder"], 31, seed=1).eval()
    assert isinstance(reader, EncoderReader)
    assert reader.segments is not None
    torch.nn.init.normal_(reader.segments)
    tokens = torch.tensor([[5, 6, 7]])
    first, second = (reader(tokens, segments=torch.full_like(tokens, number)) for number in (0, 1))
    torch.testing.assert_close(reader(tokens), first)
    assert not torch.allclose(first, second)
