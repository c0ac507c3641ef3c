"""A model's folder: `config.json`, `model.safetensors`, `subwords.model`, `card.md`, each written whole or not at all.

Nothing in it is code and nothing is unpickled. A folder from elsewhere is checked before it is used: every file must
be there, no larger than it can be, and hold exactly the tensors that the config asks for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar

import torch
from pydantic import Field, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_bytes
from torch import Tensor, nn

from mirada.corpora.writing import replacing
from mirada.models.build import build
from mirada.models.config import AnyShape, ModelConfig, Strict, problems, unused
from mirada.models.encoder_decoder import TranslationModel
from mirada.models.undrawn import Undrawn
from mirada.text.context import MOST
from mirada.text.slots import COUNT
from mirada.text.subwords import Subwords

CONFIG, WEIGHTS, SUBWORDS, CARD = "config.json", "model.safetensors", "subwords.model", "card.md"
SCHEMA: Final = 1
LARGEST_CONFIG = 1_000_000  # bytes


class FolderError(ValueError):
    """A folder that holds no usable model: which file, what is wrong with it, and what to do."""


class MetricRecord(Strict):
    """A score and the signature that says how it was computed."""

    score: float
    signature: str = Field(max_length=1_000)


class AnyFolderConfig(Strict):
    """`config.json`: what a model is and what it is for, whatever its task."""

    schema_number: Literal[1] = SCHEMA
    mirada: str = ""  # the version that wrote the folder
    task: str = Field(max_length=100)
    scores: dict[str, MetricRecord] = Field(default_factory=dict)  # of the test set
    model: AnyShape


class FolderConfig(AnyFolderConfig):
    """`config.json` of a translator."""

    task: Literal["translation"] = "translation"
    source: str = Field(max_length=100)  # languages, BCP-47
    target: str = Field(max_length=100)
    vocabulary: int = Field(ge=5, le=1_000_000)
    slots: int = Field(default=0, ge=0, le=COUNT)  # marks that placeholders are hidden behind; see mirada.text.slots
    longest: int = Field(default=256, ge=1)  # most tokens that a text of the training data had
    context: int = Field(default=0, ge=0, le=MOST, exclude_if=unused)  # sentences before, read with each source
    longest_text: int = Field(default=0, ge=0, exclude_if=unused)  # `longest` without context; 0 where there is none
    alignment_layer: int | None = Field(default=None, ge=0)  # of the decoder: the one whose looks align words best
    model: ModelConfig


Config = TypeVar("Config", bound=AnyFolderConfig)
Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model that is ready to be used."""

    config: FolderConfig
    model: TranslationModel
    subwords: Subwords


def tensors_of(model: nn.Module) -> dict[str, Tensor]:
    """What a model has learnt, each tensor once: a tied one under the name of its first place."""
    return {name: tensor.detach() for name, tensor in (*model.named_parameters(), *model.named_buffers())}


def save(folder: Path, config: FolderConfig, tensors: Mapping[str, Tensor], subwords: Subwords, card: str) -> None:
    """Write the folder of a translator."""
    save_folder(folder, config, tensors, {SUBWORDS: subwords.to_bytes()}, card)


def save_folder(
    folder: Path, config: AnyFolderConfig, tensors: Mapping[str, Tensor], files: Mapping[str, bytes], card: str
) -> None:
    """Write a folder of any task, with its own files; the weights come last: a folder that has them is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / CONFIG, (config.model_dump_json(indent=2) + "\n").encode())
    for name, data in files.items():
        write_file(folder / name, data)
    write_file(folder / CARD, card.encode())
    write_file(folder / WEIGHTS, to_bytes({name: tensor.contiguous() for name, tensor in sorted(tensors.items())}))


def write_file(path: Path, data: bytes) -> None:
    """A file that is whole or not there."""
    with replacing(path) as out:
        out.write(data)


def load(folder: Path) -> Loaded:
    """The model of a folder, in float32 and ready to translate."""
    config = read_config(folder)
    subwords = _read_subwords(folder, config)
    return Loaded(config, load_model(folder, lambda: build(config.model, config.vocabulary)), subwords)


def load_model(folder: Path, make: Callable[[], Model]) -> Model:
    """The model that `make` builds, with the weights of a folder, in float32 and ready to be used."""
    try:
        with Undrawn():
            model = make()
    except ValueError as error:
        raise FolderError(f"{folder}: {error}") from None
    assign(model, read_tensors(folder / WEIGHTS), folder / WEIGHTS)
    return model.eval()


def read_config(folder: Path) -> FolderConfig:
    """The config of a folder."""
    data = read_json(folder / CONFIG, folder)
    number = data.get("schema_number")
    if isinstance(number, int) and number > SCHEMA:
        raise FolderError(
            f"{folder / CONFIG} has schema {number}; this version of mirada reads up to {SCHEMA}: install a newer one"
        )
    if data.get("task") == "lm":
        raise FolderError(f"{folder} holds a language model, not a translator; use `mirada generate {folder}`")
    if data.get("task") == "vectors":
        raise FolderError(f"{folder} holds word vectors, not a translator; use `mirada nearest {folder} WORD`")
    if data.get("task") in ("tag", "classify", "nodes"):
        raise FolderError(f"{folder} labels what it reads, and does not translate; use `mirada predict {folder}`")
    return validate_config(folder, data, FolderConfig)


def read_config_of(folder: Path, what: str, kinds: Mapping[str, type[Config]]) -> Config:
    """The config of a folder that must hold `what`: a model for one of these tasks."""
    data = read_json(folder / CONFIG, folder)
    task = str(data.get("task", "translation"))
    if task not in kinds:
        raise FolderError(
            f"{folder} holds a model for {task}, no {what}; name a folder that was trained with "
            f"--task {' or '.join(kinds)}"
        )
    return validate_config(folder, data, kinds[task])


def validate_config(folder: Path, data: Mapping[str, object], kind: type[Config]) -> Config:
    """What `config.json` holds as a config of this kind; all that is wrong with it is told at once."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise FolderError(problems(error, kind, str(folder / CONFIG))) from None


def task_of(folder: Path) -> str:
    """What the model of a folder is for, whatever else its config says."""
    return str(read_json(folder / CONFIG, folder).get("task", "translation"))


def read_json(path: Path, folder: Path) -> dict[str, object]:
    """The object in a small JSON file."""
    if not folder.is_dir():
        raise FolderError(f"{folder} is no folder of a model; name one that `mirada train --output` has made")
    content = read_file(path, LARGEST_CONFIG)
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise FolderError(f"{path} is damaged: it is no JSON; copy the folder again") from None
    if not isinstance(data, dict):
        raise FolderError(f"{path} is damaged: it holds no JSON object; copy the folder again")
    return data


def read_file(path: Path, largest: int) -> bytes:
    """A file of a folder, which has so many bytes at the most."""
    try:
        if path.stat().st_size > largest:
            raise FolderError(f"{path} has {path.stat().st_size:,} bytes; at most {largest:,} are read")
        return path.read_bytes()
    except FileNotFoundError:
        raise FolderError(f"{path} is missing; copy the whole folder, or train again") from None


def _read_subwords(folder: Path, config: FolderConfig) -> Subwords:
    subwords = open_subwords(folder)
    if (subwords.size, subwords.slots) != (config.vocabulary, config.slots):
        found = f"{subwords.size:,} subwords and {subwords.slots} slots"
        raise foreign(folder / SUBWORDS, found, f"{config.vocabulary:,} and {config.slots}")
    return subwords


def open_subwords(folder: Path) -> Subwords:
    """The subwords of a folder, be they those of its model or not."""
    try:
        return Subwords.load(folder / SUBWORDS)
    except ValueError as error:
        raise FolderError(str(error)) from None


def foreign(path: Path, found: str, trained: str) -> FolderError:
    """What is said of a file that does not go with the weights beside it."""
    return FolderError(
        f"{path} has {found}, but the model was trained with {trained}: the file is from another model; copy the "
        "whole folder again"
    )


def read_tensors(path: Path) -> dict[str, Tensor]:
    """All tensors of a safetensors file."""
    try:
        with safe_open(str(path), framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 this is no mapping
    except FileNotFoundError:
        raise FolderError(
            f"{path} is missing; the run may not be finished, or the folder was not copied whole"
        ) from None
    except (SafetensorError, OSError) as error:
        raise FolderError(
            f"{path} is damaged or no safetensors file ({error}); copy it again, or train again"
        ) from None


def assign(model: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Give a model its tensors, which must be exactly those it has, in number, name and shape."""
    wanted = {name: tuple(tensor.shape) for name, tensor in tensors_of(model).items()}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if wanted != found:
        wrong = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
        first = wrong[0]
        raise FolderError(
            f"{path} does not fit the config: {len(wrong)} tensors differ, first {first}: "
            f"{found.get(first, 'missing')} in the file, {wanted.get(first, 'none')} by the config; "
            "the file is from another model"
        )
    if any(not tensor.is_floating_point() for tensor in tensors.values()):
        raise FolderError(f"{path} holds tensors that are no floating-point numbers; the file is from another program")
    with torch.no_grad():  # in place, so that what is tied stays tied
        for name, tensor in tensors_of(model).items():
            tensor.copy_(tensors[name])
