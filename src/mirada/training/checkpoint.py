"""Checkpoints: all that going on needs in one file, so that it is whole or not there.

`training.safetensors` holds the tensors and, in its header, the numbers; the file before it stays as
`training.previous.safetensors`. A torn or changed file is known by the digest of its tensors, and the one before it
serves: what is lost is the work since then, and the run repeats it exactly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path

from pydantic import ValidationError
from safetensors import safe_open
from safetensors.torch import save as to_bytes
from torch import Tensor

from mirada.data.position import Position
from mirada.models.config import Strict
from mirada.models.folder import FolderError, read_tensors, write_file
from mirada.tasks.task import Score

CURRENT, PREVIOUS, DAMAGED = "training.safetensors", "training.previous.safetensors", "training.damaged.safetensors"


class Progress(Strict):
    """The numbers of a run between two steps."""

    step: int = 0  # updates that were tried; the schedule and the noise follow it
    updates: int = 0  # those that changed the weights
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    seconds: float = 0.0
    skipped: int = 0  # steps whose gradient was not finite
    skipped_in_a_row: int = 0
    scores: tuple[Score, ...] = ()
    kept: tuple[int, ...] = ()  # steps whose weights are kept for the average
    worse: int = 0  # validations since the best

    @property
    def position(self) -> Position:
        """Where the run stands in its data."""
        return Position(self.epoch, self.batch)


def save(folder: Path, progress: Progress, tensors: Mapping[str, Tensor]) -> None:
    """Write a checkpoint; the last one becomes the previous one."""
    header = {"progress": progress.model_dump_json(), "digest": digest(tensors)}
    data = to_bytes({name: tensor.contiguous() for name, tensor in sorted(tensors.items())}, header)
    if (folder / CURRENT).exists():
        (folder / CURRENT).replace(folder / PREVIOUS)
    write_file(folder / CURRENT, data)


def load(folder: Path, warn: Callable[[str], None]) -> tuple[Progress, dict[str, Tensor]] | None:
    """The newest whole checkpoint, or None where there is none; what is damaged is told by name."""
    for name in (CURRENT, PREVIOUS):
        path = folder / name
        if not path.exists():
            continue
        try:
            return _read(path)
        except FolderError as error:
            # Out of the way: the next save must not put it in the place of the good one.
            path.replace(folder / DAMAGED)
            warn(f"{error}; it is kept as {DAMAGED}, and an earlier one serves")
    return None


def _read(path: Path) -> tuple[Progress, dict[str, Tensor]]:
    tensors = read_tensors(path)
    with safe_open(str(path), framework="pt") as file:
        header = file.metadata() or {}
    if header.get("digest") != digest(tensors):
        raise FolderError(f"{path} is damaged: its contents do not fit their digest")
    try:
        return Progress.model_validate(json.loads(header["progress"])), tensors
    except (KeyError, ValueError, ValidationError):
        raise FolderError(f"{path} is damaged: its header cannot be read") from None


def digest(tensors: Mapping[str, Tensor]) -> str:
    """A name for what tensors hold."""
    total = blake2b(digest_size=16)
    for name, tensor in sorted(tensors.items()):
        total.update(f"{name} {tuple(tensor.shape)}".encode())
        total.update(tensor.detach().cpu().contiguous().numpy().data)
    return total.hexdigest()
