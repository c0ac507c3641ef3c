"""A stack of blocks, with the state that a step of decoding needs kept outside.

Legend: B batch, N places, W model width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jaxtyping import Float
from torch import Tensor, nn

from mirada.attention import Attention, Facts, Memory
from mirada.layers.block import Block, Source
from mirada.layers.noise import Noise
from mirada.layers.norm import Norm, NormKind


class Stack(nn.Module):
    """Blocks one after the other, and a last norm where the blocks normalise before (pre-norm)."""

    def __init__(self, blocks: Sequence[Block], norm: NormKind = "layer") -> None:
        super().__init__()
        if not blocks:
            raise ValueError("a stack of no blocks; use 1 or more")
        self.blocks = nn.ModuleList(blocks)
        first = blocks[0]
        self.last_norm = Norm(first.self_attention.width, norm) if first.order == "pre" else None

    def forward(
        self,
        x: Float[Tensor, "B N W"],
        facts: Facts,
        *,
        sources: Sequence[Source] | None = None,
        noise: Noise | None = None,
    ) -> Float[Tensor, "B N W"]:
        """All places at once."""
        for number, block in enumerate(self._blocks()):
            x, _ = block(x, facts, source=None if sources is None else sources[number], noise=noise)
        return self.finish(x, facts)

    def step(
        self,
        x: Float[Tensor, "B N W"],
        past: Sequence[Memory],
        offset: int,
        sources: Sequence[Source] | None = None,
    ) -> tuple[Float[Tensor, "B N W"], list[Memory]]:
        """The next places only, given what the blocks remember of those before.

        What no later place can see is forgotten.
        """
        facts, later = Facts(offset=offset), offset + x.shape[1]
        grown = []
        for number, block in enumerate(self._blocks()):
            x, memory = block(x, facts, past=past[number], source=None if sources is None else sources[number])
            grown.append(memory.forget(block.self_attention.pattern, later))
        return self.finish(x, facts), grown

    def start(self, like: Float[Tensor, "B N W"]) -> list[Memory]:
        """Each block's memory before the first step: of no place."""
        nothing = like[:, :0]
        return [block.self_attention.remember(nothing) for block in self._blocks()]

    def sources(self, states: Float[Tensor, "B N W"], facts: Facts) -> list[Source]:
        """Each block's memory of the source, made once."""
        return [Source(attention.remember(states), facts) for attention in self.looks_at_source()]

    def looks_at_itself(self) -> list[Attention]:
        """Each block's attention to its own sequence."""
        return [block.self_attention for block in self._blocks()]

    def looks_at_source(self) -> list[Attention]:
        """Each block's attention to the source."""
        found = [block.cross_attention for block in self._blocks()]
        if any(attention is None for attention in found):
            raise ValueError("these blocks look at no source")
        return [attention for attention in found if attention is not None]

    def _blocks(self) -> Iterator[Block]:
        """The blocks, as what they are (a module list forgets it)."""
        return (block for block in self.blocks if isinstance(block, Block))

    def finish(self, x: Float[Tensor, "B N W"], facts: Facts) -> Float[Tensor, "B N W"]:
        """The states that leave the stack, if these are those after its last block."""
        if self.last_norm is None:
            return x
        real = None if facts.padding is None or facts.offset else facts.padding.real
        return self.last_norm(x, real)
