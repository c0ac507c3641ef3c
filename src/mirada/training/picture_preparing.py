"""Preparing labelled pictures: brought to one shape and stored in the run's folder, made once and used again."""

from __future__ import annotations

import shutil
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.pair import CorpusError
from mirada.corpora.pictures.picture import Picture, PictureShape
from mirada.corpora.pictures.store import PictureStore
from mirada.corpora.store import fingerprint
from mirada.models.folder import write_file
from mirada.text.labels import UNKNOWN, Labels
from mirada.training.facts import PreparedFacts
from mirada.training.picture_config import PicturesConfig
from mirada.training.picture_gathering import gather
from mirada.training.preparing import DATA, FACTS, PARTS, Files, Say, read_facts
from mirada.training.reuse import reuse_or_make

FORMAT = 1  # of what lies in the folder `data`; a change makes old ones be built again
LABELS = "labels.npy"


class PictureFacts(PreparedFacts):
    """What a preparation found and made."""

    made_from: str
    task: Literal["classify"] = "classify"
    pictures: dict[str, int]  # by part
    dropped: dict[str, int]
    labels: tuple[str, ...]
    unmet: int  # pictures that are held out, with a label that is not trained on
    shape: PictureShape
    values: tuple[float, float] | None  # the range of the numbers of npz files

    @property
    def vocabulary(self) -> None:
        """How many subwords there are: pictures have none."""
        return

    def told(self) -> str:
        train, dev, test = (self.pictures[part] for part in PARTS)
        return (
            f"{train:,} pictures to train on, {dev:,} to look at, {test:,} to test with; {len(self.labels):,} labels."
        )


@dataclass(frozen=True, eq=False)
class PreparedPictures:
    """Labelled pictures that are ready to train on."""

    stores: Mapping[str, PictureStore]
    labels: Mapping[str, NDArray[np.int64]]
    facts: PictureFacts


def prepare_pictures(folder: Path, files: Files, config: PicturesConfig, say: Say) -> PreparedPictures:
    """The pictures of a run, from its folder where they were made from the same files and settings, else made now."""
    prepared_by = config.model_dump(mode="json", exclude={"shift", "flip"})  # which change no stored byte
    made_from = fingerprint({"format": FORMAT, "task": "classify", "files": files.identities, "config": prepared_by})
    return reuse_or_make(
        folder / DATA / FACTS,
        made_from,
        lambda: _open(folder),
        lambda: _make(folder, files, config, made_from, say),
        say,
    )


def _open(folder: Path) -> PreparedPictures:
    data = folder / DATA
    facts = read_facts(data, PictureFacts)
    stores = {part: PictureStore(data / part) for part in PARTS}
    labels = {part: np.load(data / f"{part}.{LABELS}", allow_pickle=False).astype(np.int64) for part in PARTS}
    if any(len(labels[part]) != len(stores[part]) for part in PARTS):
        raise CorpusError(f"the pictures and the labels in {data} do not fit")
    return PreparedPictures(stores, labels, facts)


def _make(folder: Path, files: Files, config: PicturesConfig, made_from: str, say: Say) -> None:
    """Make all that `_open` opens; the facts come last, so that a folder that has them is whole."""
    data = folder / DATA
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    numbers: dict[str, int] = {}  # of every label in the order in which they are met
    found = {part: array("q") for part in PARTS}

    def take(part: str, number: int, picture: Picture) -> None:
        found[part].append(numbers.setdefault(picture.label, len(numbers)))

    gathered = gather(data, files, config, made_from, _judge, take, say)
    names = list(numbers)
    trained = Counter(names[number] for number in set(found["train"]))
    labels = Labels.of_counts(trained, str(files.train[0]))
    table = np.array([labels.numbers.get(name, UNKNOWN) for name in names], dtype=np.int64)
    for part in PARTS:
        np.save(data / f"{part}.{LABELS}", table[np.array(found[part], dtype=np.int64)])
    facts = PictureFacts(
        made_from=made_from,
        pictures=gathered.counts,
        dropped=gathered.dropped,
        labels=labels.names,
        unmet=sum(table[number] == UNKNOWN for part in ("dev", "test") for number in found[part]),
        shape=gathered.shape,
        values=None if gathered.values is None else (gathered.values.least, gathered.values.largest),
    )
    write_file(data / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())
    say(facts.told())
    if facts.unmet:
        say(f"{facts.unmet:,} pictures to look at or to test with have labels that are never trained on.")


def _judge(picture: Picture) -> str | None:
    return None if picture.label else "there is no label"
