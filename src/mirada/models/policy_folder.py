"""The folder of a policy, for the grid world that ships with the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from torch import Tensor

from mirada.corpora.grid_world import MOVES, World
from mirada.models.folder import AnyFolderConfig, load_model, read_config_of, save_folder
from mirada.models.policy import DecisionTransformer, build_policy
from mirada.models.policy_config import PolicyConfig


class PolicyFolderConfig(AnyFolderConfig):
    """`config.json` of a policy."""

    task: Literal["policy"] = "policy"
    world: Literal["coins"] = "coins"
    behaviour: float  # the mean return of the episodes that it learnt from
    best: float  # the highest
    model: PolicyConfig


@dataclass(frozen=True, eq=False)
class LoadedPolicy:
    """A policy that is ready to play."""

    config: PolicyFolderConfig
    model: DecisionTransformer
    world: World


def policy_for(world: World, config: PolicyConfig, seed: int | None = None) -> DecisionTransformer:
    """A fresh policy for a world."""
    return build_policy(config, world.features, len(MOVES), world.steps, float(len(world.coins)), seed)


def save(folder: Path, config: PolicyFolderConfig, tensors: Mapping[str, Tensor], card: str) -> None:
    """Write the folder of a policy."""
    save_folder(folder, config, tensors, {}, card)


def load(folder: Path) -> LoadedPolicy:
    """The policy of a folder, in float32."""
    config, world = read_config(folder), World()
    return LoadedPolicy(config, load_model(folder, lambda: policy_for(world, config.model)), world)


def read_config(folder: Path) -> PolicyFolderConfig:
    """The config of a folder."""
    return read_config_of(folder, "policy", {"policy": PolicyFolderConfig})
