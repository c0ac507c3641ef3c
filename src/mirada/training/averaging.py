"""Averaging: the mean of a run's best weights, which is often better than each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import save as to_bytes
from torch import Tensor

from mirada.models.folder import read_tensors, write_file

FOLDER = "checkpoints"


def path_of(folder: Path, step: int) -> Path:
    """Where the weights of a step are kept."""
    return folder / FOLDER / f"{step}.safetensors"


def keep(folder: Path, step: int, weights: Mapping[str, Tensor]) -> None:
    """Keep the weights of a step."""
    (folder / FOLDER).mkdir(exist_ok=True)
    data = to_bytes({name: tensor.detach().cpu().contiguous() for name, tensor in sorted(weights.items())})
    write_file(path_of(folder, step), data)


def drop_others(folder: Path, steps: Sequence[int]) -> None:
    """Remove the weights of all other steps."""
    wanted = {path_of(folder, step) for step in steps}
    for path in (folder / FOLDER).glob("*.safetensors"):
        if path not in wanted:
            path.unlink()


def mean(folder: Path, steps: Sequence[int]) -> dict[str, Tensor]:
    """The mean of the weights of these steps, added up in order, so that the result does not depend on chance."""
    total = {name: tensor.double() for name, tensor in read_tensors(path_of(folder, steps[0])).items()}
    for step in steps[1:]:
        for name, tensor in read_tensors(path_of(folder, step)).items():
            total[name] += tensor
    with torch.no_grad():
        return {name: (tensor / len(steps)).float() for name, tensor in total.items()}
