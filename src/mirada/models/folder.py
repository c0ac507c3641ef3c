"""A model's folder: `config.json`, `model.safetensors`, `subwords.model`, `card.md`, each written whole or not at all.

Nothing in it is code and nothing is unpickled. A folder from elsewhere is checked before it is used: every file must
be there, no larger than it can be, and hold exactly the tensors that the config asks for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

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
    with Undrawn():
        model = build(config.model, config.vocabulary)
    assign(model, read_tensors(folder / WEIGHTS), folder / WEIGHTS)
    return Loaded(config, model.eval(), subwords)


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
    try:
        return FolderConfig.model_validate(data)
    except ValidationError as error:
        raise FolderError(problems(error, FolderConfig, str(folder / CONFIG))) from None


def task_of(folder: Path) -> str:
    """What the model of a folder is for, whatever else its config says."""
    return str(read_json(folder / CONFIG, folder).get("task", "translation"))


def read_json(path: Path, folder: Path) -> dict[str, object]:
    """The object in a small JSON file."""
    if not folder.is_dir():
        raise FolderError(f"{folder} is no folder of a model; name one that `mirada train --output` has made")
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            raise FolderError(f"{path} has {path.stat().st_size:,} bytes; at most {LARGEST_CONFIG:,} are read")
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FolderError(f"{path} is missing; copy the whole folder, or train again") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, FolderError):
            raise
        raise FolderError(f"{path} is damaged: it is no JSON; copy the folder again") from None
    if not isinstance(data, dict):
        raise FolderError(f"{path} is damaged: it holds no JSON object; copy the folder again")
    return data


def _read_subwords(folder: Path, config: FolderConfig) -> Subwords:
    try:
        subwords = Subwords.load(folder / SUBWORDS)
    except ValueError as error:
        raise FolderError(str(error)) from None
    if (subwords.size, subwords.slots) != (config.vocabulary, config.slots):
        raise FolderError(
            f"{folder / SUBWORDS} has {subwords.size:,} subwords and {subwords.slots} slots, but the model was "
            f"trained with {config.vocabulary:,} and {config.slots}: the file is from another model; copy the whole "
            "folder again"
        )
    return subwords


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
