"""Reading pictures: whatever holds them, one after another, each with what is said of it or with why it is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from mirada.corpora.lines import shown
from mirada.corpora.pair import CorpusError, Fault, Place
from mirada.corpora.pictures.arrays import Values, is_idx, is_npz, range_of, read_idx, read_npz
from mirada.corpora.pictures.decoding import UndecodableError, decode, is_picture
from mirada.corpora.pictures.fitting import USUAL_FRAMES
from mirada.corpora.pictures.listing import GROUP, Listed, is_table, list_folder, list_table
from mirada.corpora.pictures.picture import Found, Picture


def holds_pictures(path: Path) -> bool:
    """Whether a path is named as pictures are: a folder, an idx or npz file, a picture; tables may hold others."""
    return path.is_dir() or is_idx(path) or is_npz(path) or is_picture(path)


def read_pictures(
    path: Path, values: Values | None = None, frames: int = USUAL_FRAMES, group: str = GROUP
) -> Iterator[Found]:
    """The pictures of a folder, a table, an idx or npz file, or one picture; of clips at most so many frames.

    `values` is the range of an npz file's numbers, where they are no bytes (see `range_of`).
    """
    if is_idx(path):
        yield from read_idx(path)
    elif is_npz(path):
        yield from read_npz(path, values, frames)
    else:
        for listed in _listed(path, group):
            yield listed if isinstance(listed, Fault) else _picture(listed, frames)


def read_many(paths: Iterable[Path], values: tuple[float, float] | None, frames: int) -> Iterator[Found]:
    """The pictures of several files, folders or tables, as a model takes them that was trained on such values."""
    for path in paths:
        yield from read_pictures(path, None if values is None else Values(*values), frames)


def common_range(paths: tuple[Path, ...]) -> Values | None:
    """The range of the numbers of all npz files together; None where all are bytes."""
    found = [values for values in map(range_of, filter(is_npz, paths)) if values is not None]
    if not found:
        return None
    return Values(min(one.least for one in found), max(one.largest for one in found))


def _listed(path: Path, group: str) -> Iterator[Listed | Fault]:
    if path.is_dir():
        return list_folder(path)
    if is_picture(path):
        return iter([Listed(path, Place(str(path), 1))])
    if is_table(path):
        return list_table(path, group)
    raise CorpusError(
        f"{path} holds no pictures that can be read; name a folder with a folder for each label, a table (.tsv, .csv, "
        ".jsonl) with a column picture, an npz file, or idx files (…images-idx3-ubyte)"
    )


def _picture(listed: Listed, frames: int) -> Found:
    try:
        decoded = decode(listed.path, frames)
    except UndecodableError as error:
        return Fault(
            listed.place, f"{listed.path.name}: {error}", shown(listed.label or " ".join(listed.texts.values()))
        )
    return Picture(decoded, listed.place, listed.label, listed.texts, listed.group)
