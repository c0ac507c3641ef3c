"""Graph networks: what each node of a graph is, from its features and those of its neighbours.

Legend: N nodes that are read, M nodes that something is said of, Y labels.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Edges
from mirada.layers.graph import GraphLayer
from mirada.layers.noise import Noise
from mirada.layers.rows import Rows
from mirada.models.drawn import drawn_from
from mirada.models.nodes_config import GraphConfig


class GraphNetwork(nn.Module):
    """Layers of attention over edges, an ELU between them; the last one's heads are the scores of the labels.

    Each layer has edges of its own, from the nodes that look to all that are read; those that look come first among
    them, and are what the next layer reads. So a few nodes can be asked about with their neighbourhoods alone.
    """

    def __init__(self, layers: Sequence[GraphLayer]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Rows, hops: Sequence[Edges], noise: Noise | None = None) -> Float[Tensor, "M Y"]:
        """The scores of the labels, before the softmax, for those that look in the last layer."""
        if len(hops) != len(self.layers):
            raise ValueError(f"{len(hops)} lists of edges for {len(self.layers)} layers; give each layer its own")
        *inner, last = zip(self.layers, hops, strict=True)
        for layer, edges in inner:
            x = functional.elu(layer(x, edges, noise))
        return last[0](x, last[1], noise)


def build_network(config: GraphConfig, features: int, labels: int, seed: int | None = None) -> GraphNetwork:
    """A fresh network. With a seed, the same numbers on every call, and torch's own generator is left as it was."""
    with drawn_from(seed):
        return _built(config, features, labels)


def _built(config: GraphConfig, features: int, labels: int) -> GraphNetwork:
    layers = []
    for number in range(config.layers):
        inputs = config.width if number else features
        last = number == config.layers - 1
        layers.append(
            GraphLayer(
                inputs,
                labels if last else config.width // config.heads,
                config.last_heads if last else config.heads,
                config.score,
                join="mean" if last else "concatenate",
                residual=config.residual,
                drops_looks=config.drops_looks,
            )
        )
    return GraphNetwork(layers)
