"""The format of a token store: its header, what it was made from, and how it is found to be torn or foreign."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mirada.corpora.pair import CorpusError

HEADER = "header.json"
HEADER_LIMIT = 1_000_000  # bytes
Side = Literal["source", "target"]
SIDES: tuple[Side, Side] = ("source", "target")
PARTS = ("tokens", "offsets", "lengths")
NAMES = frozenset({HEADER, *(f"{side}.{part}" for side in SIDES for part in PARTS)})


def fingerprint(ingredients: Mapping[str, object]) -> str:
    """A name for what a store is made from: files, subwords, settings; anything that JSON can say."""
    text = json.dumps(ingredients, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def file_identity(path: Path) -> dict[str, object]:
    """What a file is, whatever it is called: its size and the hash of its bytes (about a second for a gigabyte).

    A folder is the files in it, by their names within.
    """
    if path.is_dir():
        return _folder_identity(path)
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return {"bytes": path.stat().st_size, "hash": digest.hexdigest()}


def _folder_identity(folder: Path) -> dict[str, object]:
    digest, size = blake2b(digest_size=16), 0
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        identity = file_identity(path)
        size += path.stat().st_size
        digest.update(f"{path.relative_to(folder)}\0{identity['hash']}\0".encode("utf-8", "surrogateescape"))
    return {"bytes": size, "hash": digest.hexdigest()}


class DamagedStoreError(CorpusError):
    """A store that is torn, foreign or of another version, with the file that shows it."""


class Header(BaseModel):
    """What stands in `header.json`; `checksum` is the fingerprint of the rest."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    magic: Literal["mirada token store"] = "mirada token store"
    schema_number: Literal[1] = 1
    made_from: str
    vocabulary: int = Field(gt=0, le=1 << 32)
    variants: int = Field(ge=1)
    pairs: int = Field(ge=0)
    files: dict[str, int]
    checksum: str = ""

    def sealed(self) -> Header:
        """The header with its checksum."""
        return self.model_copy(update={"checksum": fingerprint(self.model_dump(exclude={"checksum"}))})

    @property
    def token_type(self) -> np.dtype[Any]:
        """Two bytes for an id where they suffice, else four."""
        return np.dtype("<u2") if self.vocabulary <= 1 << 16 else np.dtype("<u4")


def read_header(folder: Path) -> Header:
    """The header of a store, if it is one, whole and of this version."""
    path = folder / HEADER
    with path.open("rb") as file:
        text = file.read(HEADER_LIMIT + 1)
    try:
        header = Header.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise DamagedStoreError(
            f"{path} is no header of a token store: {where}: {first['msg']}; remove {folder}"
        ) from None
    if header != header.sealed():
        raise DamagedStoreError(f"{path} was changed: its checksum does not fit; remove {folder}")
    if set(header.files) != NAMES - {HEADER}:
        raise DamagedStoreError(f"{path} names other files than a token store has; remove {folder}")
    return header


def map_file(folder: Path, name: str, kind: np.dtype[Any], header: Header) -> NDArray[Any]:
    """A file of the store as an array in memory that is read when it is touched."""
    path, size = folder / name, header.files[name]
    found = path.stat().st_size if path.is_file() else None
    if found != size or size % kind.itemsize:
        state = "is missing" if found is None else f"has {found:,} bytes"
        raise DamagedStoreError(f"{path} {state}; the header promises {size:,}; remove {folder}")
    if size == 0:
        return np.zeros(0, dtype=kind)  # an empty file cannot be mapped
    return np.memmap(path, dtype=kind, mode="r")
