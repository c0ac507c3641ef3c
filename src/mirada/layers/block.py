"""A block: attention to oneself, to a source where there is one, and the feed-forward layer.

Legend: B batch, R rows, N places, W model width, M width of what is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention import Attention, Facts, Memory
from mirada.layers.feed_forward import FeedForward
from mirada.layers.noise import Noise, add_dropped
from mirada.layers.norm import Norm, NormKind

NormOrder = Literal["pre", "post"]


@dataclass(frozen=True, eq=False)
class Source:
    """What a decoder looks at besides itself: a block's memory of the source, and the source's facts.

    `each` rows, one after the other, look at one row of the memory: candidates of a beam share what they translate,
    so that it is never copied, and are the queries of one product.
    """

    memory: Memory
    facts: Facts
    each: int = 1

    def look(self, attention: Attention, x: Float[Tensor, "R N W"], offset: int = 0) -> Float[Tensor, "R N M"]:
        """What the states of every row, the first of which stand at place `offset`, find in its source."""
        if not attention.placeless:
            own = self._spread()
            return attention(x, own.memory, replace(own.facts, offset=offset, masks={}))
        if self.each == 1:
            return attention(x, self.memory, self.facts)
        together = x.reshape(len(self.memory.keys), -1, x.shape[-1])
        return attention(together, self.memory, self.facts).reshape(*x.shape[:2], -1)

    def _spread(self) -> Source:
        """The same with a row of the memory for each that looks."""
        if self.each == 1:
            return self
        memory_rows = torch.arange(len(self.memory.keys), device=self.memory.keys.device)
        rows = memory_rows.repeat_interleave(self.each)
        return Source(self.memory.select(rows), select_facts(self.facts, rows))

    def select(self, rows: Int[Tensor, "R2"]) -> Source:
        """The source of these rows, in this order."""
        return select_sources([self], rows)[0]


def select_sources(sources: Sequence[Source], rows: Int[Tensor, "R2"]) -> list[Source]:
    """The sources of these rows, in this order, for each block; all blocks share one object of facts.

    Where equally many rows in a row have the same source, it is kept once for them.
    """
    first = sources[0]
    owners = rows if first.each == 1 else rows // first.each
    kept, counts = owners.unique_consecutive(return_counts=True)
    each = int(counts[0]) if len(counts) else 1
    if not bool((counts == each).all()):
        kept, each = owners, 1
    if torch.equal(kept, torch.arange(len(first.memory.keys), device=kept.device)):
        return [replace(source, each=each) for source in sources]
    facts = select_facts(first.facts, kept)
    return [Source(source.memory.select(kept), facts, each) for source in sources]


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
            x = self._part(x, facts, self.cross_norm, lambda y: looked_at.look(cross, y, facts.offset), noise)
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
            return add_dropped(noise, x, part(norm(x, real)))
        return norm(add_dropped(noise, x, part(x)), real)
