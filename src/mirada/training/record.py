"""`training.json`: what a run is, so that the same command goes on and another one is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ValidationError
from torch import nn

from mirada.models.config import Strict
from mirada.models.folder import FolderError, read_json, tensors_of, write_file
from mirada.training.budget import Budget
from mirada.training.checkpoint import digest
from mirada.training.config import AnyRunConfig, BudgetConfig
from mirada.training.preparing import FORMAT, Files
from mirada.training.result import Finished

NAME = "training.json"
SCHEMA: Final = 1
# What does not make a run another one: how long it is, how often it saves, and on how many cores it runs.
INCIDENTAL = {"budget", "save_minutes", "threads", "device"}


class RunRecord(Strict):
    """What was asked for, and what was decided."""

    schema_number: Literal[1] = SCHEMA
    status: Literal["running", "finished"] = "running"
    task: str = ""  # empty in records of the first versions, which knew translation and lm
    identity: dict[str, object]  # files and settings; a run with others is another run
    asked: BudgetConfig
    budget: Budget
    decided: dict[str, object]  # rate, warm-up, dropout, precision and the like
    result: Finished | None = None


def identity_of(files: Files, config: AnyRunConfig, started: nn.Module | None) -> dict[str, object]:
    """What makes a run this one: its files and how they are prepared, its settings, the model that it began from."""
    dumped = config.model_dump(mode="json")
    for name in INCIDENTAL:
        dumped["training"].pop(name)
    start = None if started is None else digest(tensors_of(started))
    return {"data": files.identities, "preparation": FORMAT, "settings": dumped, "start": start}


def write(folder: Path, record: RunRecord) -> None:
    """Write the record."""
    write_file(folder / NAME, (record.model_dump_json(indent=2) + "\n").encode())


def read(folder: Path) -> RunRecord | None:
    """The record of a folder, None where no run has begun."""
    if not (folder / NAME).exists():
        return None
    try:
        return RunRecord.model_validate(read_json(folder / NAME, folder))
    except ValidationError as error:
        raise FolderError(
            f"{folder / NAME} is damaged or from another version ({error.error_count()} values are wrong); "
            "train into another folder"
        ) from None


def require_same(folder: Path, before: RunRecord, identity: Mapping[str, object]) -> None:
    """Refuse to go on in the folder of another run, with all that differs."""
    different = differences(before.identity, identity)
    if different:
        told = "\n  ".join(different)
        raise FolderError(
            f"{folder} holds another run; these differ:\n  {told}\n"
            "Give the command of that run to go on, or another --output for a new one"
        )


def differences(before: Mapping[Any, object], now: Mapping[Any, object], prefix: str = "") -> list[str]:
    """What differs between two identities, a line each."""
    told = []
    for name in sorted({*before, *now}):
        one, other = before.get(name), now.get(name)
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            one, other = (dict(enumerate(side, start=1)) for side in (one, other))
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            told += differences(one, other, f"{prefix}{name}.")
        elif one != other:
            told.append(f"{prefix}{name}: {_shown(one)} before, {_shown(other)} now")
    return told


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
