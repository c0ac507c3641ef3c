"""From a config to a model."""

from __future__ import annotations

import torch

from mirada.attention import Attention, Causal, Full
from mirada.layers.block import Block
from mirada.layers.embedding import Embedding
from mirada.layers.feed_forward import FeedForward
from mirada.layers.stack import Stack
from mirada.models.config import StackConfig, TransformerConfig
from mirada.models.transformer import Transformer


def build(config: TransformerConfig, vocabulary: int, seed: int | None = None) -> Transformer:
    """A fresh model. With a seed, the same numbers on every call, and torch's own generator is left as it was."""
    if seed is None:
        return _transformer(config, vocabulary)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return _transformer(config, vocabulary)


def _transformer(config: TransformerConfig, vocabulary: int) -> Transformer:
    embedding = Embedding(vocabulary, config.width, config.position, config.position_join)
    encoder = [_block(config, config.encoder, None) for _ in range(config.encoder.layers)]
    decoder = [_block(config, config.decoder, _cross(config)) for _ in range(config.decoder.layers)]
    return Transformer(embedding, Stack(encoder, config.norm), Stack(decoder, config.norm))


def _block(config: TransformerConfig, look: StackConfig, cross: Attention | None) -> Block:
    pattern = look.pattern
    if cross is not None:  # a decoder sees no later place
        pattern = Causal() if pattern == Full() else Causal() & pattern
    attention = Attention(config.width, heads=look.spec(), pattern=pattern, score=look.score, position=look.position)
    feed_forward = FeedForward(config.width, config.feed_forward, config.activation)
    return Block(attention, cross, feed_forward, norm=config.norm, order=config.norm_order)


def _cross(config: TransformerConfig) -> Attention:
    look = config.cross
    return Attention(config.width, heads=look.spec(), pattern=look.pattern, score=look.score, position=look.position)
