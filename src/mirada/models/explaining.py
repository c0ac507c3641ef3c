"""What the attentions of a model cost, and why they are computed as they are: sizes and kinds alone are read.

Legend: n places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import log

import torch
from torch import nn

from mirada.attention import Attention, Explanation, Facts, Memory
from mirada.layers.block import Block
from mirada.models.build import build
from mirada.models.config import AnyModelConfig
from mirada.models.reading_config import AnyReadingConfig
from mirada.models.undrawn import Undrawn
from mirada.models.words import write_word

SMALLEST_VOCABULARY = 5
LENGTHS = (64, 256, 1_024, 4_096, 16_384)  # over which growth is told
LONGEST = 131_072  # places: the tiles of a pattern are counted, and longer lists of them take gigabytes


@dataclass(frozen=True)
class Growth:
    """What one forward pass costs at a length."""

    length: int
    kernel: str
    pairs: int  # a head
    flops: int
    held_bytes: int


@dataclass(frozen=True)
class Step:
    """What a step costs that writes place n, and what is remembered for those after it."""

    kernel: str
    reason: str
    flops: int
    kept: int  # keys a head


@dataclass(frozen=True)
class Explained:
    """Attentions that are all alike, at one length."""

    names: tuple[str, ...]  # within the model
    at: str  # what is looked at: itself, or the source
    heads: str
    position: str
    training: Explanation  # forward, with what a backward pass will need in mind
    using: Explanation
    step: Step | None  # of who writes one place after the other
    growth: tuple[Growth, ...]  # of using

    @property
    def power(self) -> float | None:
        """The k of n^k, by which the cost grows between the two largest lengths."""
        if len(self.growth) < 2:
            return None
        before, last = self.growth[-2:]
        return log(last.flops / before.flops) / log(last.length / before.length) if before.flops else None

    def as_json(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "names": list(self.names),
            "looks_at": self.at,
            "heads": self.heads,
            "position": self.position,
            "pattern": self.using.pattern,
            "score": self.using.score,
            "training": _costs(self.training),
            "using": _costs(self.using),
            "step": None if self.step is None else asdict(self.step),
            "growth": [asdict(one) for one in self.growth],
            "power": self.power,
        }


def sketch(config: object) -> nn.Module:
    """The model of a config without its numbers and with the smallest vocabulary; empty where nothing is computed."""
    if not isinstance(config, AnyModelConfig | AnyReadingConfig):
        return nn.Module()  # counted, or a table
    with Undrawn():
        return build(config, SMALLEST_VOCABULARY)


def explain_model(model: nn.Module, length: int, batch: int, dtype: torch.dtype) -> list[Explained]:
    """Every attention of a model over rows of `length` places, those that are alike together, in their order.

    `dtype` is what it trains in; it is used in float32.
    """
    if not 1 <= length <= LONGEST:
        raise ValueError(f"length = {length:,}; use 1 to {LONGEST:,}")
    found: dict[tuple[object, ...], Explained] = {}
    for name, attention, own in attentions(model):
        alike = (own, str(attention), name.split(".")[0])
        if alike in found:
            found[alike] = replace(found[alike], names=(*found[alike].names, name))
        else:
            found[alike] = _explained(name, attention, own, length, batch, dtype)
    return list(found.values())


def attentions(model: nn.Module) -> Iterator[tuple[str, Attention, bool]]:
    """Each attention of a model with its name, and whether it looks at its own sequence."""
    own = {id(block.self_attention) for block in model.modules() if isinstance(block, Block)}
    for name, module in model.named_modules():
        if isinstance(module, Attention):
            yield name, module, id(module) in own


def _explained(name: str, attention: Attention, own: bool, length: int, batch: int, dtype: torch.dtype) -> Explained:
    keys = None if own else length
    training = _at(attention.to(dtype).train(), length, keys, batch)
    using = _at(attention.float().eval(), length, keys, batch)
    lengths = sorted({*LENGTHS, length})
    known = attention.pattern.places
    return Explained(
        names=(name,),
        at="itself" if own else "the source",
        heads=_heads(attention),
        position=write_word(attention.position),
        training=training,
        using=using,
        step=_step(attention, length, batch) if own and attention.pattern.band.right == 0 else None,
        growth=tuple(_growth(attention, n, own, batch) for n in lengths if known is None or n <= known),
    )


def _at(attention: Attention, length: int, keys: int | None, batch: int) -> Explanation:
    with torch.set_grad_enabled(attention.training):
        told = attention.explain(length, keys, batch)
    return replace(told, pattern=str(attention.pattern), score=write_word(attention.score))


def _growth(attention: Attention, length: int, own: bool, batch: int) -> Growth:
    told = _at(attention, length, None if own else length, batch)
    return Growth(length, told.plan.kernel.name, told.pairs, told.flops, told.held_bytes)


def _step(attention: Attention, length: int, batch: int) -> Step:
    """The step that writes the last of `length` places, with a memory of what it can still see."""
    nothing = torch.empty(1, 1, 1, 1).expand(1, 1, length - 1, 1)
    seen = len(Memory(nothing, nothing).forget(attention.pattern, length - 1)) + 1
    told = _alone(attention, seen, batch)
    following = torch.empty(1, 1, 1, 1).expand(1, 1, length, 1)
    kept = len(Memory(following, following).forget(attention.pattern, length))
    return Step(told.plan.kernel.name, told.plan.reason, told.flops, kept)


@torch.no_grad()
def _alone(attention: Attention, keys: int, batch: int) -> Explanation:
    return attention.explain(1, keys, batch, Facts(offset=keys - 1))


def _heads(attention: Attention) -> str:
    heads = attention.heads
    shared = "" if heads.shared == heads.count else f", {heads.shared} of keys and values"
    return f"{heads.count} of width {attention.head_width}{shared}"


def _costs(told: Explanation) -> dict[str, object]:
    return {
        "kernel": told.plan.kernel.name,
        "reason": told.plan.reason,
        "pairs": told.pairs,
        "all_pairs": told.all_pairs,
        "flops": told.flops,
        "held_bytes": told.held_bytes,
    }
