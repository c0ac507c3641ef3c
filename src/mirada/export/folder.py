"""An exported folder: what CTranslate2 reads, our subwords, and `mirada.json`, which says what the model is for.

    config.json  model.bin  shared_vocabulary.json      CTranslate2's own
    vmap.txt                                            the shortlist, if it has one (`mirada.export.shortlist`)
    subwords.model  mirada.json  card.md                ours

Nothing here imports torch. A folder from elsewhere is checked before it is used: every file must be there, and no
larger than it can be.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mirada.decoding.engine import About
from mirada.text.context import MOST
from mirada.text.slots import COUNT
from mirada.text.subwords import Subwords

ABOUT, SUBWORDS, CARD = "mirada.json", "subwords.model", "card.md"
MODEL, VOCABULARY, SETTINGS, SHORTLIST = "model.bin", "shared_vocabulary.json", "config.json", "vmap.txt"
INSIDE = "export"  # where a model's own folder keeps its export
SCHEMA: Final = 1
# Bytes. CTranslate2 reads the last four itself, and as much as there is.
LARGEST = {
    ABOUT: 1_000_000,
    SETTINGS: 1_000_000,
    VOCABULARY: 200_000_000,
    SHORTLIST: 1_000_000_000,
    MODEL: 100_000_000_000,
}
BLOCKS, BLOCK = 64, 4_096  # of the weights, enough to tell two trainings apart in a millisecond

Quantization = Literal["none", "int8", "int8_float32", "int8_float16", "int8_bfloat16", "int16", "float16", "bfloat16"]


class ExportError(ValueError):
    """A folder that holds no usable export: which file, what is wrong with it, and what to do."""


class Exported(BaseModel):
    """`mirada.json`: what an exported model is for, and what it was made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_number: Literal[1] = SCHEMA
    mirada: str = Field(default="", max_length=100)  # the version that wrote the folder
    source: str = Field(max_length=100)  # languages, BCP-47
    target: str = Field(max_length=100)
    vocabulary: int = Field(ge=5, le=1_000_000)
    slots: int = Field(default=0, ge=0, le=COUNT)  # marks that placeholders are hidden behind; see mirada.text.slots
    longest: int = Field(ge=1)  # most tokens that a text of the training data had
    context: int = Field(default=0, ge=0, le=MOST, exclude_if=lambda count: count == 0)  # sentences read before each
    longest_text: int = Field(default=0, ge=0, exclude_if=lambda count: count == 0)  # `longest` without them
    places: int | None = Field(default=None, ge=1)  # None where the model knows every place
    quantization: Quantization = "none"
    shortlist: int | None = Field(default=None, ge=1)  # how many subwords it has, if there is one
    weights: str = Field(default="", max_length=200)  # `fingerprint` of the weights that it was made from

    @property
    def form(self) -> str:
        """How its numbers are written, in a word."""
        return form_of(self.quantization)

    @property
    def about(self) -> About:
        """What the model is for."""
        return About(self.source, self.target, self.longest, self.places, self.context, self.longest_text)


def form_of(quantization: Quantization) -> str:
    """What people call a form of numbers."""
    return "float32" if quantization == "none" else quantization


def is_exported(folder: Path) -> bool:
    """Whether this is the folder of an export, and not of a model."""
    return (folder / ABOUT).is_file()


def read_about(folder: Path) -> Exported:
    """What a folder says of itself, when all its files are there."""
    for name in (ABOUT, SETTINGS, MODEL, VOCABULARY, SUBWORDS):
        _require_file(folder / name)
    path = folder / ABOUT
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise ExportError(f"{path} is damaged: it is no JSON; export the model again") from None
    number = data.get("schema_number") if isinstance(data, dict) else None
    if isinstance(number, int) and number > SCHEMA:
        raise ExportError(
            f"{path} has schema {number}; this version of mirada reads up to {SCHEMA}: install a newer one"
        )
    try:
        about = Exported.model_validate(data)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}" for one in error.errors())
        raise ExportError(f"{path} is damaged: {wrong}; export the model again") from None
    if about.shortlist is not None:
        _require_file(folder / SHORTLIST)
    return about


def read_subwords(folder: Path, about: Exported) -> Subwords:
    """The subwords of a folder, which must be those that the model knows."""
    try:
        subwords = Subwords.load(folder / SUBWORDS)
    except ValueError as error:
        raise ExportError(str(error)) from None
    try:
        known = json.loads((folder / VOCABULARY).read_bytes())
    except (ValueError, RecursionError):
        raise ExportError(f"{folder / VOCABULARY} is damaged: it is no JSON; export the model again") from None
    if known != list(subwords.pieces) or (subwords.size, subwords.slots) != (about.vocabulary, about.slots):
        raise ExportError(
            f"{folder / SUBWORDS} and {VOCABULARY} hold different subwords: one of them is from another model; "
            "export the model again"
        )
    return subwords


def fingerprint(weights: Path) -> str:
    """What tells the weights of one training from those of another: their size, and a digest of a part of them."""
    size = weights.stat().st_size
    digest = blake2b(str(size).encode(), digest_size=16)
    with weights.open("rb") as file:
        for number in range(BLOCKS):
            file.seek(max(0, size - BLOCK) * number // (BLOCKS - 1))
            digest.update(file.read(BLOCK))
    return digest.hexdigest()


def _require_file(path: Path) -> None:
    try:
        size = path.stat().st_size
    except OSError:
        raise ExportError(f"{path} is missing; copy the whole folder, or export the model again") from None
    most = LARGEST.get(path.name)
    if most is not None and size > most:
        raise ExportError(f"{path} has {size:,} bytes; at most {most:,} are read: export the model again")
