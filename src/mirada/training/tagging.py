"""Tagging: treebanks to a model that fills one column of CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from mirada import __version__
from mirada.corpora.conllu import COLUMNS, NOTHING, column_of, read_conllu
from mirada.corpora.pair import Fault
from mirada.data.encoding import WordEncoding
from mirada.data.labelled import Labelled, LabelledOrder
from mirada.evaluation.labels import LabelScores
from mirada.models.folder import write_file
from mirada.models.labelling_config import TaggerHeadConfig
from mirada.models.labelling_folder import WORDS, TaggerFolderConfig
from mirada.models.labelling_presets import suited
from mirada.text.labels import Labels
from mirada.training.labelling import LabelFamily, Material, recorded
from mirada.training.labelling_config import LabelRunConfig, TagDataConfig, TagRunConfig
from mirada.training.labelling_preparing import (
    Item,
    LabelFacts,
    Parts,
    identity_of,
    prepare_subwords,
    read_parts,
    tell_unmet,
    write_facts,
)
from mirada.training.preparing import PARTS, Say

SAYING_NOTHING = {"feats", "misc", "deps"}  # where _ is an answer: this word has none


@dataclass(frozen=True, eq=False)
class TagFamily(LabelFamily):
    """A tagger that was asked for."""

    task: ClassVar[str] = "tag"
    dropout: ClassVar[float] = 0.3
    run_config: ClassVar[type[LabelRunConfig]] = TagRunConfig

    def material(self, config: LabelRunConfig, say: Say) -> Material:
        data = _data(config)
        number = column_of(data.column)
        parts = read_parts(self.files, data, lambda path: read_tagged(path, number), say)
        labels = parts.labels(f"column {COLUMNS[number]} of {self.files.train[0]}")
        tell_unmet(parts, labels, say)
        if self.loaded is None:
            texts = (" ".join(item.entered) for item in parts.items["train"])
            subwords, made_from = prepare_subwords(self.output, self.files, data, texts, say)
        else:
            subwords, made_from = self.loaded.subwords, identity_of(self.files, data)
        encoding = WordEncoding(subwords, spelling_of(config), longest_of(config), data.graph == "tree")
        sets = {part: _labelled(encoding, parts.items[part], labels) for part in PARTS}
        facts = parts.facts(made_from, self.task, len(self.files.train), len(labels), subwords.size)
        write_facts(self.output, facts)
        _keep_words(self.output, parts)
        _tell(facts, parts, encoding, say)
        return Material(sets, labels, subwords.size, subwords, facts, suited(facts.units["train"]))

    def described(self, config: LabelRunConfig, material: Material, scores: LabelScores | None) -> TaggerFolderConfig:
        return TaggerFolderConfig(
            mirada=__version__,
            vocabulary=material.size,
            labels=material.labels.names,
            longest=longest_of(config),
            scores=recorded(scores),
            model=config.model,
            column=COLUMNS[column_of(_data(config).column)],
            graph=_data(config).graph,
            head=config.head if isinstance(config.head, TaggerHeadConfig) else TaggerHeadConfig(),
        )

    def order(self, config: LabelRunConfig, labelled: Labelled, budget: int) -> LabelledOrder:
        return LabelledOrder(labelled, budget, config.training.seed)


def _data(config: LabelRunConfig) -> TagDataConfig:
    return config.data if isinstance(config.data, TagDataConfig) else TagDataConfig()


def spelling_of(config: LabelRunConfig) -> int:
    """The rows of the table of spellings; 0 where subwords are read one by one."""
    return int(getattr(config.model, "spelling", 0))


def longest_of(config: LabelRunConfig) -> int:
    """The places that are read at once: as many as asked for, and as the reader has."""
    places = config.model.places
    return config.data.longest if places is None else min(config.data.longest, places)


def read_tagged(path: Path, number: int) -> Iterator[Item[list[str]] | Fault]:
    """The sentences of a treebank with a column of their words; _ is no label where it says that nothing is known."""
    nothing = None if COLUMNS[number] not in SAYING_NOTHING else NOTHING
    for found in read_conllu(path):
        if isinstance(found, Fault):
            yield found
        elif found.words:
            labels = tuple(nothing if value == NOTHING else value for value in found.column(number))
            yield Item(found.forms, labels, " ".join(found.forms), tuple(found.heads))


def _labelled(encoding: WordEncoding, items: list[Item[list[str]]], labels: Labels) -> Labelled:
    numbers = [labels.encode(item.labels) for item in items]
    return encoding.encode([item.entered for item in items], numbers, [item.heads for item in items])


def _keep_words(folder: Path, parts: Parts[list[str]]) -> None:
    """The words that were trained on, so that unknown ones can be told apart when the model is tested."""
    words = {word for item in parts.items["train"] for word in item.entered if "\n" not in word}
    write_file(folder / WORDS, "".join(f"{word}\n" for word in sorted(words)).encode())


def _tell(facts: LabelFacts, parts: Parts[list[str]], encoding: WordEncoding, say: Say) -> None:
    counts: Mapping[str, int] = facts.units
    say(
        f"{counts['train']:,} words to train on, {counts['dev']:,} to look at, {counts['test']:,} to test with; "
        f"{facts.labels:,} labels."
    )
    long = sum(encoding.parts_of(item.entered) > 1 for item in parts.items["train"])
    if long:
        say(f"{long:,} sentences have more than data.longest = {encoding.longest} places and are read in parts.")
