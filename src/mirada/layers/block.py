"""A block: attention to oneself, to a source where there is one, and the feed-forward layer.

Legend: B batch, N places, W model width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention import Attention, Facts, Memory
from mirada.layers.feed_forward import FeedForward
from mirada.layers.noise import Noise, drop
from mirada.layers.norm import Norm, NormKind

NormOrder = Literal["pre", "post"]


@dataclass(frozen=True, eq=False)
class Source:
    """What a decoder looks at besides itself: a block's memory of the source, and the source's facts."""

    memory: Memory
    facts: Facts

    def select(self, rows: Int[Tensor, "R"]) -> Source:
        """The source of these rows, in this order."""
        return Source(self.memory.select(rows), select_facts(self.facts, rows))


def select_facts(facts: Facts, rows: Int[Tensor, "R"]) -> Facts:
    """The facts of these rows of a padded batch, in this order."""
    padding = facts.padding
    return Facts(None if padding is None else replace(padding, real=padding.real.index_select(0, rows)))


class Block(nn.Module):
    """x + f(norm(x)) for each part f (pre-norm), or norm(x + f(x)) (post-norm, as in Vaswani et al. 2017, 3.1)."""

    def __init__(
        self,
        self_attention: Attention,
        cross_attention: Attention | None,
        feed_forward: FeedForward,
        *,
        norm: NormKind = "layer",
        order: NormOrder = "pre",
    ) -> None:
        super().__init__()
        if order not in ("pre", "post"):
            raise ValueError(f"norm order = {order!r}; use 'pre' or 'post'")
        width = self_attention.width
        self.order = order
        self.self_attention = self_attention
        self.self_norm = Norm(width, norm)
        self.cross_attention = cross_attention
        self.cross_norm = None if cross_attention is None else Norm(width, norm)
        self.feed_forward = feed_forward
        self.feed_norm = Norm(width, norm)

    def forward(
        self,
        x: Float[Tensor, "B N W"],
        facts: Facts,
        *,
        past: Memory | None = None,
        source: Source | None = None,
        noise: Noise | None = None,
    ) -> tuple[Float[Tensor, "B N W"], Memory | None]:
        """The states after the block; with `past`, a decoding step, also the memory that the next step looks at."""
        grown: list[Memory] = []

        def to_itself(y: Float[Tensor, "B N W"]) -> Float[Tensor, "B N W"]:
            if past is None:
                return self.self_attention(y, None, facts)
            grown.append(past.append(self.self_attention.remember(y, facts.offset)))
            return self.self_attention(y, grown[0], facts)

        x = self._part(x, facts, self.self_norm, to_itself, noise)
        if self.cross_attention is not None and self.cross_norm is not None:
            if source is None:
                raise ValueError("this block looks at a source, and none was given")
            cross, looked_at = self.cross_attention, source
            x = self._part(x, facts, self.cross_norm, lambda y: cross(y, looked_at.memory, looked_at.facts), noise)
        x = self._part(x, facts, self.feed_norm, self.feed_forward, noise)
        return x, (grown[0] if grown else None)

    def _part(
        self,
        x: Float[Tensor, "B N W"],
        facts: Facts,
        norm: Norm,
        part: Callable[[Tensor], Tensor],
        noise: Noise | None,
    ) -> Float[Tensor, "B N W"]:
        """One part with its norm, its dropout and the way around it."""
        real = None if facts.padding is None or facts.padding.real.shape[1] != x.shape[1] else facts.padding.real
        if self.order == "pre":
            return x + drop(noise, part(norm(x, real)))
        return norm(x + drop(noise, part(x)), real)
