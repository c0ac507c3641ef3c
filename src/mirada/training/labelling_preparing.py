"""Preparing labelled data: files to sentences, texts or rows of numbers with their labels, and subwords.

Labelled data was made by hand and is small, so it is read again whenever a run goes on; what takes longer, learning
subwords, is kept in the run's folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from mirada.corpora.examples import first_faults
from mirada.corpora.pair import CorpusError, Fault
from mirada.corpora.split import Shares, key_of, shares_for, sides
from mirada.corpora.store import fingerprint
from mirada.models.folder import SUBWORDS, write_file
from mirada.text.labels import Labels, counted
from mirada.text.subwords import Subwords
from mirada.text.vocabulary import learn
from mirada.training.facts import PreparedFacts
from mirada.training.labelling_config import LabelDataConfig
from mirada.training.preparing import DATA, FACTS, PARTS, Files, Say, read_facts

FORMAT = 1
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """Something with its labels: a sentence with one for each word, or anything else with one."""

    entered: T
    labels: tuple[str | None, ...]
    key: str  # near-duplicates of which stay together when a set is divided
    heads: tuple[int, ...] = ()  # of the words of a sentence that comes with its tree


@dataclass(frozen=True, eq=False)
class Parts(Generic[T]):
    """What is trained on, looked at and tested with, and what could not be read."""

    items: Mapping[str, list[Item[T]]]
    read: int
    faults: list[Fault] = field(default_factory=list)

    def labels(self, what: str) -> Labels:
        """The labels of the training set."""
        return Labels.of_counts(counted(label for item in self.items["train"] for label in item.labels), what)

    def unmet(self, part: str, labels: Labels) -> Counter[str]:
        """The labels of another set that the training set does not have."""
        found = counted(label for item in self.items[part] for label in item.labels)
        return Counter({label: count for label, count in found.items() if label not in labels.numbers})

    def facts(self, made_from: str, task: str, files: int, labels: int, vocabulary: int | None) -> LabelFacts:
        """What was found, as it is kept beside the data."""
        return LabelFacts(
            made_from=made_from,
            task=task,
            files=files,
            read=self.read,
            left_out=len(self.faults),
            rows={part: len(self.items[part]) for part in PARTS},
            units={part: units_in(self.items[part]) for part in PARTS},
            labels=labels,
            vocabulary=vocabulary,
        )


class LabelFacts(PreparedFacts):
    """What a preparation found and made."""

    made_from: str
    task: str
    files: int
    read: int
    left_out: int  # that could not be read
    rows: dict[str, int]  # sentences, texts or rows of numbers by part
    units: dict[str, int]  # that have a label, by part
    labels: int
    vocabulary: int | None

    def told(self) -> str:
        train, dev, test = (self.units[part] for part in PARTS)
        told = f"{self.labels:,} labels: {train:,} {'words' if self.task == 'tag' else 'rows'}"
        return f"{told} trained on, {dev:,} looked at, {test:,} to test with"


def read_parts(
    files: Files, config: LabelDataConfig, read: Callable[[Path], Iterator[Item[T] | Fault]], say: Say
) -> Parts[T]:
    """All items of a run's files; where no own sets were given, some are set aside by the hash of their text."""
    faults: list[Fault] = []
    found = {part: list(_good(read, getattr(files, part), faults)) for part in PARTS}
    count = sum(map(len, found.values()))
    if faults:
        say(f"{len(faults):,} of {count + len(faults):,} cannot be used and are left out: ")
        for told in first_faults(faults):
            say(f"  {told}")
    if len(faults) > count:
        raise CorpusError(f"most of {files.train[0]} cannot be used, first {faults[0].place}: {faults[0].reason}")
    items = found["train"]
    usual = shares_for(len(items))
    shares = Shares(
        0.0 if files.dev else usual.dev if config.dev_share is None else config.dev_share,
        0.0 if files.test else usual.test if config.test_share is None else config.test_share,
    )
    keys = np.array([key_of(item.key) for item in items], dtype=np.uint64)
    for number, part in enumerate(PARTS):
        chosen = [item for item, side in zip(items, sides(keys, shares), strict=True) if side == number]
        found[part] = chosen if part == "train" else [*found[part], *chosen]
    if not found["train"]:
        raise CorpusError(f"{files.train[0]} holds nothing that can be trained on")
    if not found["dev"]:
        found["dev"] = found["train"]
        say("Nothing could be set aside: the run looks at what it trains on, so scores will be too good.")
    return Parts(found, count + len(faults), faults)


def _good(
    read: Callable[[Path], Iterator[Item[T] | Fault]], paths: Iterable[Path], faults: list[Fault]
) -> Iterator[Item[T]]:
    for path in paths:
        for found in read(path):
            if isinstance(found, Fault):
                faults.append(found)
            else:
                yield found


def prepare_subwords(
    folder: Path, files: Files, config: LabelDataConfig, texts: Iterable[str], say: Say
) -> tuple[Subwords, str]:
    """The subwords of a run, kept from before or learnt now, and what they were made from."""
    made_from = identity_of(files, config)
    if (folder / DATA / FACTS).exists() and (folder / SUBWORDS).exists():
        try:
            if read_facts(folder / DATA, LabelFacts).made_from == made_from:
                say("The subwords were learnt before.")
                return Subwords.load(folder / SUBWORDS), made_from
        except (CorpusError, OSError, ValueError) as error:
            say(f"The subwords are learnt again: {error}")
    say("Learning subwords.")
    subwords = learn(texts, config.vocabulary).subwords
    write_file(folder / SUBWORDS, subwords.to_bytes())
    return subwords, made_from


def identity_of(files: Files, config: LabelDataConfig) -> str:
    """What prepared data was made from, as a short name."""
    return fingerprint({"format": FORMAT, "files": files.identities, "config": config.model_dump(mode="json")})


def write_facts(folder: Path, facts: LabelFacts) -> None:
    """Keep what was found, for when the run goes on and for whoever asks."""
    (folder / DATA).mkdir(exist_ok=True)
    write_file(folder / DATA / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())


def tell_unmet(parts: Parts[T], labels: Labels, say: Say) -> None:
    """Tell which labels of the other sets can never be said."""
    for part, name in (("dev", "development"), ("test", "test")):
        unmet = parts.unmet(part, labels)
        if unmet:
            told = ", ".join(repr(label) for label, _ in unmet.most_common(5))
            say(f"{unmet.total():,} labels of the {name} set are never met in training and count as wrong: {told}")


def units_in(items: Sequence[Item[T]]) -> int:
    """How many labels some items have."""
    return sum(1 for item in items for label in item.labels if label is not None)
