"""A layer of a graph network: each node gathers from its neighbours what attention weighs.

Legend: N nodes that are looked at, M nodes that look (the first of the N), F features, H heads, D head width,
E edges.
"""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from mirada.attention import Additive, Attention, Edges, Facts, Heads, Maps, Score, Static
from mirada.layers.noise import Noise
from mirada.layers.rows import RowMap, Rows, drop_rows, first_rows

Join = Literal["concatenate", "mean"]


class GraphLayer(nn.Module):
    """h_i = join_h Σ_{j ∈ N(i)} α_h(x_i, x_j) · W_h x_j + b (Veličković et al. 2018, eq. 4 to 6).

    With the static score a node looks with the same W x that is looked at (GAT), with the additive one by a map of its
    own (GATv2, Brody et al. 2022); a dot product has maps for queries and keys on top of W x. Dropout falls on the
    input and, where `drops_looks`, on the weights of edges.
    """

    def __init__(
        self,
        inputs: int,
        head_width: int,
        heads: int,
        score: Score,
        *,
        join: Join = "concatenate",
        residual: bool = False,
        drops_looks: bool = True,
    ) -> None:
        super().__init__()
        self.join, self.drops_looks = join, drops_looks
        wide = heads * head_width
        self.width = wide if join == "concatenate" else head_width
        self.value_map = RowMap(inputs, wide)
        self.query_map = RowMap(inputs, wide) if isinstance(score, Additive) else None
        own = not isinstance(score, Additive | Static)
        maps = Maps(query=own, key=own, value=False, output=False, bias=False)
        self.attention = Attention(wide, heads=Heads(heads, width=head_width), score=score, maps=maps)
        self.residual_map = RowMap(inputs, self.width) if residual else None
        self.bias = nn.Parameter(torch.zeros(self.width))

    def forward(self, x: Rows, edges: Edges, noise: Noise | None = None) -> Float[Tensor, "M W"]:
        """The states of those that look."""
        x = drop_rows(noise, x)
        looking = first_rows(x, edges.query_count)
        states = self.value_map(x)
        queries = states[: edges.query_count] if self.query_map is None else self.query_map(looking)
        memory = self.attention.remember(states[None])
        gathered = self.attention(queries[None], memory, Facts(edges=edges), self._kept(noise, edges, states))[0]
        if self.join == "mean":
            gathered = gathered.unflatten(-1, (self.attention.heads.count, -1)).mean(-2)
        if self.residual_map is not None:
            gathered = gathered + self.residual_map(looking)
        return gathered + self.bias

    def _kept(self, noise: Noise | None, edges: Edges, like: Float[Tensor, "N W"]) -> Float[Tensor, "E H"] | None:
        """What a step of training leaves of each look."""
        if noise is None or not self.drops_looks:
            return None
        return noise.mask(like.new_empty(()).expand(len(edges), self.attention.heads.count))
