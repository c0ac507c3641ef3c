"""Scores: α before the softmax.

Legend: B batch, H heads, Q queries, K keys, D head width.

Each score is a frozen word of the vocabulary (`ScaledDot()`, `Additive()`, …) and builds a `Scorer`, which holds what
is learned. A scorer maps queries and keys once (`queries`, `keys`: cacheable) and then says what one mapped query and
one mapped key give: `pair`. `matrix` is `pair` for all pairs at once. All but Additive and Free are a plain dot
product after the maps, so that they reach the dot-product kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention.additive import Activation, AdditiveScores
from mirada.attention.position import RelativePositions

LEAK = 0.2  # slope of the leaky ReLU below zero (Veličković et al. 2018, 2.1)


@dataclass(frozen=True)
class Sides:
    """What a score is built for: how many heads, and how wide one head's query and key are."""

    heads: int
    query_width: int
    key_width: int


class Scorer(nn.Module, ABC):
    """A score with its learned parts."""

    scale: float | None = None  # of the dot product that `pair` is; None where it is none
    normalised: bool = True  # whether a softmax follows

    def queries(self, q: Float[Tensor, "B G Q D"]) -> Float[Tensor, "B H Q D2"]:
        """The queries as `pair` wants them, made once."""
        return q

    def keys(self, k: Float[Tensor, "B G K D"]) -> Float[Tensor, "B G K D2"]:
        """The keys as `pair` wants them, made once and kept in the memory."""
        return k

    @abstractmethod
    def pair(
        self,
        q: Float[Tensor, "... H D"],
        k: Float[Tensor, "... H D"],
        i: Int[Tensor, "..."],
        j: Int[Tensor, "..."],
    ) -> Float[Tensor, "... H"]:
        """The score of mapped query q at place i and mapped key k at place j, for each head."""

    @abstractmethod
    def matrix(
        self,
        q: Float[Tensor, "... H Q D"],
        k: Float[Tensor, "... G K D"],
        i: Int[Tensor, "... Q"],
        j: Int[Tensor, "... K"],
        relative: RelativePositions | None,
    ) -> Float[Tensor, "... H Q K"]:
        """`pair` of every query and every key, a relative position added to the key where one is given."""


class DotScorer(Scorer):
    """scale · ⟨q, k⟩."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale: float = scale

    def pair(
        self,
        q: Float[Tensor, "... H D"],
        k: Float[Tensor, "... H D"],
        i: Int[Tensor, "..."],
        j: Int[Tensor, "..."],
    ) -> Float[Tensor, "... H"]:
        return (q * k).sum(-1) * self.scale

    def matrix(
        self,
        q: Float[Tensor, "... H Q D"],
        k: Float[Tensor, "... G K D"],
        i: Int[Tensor, "... Q"],
        j: Int[Tensor, "... K"],
        relative: RelativePositions | None,
    ) -> Float[Tensor, "... H Q K"]:
        q = q * self.scale
        scores = grouped_matmul(q, k.transpose(-1, -2))
        if relative is None or relative.keys is None:
            return scores
        # ⟨q, k + a⟩ = ⟨q, k⟩ + ⟨q, a⟩, and there are few different a: one product for each, then a look-up.
        index = relative.index(i[..., :, None], j[..., None, :]).unsqueeze(-3)
        return scores + (q @ relative.keys.T).gather(-1, index.expand(scores.shape))


class CosineScorer(DotScorer):
    """scale · cos(q, k)."""

    def queries(self, q: Float[Tensor, "B G Q D"]) -> Float[Tensor, "B H Q D2"]:
        return functional.normalize(q, dim=-1)

    def keys(self, k: Float[Tensor, "B G K D"]) -> Float[Tensor, "B G K D2"]:
        return functional.normalize(k, dim=-1)


class BilinearScorer(DotScorer):
    """q W k: a dot product once q W is made."""

    def __init__(self, sides: Sides) -> None:
        super().__init__(1.0)
        self.weight = nn.Parameter(torch.empty(sides.heads, sides.query_width, sides.key_width))
        bound = (6 / (sides.query_width + sides.key_width)) ** 0.5  # Xavier, for each head by itself
        nn.init.uniform_(self.weight, -bound, bound)

    def queries(self, q: Float[Tensor, "B G Q D"]) -> Float[Tensor, "B H Q D2"]:
        return q @ self.weight


class CollaborativeScorer(DotScorer):
    """Σ_d m_hd q_d k_d: all heads share one query and key space, and each weighs its directions by its mixing m_h."""

    def __init__(self, sides: Sides, head_width: int) -> None:
        super().__init__(head_width**-0.5)
        self.mixing = nn.Parameter(torch.empty(sides.heads, sides.key_width))
        # The sum has key_width terms; this spread gives scores the variance of a plain head of head_width.
        nn.init.normal_(self.mixing, std=(head_width / sides.key_width) ** 0.5)

    def queries(self, q: Float[Tensor, "B G Q D"]) -> Float[Tensor, "B H Q D2"]:
        return q * self.mixing[:, None]


class AdditiveScorer(Scorer):
    """v_h · f(q + k)."""

    def __init__(self, sides: Sides, activation: Activation) -> None:
        super().__init__()
        self.activation = activation
        self.vector = nn.Parameter(torch.empty(sides.heads, sides.key_width))
        nn.init.uniform_(self.vector, -(sides.key_width**-0.5), sides.key_width**-0.5)

    def pair(
        self,
        q: Float[Tensor, "... H D"],
        k: Float[Tensor, "... H D"],
        i: Int[Tensor, "..."],
        j: Int[Tensor, "..."],
    ) -> Float[Tensor, "... H"]:
        return (self.activation.apply_(q + k) * self.vector).sum(-1)

    def matrix(
        self,
        q: Float[Tensor, "... H Q D"],
        k: Float[Tensor, "... G K D"],
        i: Int[Tensor, "... Q"],
        j: Int[Tensor, "... K"],
        relative: RelativePositions | None,
    ) -> Float[Tensor, "... H Q K"]:
        k = each_head(k, q.shape[-3])
        table = None if relative is None else relative.keys
        index = None
        if relative is not None and table is not None:
            index = relative.index(i[..., :, None], j[..., None, :])
            rows = q.shape[:-3] if index.dim() > 2 else (1,)
            index = index.expand(*rows, *index.shape[-2:]).flatten(0, -3)
        arguments = q.flatten(0, -4), k.flatten(0, -4), self.vector, table, index, self.activation
        scores = AdditiveScores.apply(*arguments)  # type: ignore[no-untyped-call]
        return scores.view(*q.shape[:-1], k.shape[-2])


class FreeScorer(Scorer):
    """w_h[place of j relative to i]: a weight that depends on no content and passes through no softmax."""

    normalised = False

    def __init__(self, sides: Sides, free: Free) -> None:
        super().__init__()
        self.free = free
        self.weight = nn.Parameter(torch.empty(sides.heads, free.offsets))
        nn.init.uniform_(self.weight, -(free.offsets**-0.5), free.offsets**-0.5)

    def pair(
        self,
        q: Float[Tensor, "... H D"],
        k: Float[Tensor, "... H D"],
        i: Int[Tensor, "..."],
        j: Int[Tensor, "..."],
    ) -> Float[Tensor, "... H"]:
        index, known = self.free.index(i, j)
        return self.weight.T[index] * known[..., None]

    def matrix(
        self,
        q: Float[Tensor, "... H Q D"],
        k: Float[Tensor, "... G K D"],
        i: Int[Tensor, "... Q"],
        j: Int[Tensor, "... K"],
        relative: RelativePositions | None,
    ) -> Float[Tensor, "... H Q K"]:
        index, known = self.free.index(i[..., :, None], j[..., None, :])
        weights = self.weight[:, index] * known  # (H, ..., Q, K)
        return weights.movedim(0, -3).expand(*q.shape[:-1], k.shape[-2])


class Score(ABC):
    """A word for α; `build` makes the scorer that carries its learned parts."""

    sees: Literal["content", "nothing"] = "content"  # whether queries and keys enter at all

    @abstractmethod
    def build(self, sides: Sides, head_width: int) -> Scorer:
        """A scorer for these sides; `head_width` is the width of a plain head of the model."""

    def shared_width(self, heads: int, head_width: int) -> int | None:
        """The width of the one query and key space that all heads share; None where each has its own."""
        return None


def _require_equal(sides: Sides, name: str) -> None:
    if sides.query_width != sides.key_width:
        raise ValueError(
            f"{name} compares queries and keys of one width, but they have {sides.query_width} and "
            f"{sides.key_width}; map them to one width, or use Bilinear()"
        )


@dataclass(frozen=True)
class Dot(Score):
    """⟨q, k⟩ (Luong et al. 2015, "dot")."""

    def build(self, sides: Sides, head_width: int) -> Scorer:
        _require_equal(sides, "Dot")
        return DotScorer(1.0)


@dataclass(frozen=True)
class ScaledDot(Score):
    """⟨q, k⟩ / √D (Vaswani et al. 2017, eq. 1)."""

    def build(self, sides: Sides, head_width: int) -> Scorer:
        _require_equal(sides, "ScaledDot")
        return DotScorer(sides.key_width**-0.5)


@dataclass(frozen=True)
class Cosine(Score):
    """scale · ⟨q, k⟩ / (‖q‖ ‖k‖); a zero vector has the cosine 0 with everything."""

    scale: float = 1.0

    def build(self, sides: Sides, head_width: int) -> Scorer:
        _require_equal(sides, "Cosine")
        return CosineScorer(self.scale)


@dataclass(frozen=True)
class Bilinear(Score):
    """q W k, W learned for each head; q and k may differ in width (Luong et al. 2015, "general")."""

    def build(self, sides: Sides, head_width: int) -> Scorer:
        return BilinearScorer(sides)


@dataclass(frozen=True)
class Additive(Score):
    """v · f(q + k), f = tanh (Bahdanau et al. 2015, A.1.2) or a leaky ReLU (GATv2, Brody et al. 2022, eq. 7).

    Bahdanau's W_a and U_a are the attention's query and key maps.
    """

    activation: Literal["tanh", "leaky_relu"] = "tanh"

    def __post_init__(self) -> None:
        if self.activation not in ("tanh", "leaky_relu"):
            raise ValueError(f"additive.activation = {self.activation!r}; use 'tanh' or 'leaky_relu'")

    def build(self, sides: Sides, head_width: int) -> Scorer:
        _require_equal(sides, "Additive")
        return AdditiveScorer(sides, Activation(None if self.activation == "tanh" else LEAK))


@dataclass(frozen=True)
class Collaborative(Score):
    """q diag(m_h) k / √D: heads that share one key space of `width` (Cordonnier et al. 2020, eq. 4).

    The width is that of all heads together where it is not given; a smaller one saves parameters.
    """

    width: int | None = None

    def __post_init__(self) -> None:
        if self.width is not None and self.width < 1:
            raise ValueError(f"collaborative.width = {self.width}; use 1 or more")

    def build(self, sides: Sides, head_width: int) -> Scorer:
        _require_equal(sides, "Collaborative")
        return CollaborativeScorer(sides, head_width)

    def shared_width(self, heads: int, head_width: int) -> int | None:
        return heads * head_width if self.width is None else self.width


@dataclass(frozen=True)
class Uniform(Score):
    """0 for every pair: the softmax is the plain mean of the neighbours."""

    sees = "nothing"

    def build(self, sides: Sides, head_width: int) -> Scorer:
        # Queries and keys of width 0, whose dot product is 0.
        return DotScorer(1.0)


@dataclass(frozen=True)
class Free(Score):
    """A learned weight for each offset j − i up to `radius`, not normalised: convolution.

    With `columns` the places are those of a picture, row by row, and an offset is one of rows and one of columns; the
    first `prefix` places stand outside the picture. A pair further apart, or with a prefix place, weighs 0.
    """

    radius: int
    columns: int | None = None
    prefix: int = 0

    sees = "nothing"

    def __post_init__(self) -> None:
        if self.radius < 0 or self.prefix < 0:
            raise ValueError(f"free.radius = {self.radius}, free.prefix = {self.prefix}; use 0 or more")
        if self.columns is not None and self.columns < 1:
            raise ValueError(f"free.columns = {self.columns}; use 1 or more")

    @property
    def offsets(self) -> int:
        """How many different offsets have a weight."""
        side = 2 * self.radius + 1
        return side if self.columns is None else side * side

    def index(self, i: Int[Tensor, "..."], j: Int[Tensor, "..."]) -> tuple[Tensor, Tensor]:
        """Which weight the pair has (row by row over the offsets), and whether it has one."""
        radius, side = self.radius, 2 * self.radius + 1
        known = (i >= self.prefix) & (j >= self.prefix)
        if self.columns is None:
            steps = [j - i]
        else:
            i, j = i - self.prefix, j - self.prefix
            steps = [j // self.columns - i // self.columns, j % self.columns - i % self.columns]
        index = torch.zeros_like(steps[0])
        for step in steps:
            known = known & (step.abs() <= radius)
            index = index * side + step.clamp(-radius, radius) + radius
        return index, known

    def build(self, sides: Sides, head_width: int) -> Scorer:
        return FreeScorer(sides, self)


def each_head(x: Float[Tensor, "... G K D"], heads: int) -> Float[Tensor, "... H K D"]:
    """Key or value heads repeated, so that every query head has its own."""
    shared = x.shape[-3]
    return x if shared == heads else x.repeat_interleave(heads // shared, -3)


def grouped_matmul(left: Float[Tensor, "... H Q X"], right: Float[Tensor, "... G X Y"]) -> Float[Tensor, "... H Q Y"]:
    """left @ right where H / G heads share one right side: their rows go through one product, and nothing is copied."""
    heads, shared = left.shape[-3], right.shape[-3]
    if heads == shared:
        return left @ right
    together = left.unflatten(-3, (shared, heads // shared)).flatten(-3, -2) @ right
    return together.unflatten(-2, (heads // shared, left.shape[-2])).flatten(-4, -3)


def in_full(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x in float32 or better: what a softmax accumulates in."""
    return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x
