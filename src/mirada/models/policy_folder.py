"""The folder of a policy, for the grid world that ships with the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError
from safetensors.torch import save as to_bytes
from torch import Tensor

from mirada.corpora.grid_world import MOVES, World
from mirada.models.config import problems
from mirada.models.folder import (
    CARD,
    CONFIG,
    WEIGHTS,
    AnyFolderConfig,
    FolderError,
    MetricRecord,
    assign,
    read_json,
    read_tensors,
    write_file,
)
from mirada.models.policy import DecisionTransformer, build_policy
from mirada.models.policy_config import PolicyConfig

SCHEMA: Final = 1


class PolicyFolderConfig(AnyFolderConfig):
    """`config.json` of a policy."""

    schema_number: Literal[1] = SCHEMA
    mirada: str = ""  # the version that wrote the folder
    task: Literal["policy"] = "policy"
    world: Literal["coins"] = "coins"
    behaviour: float  # the mean return of the episodes that it learnt from
    best: float  # the highest
    scores: dict[str, MetricRecord] = Field(default_factory=dict)
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
    """Write a folder; the weights come last, so that a folder that has them is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / CONFIG, (config.model_dump_json(indent=2) + "\n").encode())
    write_file(folder / CARD, card.encode())
    write_file(folder / WEIGHTS, to_bytes({name: tensor.contiguous() for name, tensor in sorted(tensors.items())}))


def read_config(folder: Path) -> PolicyFolderConfig:
    """The config of a folder."""
    data = read_json(folder / CONFIG, folder)
    if data.get("task") != "policy":
        raise FolderError(f"{folder} holds no policy; train one with `mirada train --task policy`")
    try:
        return PolicyFolderConfig.model_validate(data)
    except ValidationError as error:
        raise FolderError(problems(error, PolicyFolderConfig, str(folder / CONFIG))) from None


def load(folder: Path) -> LoadedPolicy:
    """The policy of a folder."""
    config, world = read_config(folder), World()
    model = policy_for(world, config.model)
    assign(model, read_tensors(folder / WEIGHTS), folder / WEIGHTS)
    return LoadedPolicy(config, model.eval(), world)
