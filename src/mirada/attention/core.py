"""Attention: queries against a memory of keys and values.

Legend: B batch, H heads, G key or value heads, Q queries, K keys, E edges, D head width, V value width,
W model width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention.attend import Explanation, Plan, attend, explain, plan, weigh
from mirada.attention.heads import Heads, divide
from mirada.attention.neighbourhood import Facts, Neighbourhood
from mirada.attention.pattern import Full, Pattern
from mirada.attention.places import Places, joined, listed
from mirada.attention.position import Learned, Position, RelativePositions, Rotary, Shaw, Sinusoidal, rotate
from mirada.attention.problem import Origin, Problem
from mirada.attention.score import Free, ScaledDot, Score, Sides
from mirada.attention.static import Static
from mirada.operations.maps import map_states


@dataclass(frozen=True, eq=False)
class Memory:
    """What can be looked at: keys and values, mapped once, and where they stand (without `places`, from 0 on)."""

    keys: Float[Tensor, "B G K D"]
    values: Float[Tensor, "B G2 K V"]
    places: Places | None = None

    def __len__(self) -> int:
        return self.keys.shape[2]

    def append(self, new: Memory) -> Memory:
        """This memory followed by a new one."""
        places = joined(self._stand, new._stand, self.keys.device)
        return Memory(torch.cat([self.keys, new.keys], 2), torch.cat([self.values, new.values], 2), places)

    def select(self, rows: Int[Tensor, "B2"]) -> Memory:
        """The memory of these batch rows, in this order."""
        return Memory(self.keys.index_select(0, rows), self.values.index_select(0, rows), self.places)

    def forget(self, pattern: Pattern, later: int) -> Memory:
        """The memory without the keys that no query from place `later` on can see."""
        stand, left = self._stand, pattern.band.left
        if isinstance(stand, range) and left is not None:  # the usual case: a window moves on, and nothing is copied
            cut = min(len(stand), max(0, later - left - stand.start))
            return self if cut == 0 else Memory(self.keys[:, :, cut:], self.values[:, :, cut:], stand[cut:])
        places = listed(stand, self.keys.device)
        gone = pattern.forgets(later, places)
        if gone is None or not bool(gone.any()):
            return self
        kept = torch.nonzero(~gone).flatten()
        return Memory(self.keys.index_select(2, kept), self.values.index_select(2, kept), places[kept])

    @property
    def _stand(self) -> Places:
        """Where the keys stand."""
        return range(len(self)) if self.places is None else self.places


@dataclass(frozen=True)
class Maps:
    """Which of the four linear maps are learned; without one, states enter or leave as they are."""

    query: bool = True
    key: bool = True
    value: bool = True
    output: bool = True
    bias: bool = True

    @classmethod
    def identity(cls) -> Maps:
        """No map at all: attention on the bare states."""
        return cls(query=False, key=False, value=False, output=False, bias=False)


class Attention(nn.Module):
    """h_i = Σ_{j ∈ N(i)} α(x_i, x_j) · ψ_v(x_j), for several heads.

    `pattern` says who may be looked at, `score` how a look is weighed, `position` how order enters (Shaw or Rotary;
    Sinusoidal and Learned join the input: `PositionalInput`), `heads` how many looks there are at once.

        attention = Attention(256, heads=Heads(4), pattern=Causal(), position=Rotary())
        attention(x)                                       # self-attention
        attention(x, attention.remember(source))           # cross-attention
        attention(x, memory, Facts(offset=place))          # a decoding step

    `width` is that of the queries and the output, `memory_width` that of what is looked at.
    """

    def __init__(
        self,
        width: int,
        *,
        heads: Heads | int = 8,
        pattern: Pattern | None = None,
        score: Score | None = None,
        position: Position = None,
        memory_width: int | None = None,
        maps: Maps | None = None,
    ) -> None:
        super().__init__()
        self.width = width
        self.memory_width = width if memory_width is None else memory_width
        self.heads = Heads(heads) if isinstance(heads, int) else heads
        self.pattern = Full() if pattern is None else pattern
        self.score = ScaledDot() if score is None else score
        self.position = position
        self._build_maps(Maps() if maps is None else maps)
        sides = Sides(self.heads.count, self.query_shape[1], self.key_shape[1])
        self.scorer = self.score.build(sides, self.head_width)
        self._check_position()
        self.relative = (
            RelativePositions(position, self.key_shape[1], self.value_shape[1]) if isinstance(position, Shaw) else None
        )

    def _build_maps(self, maps: Maps) -> None:
        """The linear maps, and the shape (heads, width of one) in which queries, keys and values leave them."""
        count, shared = self.heads.count, self.heads.shared
        mapped = self.score.sees == "content"
        needs_width = maps.value or (mapped and (maps.query or maps.key))
        self.head_width = self.heads.width_in(self.width) if needs_width or self.width % count == 0 else 1
        common = self.score.shared_width(count, self.head_width)
        query_heads, key_heads = (1, 1) if common is not None else (count, shared)
        score_width = self.head_width if common is None else common
        self.query_map = self.key_map = self.value_map = self.output_map = None
        self.query_shape = (count, 0)
        self.key_shape = (1, 0)
        if mapped:
            self.query_map, self.query_shape = _map(self.width, query_heads, score_width, maps.query, maps.bias)
            self.key_map, self.key_shape = _map(self.memory_width, key_heads, score_width, maps.key, maps.bias)
        self.value_map, self.value_shape = _map(self.memory_width, shared, self.head_width, maps.value, maps.bias)
        if maps.output:
            self.output_map = _linear(count * self.value_shape[1], self.width, maps.bias)

    def _check_position(self) -> None:
        position, name, width = self.position, type(self.score).__name__, self.key_shape[1]
        if isinstance(position, Sinusoidal | Learned):
            kind = type(position).__name__
            raise ValueError(f"{kind} positions join the input, not the attention: use a PositionalInput before it")
        if isinstance(position, Rotary) and (self.score.sees == "nothing" or self.scorer.scale is None):
            raise ValueError(f"Rotary turns the vectors of a dot product, and {name} is none: use Shaw or no position")
        if isinstance(position, Rotary) and width % 2:
            raise ValueError(f"Rotary turns pairs of coordinates, but a head is {width} wide; use an even width")
        if isinstance(position, Shaw) and position.keys and self.score.sees == "nothing":
            raise ValueError(f"{name} looks at no key, so Shaw has none to add to; use Shaw(..., keys=False)")
        if isinstance(position, Shaw) and position.keys and isinstance(self.score, Static):
            raise ValueError("Static keeps one number of a key, and Shaw adds to whole keys; use Shaw(..., keys=False)")

    @property
    def placeless(self) -> bool:
        """Whether a query finds the same from any place, so that those of several sequences may look together."""
        return isinstance(self.pattern, Full) and self.position is None and not isinstance(self.score, Free)

    @property
    def packs(self) -> bool:
        """Whether the compiled kernel can answer for sequences that lie one after the other."""
        dot = self.scorer.scale is not None and self.relative is None and self.score.sees == "content"
        even = all(width and width % 2 == 0 for width in (self.key_shape[1], self.value_shape[1]))
        return dot and even and self.key_shape[0] == self.value_shape[0] and self.pattern.relative

    def remember(self, x: Float[Tensor, "B K W"], start: int = 0) -> Memory:
        """The memory of states x, the first of which stands at place `start`."""
        self._check_width(x, self.memory_width, "the states of the memory")
        keys, values = _heads(x, [(self.key_map, self.key_shape), (self.value_map, self.value_shape)])
        return self._memory(keys, values, start)

    def _memory(self, keys: Float[Tensor, "B G K D"], values: Float[Tensor, "B G2 K V"], start: int) -> Memory:
        """The memory of mapped states, the first of which stands at place `start`."""
        return Memory(self._turn(self.scorer.keys(keys), start), values, range(start, start + keys.shape[2]))

    def forward(
        self,
        x: Float[Tensor, "B Q W"],
        memory: Memory | None = None,
        facts: Facts | None = None,
        kept: Float[Tensor, "E H"] | None = None,
    ) -> Float[Tensor, "B Q W2"]:
        """What each state gathers from the memory: its own sequence where no memory is given.

        `kept` multiplies the weights of edges: dropout, as who trains has drawn it.
        """
        states = attend(self.problem(x, memory, facts, kept)).transpose(1, 2).flatten(2)
        return states if self.output_map is None else map_states(states, [self.output_map])[0]

    def problem(
        self,
        x: Float[Tensor, "B Q W"],
        memory: Memory | None = None,
        facts: Facts | None = None,
        kept: Float[Tensor, "E H"] | None = None,
    ) -> Problem:
        """The question that the kernels answer for these states."""
        self._check_width(x, self.width, "the queries")
        facts = Facts() if facts is None else facts
        own = memory is None
        if memory is None:
            if facts.offset:
                raise ValueError(f"a step at place {facts.offset} looks back: give it the memory of all places so far")
            queries, memory = self._own(x)
        else:
            queries = self._queries(_heads(x, [(self.query_map, self.query_shape)])[0], facts.offset)
        facts.check_rows(len(x), len(memory.keys))
        near = Neighbourhood(self.pattern, x.shape[1], len(memory), facts, own, memory.places).simplify()
        origin = Origin(x, self._made_of) if own else None
        return Problem(queries, memory.keys, memory.values, near, self.scorer, self.relative, kept, origin)

    def _queries(self, mapped: Float[Tensor, "B H1 Q D1"], start: int) -> Float[Tensor, "B H Q D"]:
        return self._turn(self.scorer.queries(mapped), start)

    def _own(self, x: Float[Tensor, "B N W"]) -> tuple[Float[Tensor, "B H N D"], Memory]:
        """The queries of states that look at themselves, and what they look at: all three maps read them at once."""
        self._check_width(x, self.memory_width, "the states of the memory")
        maps = (self.query_map, self.query_shape), (self.key_map, self.key_shape), (self.value_map, self.value_shape)
        queries, keys, values = _heads(x, maps)
        return self._queries(queries, 0), self._memory(keys, values, 0)

    def _made_of(self, x: Float[Tensor, "B N W"]) -> tuple[Tensor, Tensor, Tensor]:
        """The queries, keys and values of states that look at themselves."""
        queries, memory = self._own(x)
        return queries, memory.keys, memory.values

    def weights(
        self, x: Float[Tensor, "B Q W"], memory: Memory | None = None, facts: Facts | None = None
    ) -> Float[Tensor, "B H Q K"]:
        """α for every pair, 0 where a query may not look: the matrix that the output was made with."""
        return weigh(self.problem(x, memory, facts))

    def plan(self, x: Float[Tensor, "B Q W"], memory: Memory | None = None, facts: Facts | None = None) -> Plan:
        """Which kernel serves these states, and why."""
        return plan(self.problem(x, memory, facts))

    def explain(self, queries: int, keys: int | None = None, batch: int = 1, facts: Facts | None = None) -> Explanation:
        """What this attention costs at a size, and why it is computed as it is; nothing is computed for it.

        Without `keys` the queries look at their own sequence.
        """
        number = next(self.parameters(), torch.empty(()))
        own, count = keys is None, queries if keys is None else keys

        def states(heads: int, places: int, width: int) -> Tensor:
            return number.new_empty(()).expand(batch, heads, places, width).requires_grad_(self.training)

        near = Neighbourhood(self.pattern, queries, count, Facts() if facts is None else facts, own).simplify()
        problem = Problem(
            states(self.heads.count, queries, self.key_shape[1]),
            states(self.key_shape[0], count, self.key_shape[1]),
            states(self.value_shape[0], count, self.value_shape[1]),
            near,
            self.scorer,
            self.relative,
        )
        return replace(explain(problem), score=str(self.score))

    def _turn(self, x: Float[Tensor, "B H N D"], start: int) -> Float[Tensor, "B H N D"]:
        if not isinstance(self.position, Rotary):
            return x
        return rotate(x, start, self.position.base)

    def _check_width(self, x: Float[Tensor, "B N W"], width: int, name: str) -> None:
        if x.shape[-1] != width:
            raise ValueError(
                f"{name} have width {x.shape[-1]}, but this attention was built for {width}; "
                f"build it with width or memory_width = {x.shape[-1]}"
            )

    def extra_repr(self) -> str:
        return f"pattern={self.pattern}, score={self.score}, position={self.position}, heads={self.heads}"


def _linear(inputs: int, outputs: int, bias: bool) -> nn.Linear:
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.xavier_uniform_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def _map(
    width: int, heads: int, head_width: int, learned: bool, bias: bool
) -> tuple[nn.Linear | None, tuple[int, int]]:
    """A map from states to heads, and the shape (heads, width of one) of what leaves it."""
    if learned:
        return _linear(width, heads * head_width, bias), (heads, head_width)
    return None, (heads, divide(width, heads, "the width of unmapped states", "the number of heads"))


def _heads(
    x: Float[Tensor, "B N W"], maps: Sequence[tuple[nn.Linear | None, tuple[int, int]]]
) -> list[Float[Tensor, "B H N D"]]:
    """States split into heads, after each of the maps."""
    mapped = iter(map_states(x, [linear for linear, (_, width) in maps if linear is not None and width]))
    found = []
    for linear, (heads, width) in maps:
        if width == 0:  # a score that looks at no content
            found.append(x.new_empty(x.shape[0], heads, x.shape[1], 0))
        else:
            found.append((x if linear is None else next(mapped)).unflatten(-1, (heads, width)).transpose(1, 2))
    return found
