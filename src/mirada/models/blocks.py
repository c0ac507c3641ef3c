"""Blocks from configs: what every model that is made of stacks has in common."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from mirada.attention import Attention, Causal, Full
from mirada.layers.block import Block, NormOrder
from mirada.layers.feed_forward import Activation, FeedForward
from mirada.layers.norm import NormKind
from mirada.models.config import LookConfig


@runtime_checkable
class BlockShape(Protocol):
    """The part of a model's config that its blocks share."""

    @property
    def width(self) -> int:
        """The width of the states."""

    @property
    def feed_forward(self) -> int:
        """The inner width of the feed-forward layers."""

    @property
    def activation(self) -> Activation:
        """Their activation."""

    @property
    def norm(self) -> NormKind:
        """How states are normalised."""

    @property
    def norm_order(self) -> NormOrder:
        """Whether before each part or after."""


def make_block(config: BlockShape, look: LookConfig, cross: Attention | None, *, causal: bool) -> Block:
    """A block that looks as `look` says; one that writes sees no later place."""
    pattern = look.pattern
    if causal:
        pattern = Causal() if pattern == Full() else Causal() & pattern
    attention = Attention(config.width, heads=look.spec(), pattern=pattern, score=look.score, position=look.position)
    feed_forward = FeedForward(config.width, config.feed_forward, config.activation)
    return Block(attention, cross, feed_forward, norm=config.norm, order=config.norm_order)


def make_cross(config: BlockShape, look: LookConfig) -> Attention:
    """The attention of a block to a source."""
    return Attention(config.width, heads=look.spec(), pattern=look.pattern, score=look.score, position=look.position)
