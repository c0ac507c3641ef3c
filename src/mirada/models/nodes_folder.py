"""The folder of a graph network: config, weights, card, and the graph that it learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from torch import Tensor

from mirada.corpora.graph_joining import Scaling
from mirada.corpora.graphs import MOST_LABELS, MOST_NODES
from mirada.models.folder import AnyFolderConfig, load_model, read_config_of, save_folder
from mirada.models.nodes import GraphNetwork, build_network
from mirada.models.nodes_config import GraphConfig


class NodesFolderConfig(AnyFolderConfig):
    """`config.json` of a graph network."""

    task: Literal["nodes"] = "nodes"
    features: int = Field(ge=1, le=MOST_NODES)
    labels: tuple[Annotated[str, Field(max_length=500)], ...] = Field(min_length=2, max_length=MOST_LABELS)
    both: bool = True  # whether an edge is looked along from both its ends
    loops: bool = True  # whether a node looks at itself
    scaling: Scaling = "none"
    model: GraphConfig


@dataclass(frozen=True, eq=False)
class LoadedNodes:
    """A graph network that is ready to be used."""

    config: NodesFolderConfig
    model: GraphNetwork


def save(folder: Path, config: NodesFolderConfig, tensors: Mapping[str, Tensor], card: str) -> None:
    """Write a folder, but for the graph."""
    save_folder(folder, config, tensors, {}, card)


def load(folder: Path) -> LoadedNodes:
    """The network of a folder, in float32."""
    config = read_config(folder)
    return LoadedNodes(
        config, load_model(folder, lambda: build_network(config.model, config.features, len(config.labels)))
    )


def read_config(folder: Path) -> NodesFolderConfig:
    """The config of a folder."""
    return read_config_of(folder, "graph network", {"nodes": NodesFolderConfig})
