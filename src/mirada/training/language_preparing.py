"""Preparing running text: files to streams of tokens in the run's folder, made once and used again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mirada.corpora.documents import Document, Survey, build_stream, characters_of, survey
from mirada.corpora.music import is_midi
from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store, fingerprint
from mirada.models.folder import write_file
from mirada.models.language_folder import read_units, units_file
from mirada.text.characters import Characters
from mirada.text.events import Events
from mirada.text.units import SubwordLines, UnitKind, Units
from mirada.text.vocabulary import learn
from mirada.training.facts import PreparedFacts
from mirada.training.language_config import TextConfig
from mirada.training.preparing import DATA, FACTS, PARTS, Files, Say, open_store, read_facts
from mirada.training.reuse import reuse_or_make

FORMAT = 1  # of what lies in the folder `data`; a change makes old ones be built again
MANY_CHARACTERS = 5_000_000  # from here on there is enough text to learn what subwords mean


Build = Callable[[Sequence[Document], Units, Path, str], tuple[Store, int]]  # a stream of tokens, or lines


class TextFacts(PreparedFacts):
    """What a preparation found and made."""

    made_from: str
    files: int
    left_out: int  # lines that are no text
    units: UnitKind
    vocabulary: int
    tokens: dict[str, int]  # by part
    characters: dict[str, int]

    def told(self) -> str:
        train, dev, test = (self.tokens[part] for part in PARTS)
        return f"{train:,} {self.units} trained on, {dev:,} looked at, {test:,} to test with"


@dataclass(frozen=True, eq=False)
class PreparedText:
    """Text that is ready to train on."""

    stores: Mapping[str, Store]  # train, dev, test
    units: Units
    facts: TextFacts


@dataclass(frozen=True, eq=False)
class Given:
    """The units of the model that a run starts from."""

    kind: UnitKind
    units: Units


def prepare_text(
    folder: Path,
    files: Files,
    config: TextConfig,
    given: Given | None,
    say: Say,
    build: Build = build_stream,
) -> PreparedText:
    """The text of a run, from its folder where it was made from the same files and settings, else made now."""
    made_from = fingerprint(
        {
            "format": FORMAT,
            "build": build.__name__,
            "files": files.identities,
            "config": config.model_dump(mode="json"),
            "units": None if given is None else given.units.to_bytes().hex(),
        }
    )
    return reuse_or_make(
        folder / DATA / FACTS,
        made_from,
        lambda: _open(folder),
        lambda: _make(folder, files, config, given, made_from, say, build),
        say,
    )


def _open(folder: Path) -> PreparedText:
    data = folder / DATA
    facts = read_facts(data, TextFacts)
    stores = {part: open_store(data / part, facts.made_from) for part in PARTS}
    return PreparedText(stores, read_units(folder, facts.units), facts)


def _make(
    folder: Path,
    files: Files,
    config: TextConfig,
    given: Given | None,
    made_from: str,
    say: Say,
    build: Build,
) -> None:
    """Make all that `_open` opens; the facts come last, so that a folder that has them is whole."""
    data = folder / DATA
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    music = is_music(files, config.units if given is None else given.kind)
    surveys = {part: [survey(path, music) for path in getattr(files, part)] for part in PARTS}
    documents = _divide(surveys, files, config, say)
    if given is None:
        characters = sum(one.characters for one in surveys["train"])
        given = Given("events", Events()) if music else _learn(documents["train"], characters, config, say)
    write_file(folder / units_file(given.kind), given.units.to_bytes())
    built = {part: build(documents[part], given.units, data / part, made_from) for part in PARTS}
    facts = TextFacts(
        made_from=made_from,
        files=len(files.train),
        left_out=sum(one.faults for part in surveys.values() for one in part),
        units=given.kind,
        vocabulary=given.units.size,
        tokens={part: len(store.stream("source")) for part, (store, _) in built.items()},
        characters={part: characters for part, (_, characters) in built.items()},
    )
    write_file(data / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())
    say(_told(facts))


def is_music(files: Files, units: UnitKind | None) -> bool:
    """Whether the files hold pieces of music: it is said, or their names say so."""
    return units == "events" or (units is None and all(map(is_midi, files.train)))


def _divide(
    surveys: Mapping[str, Sequence[Survey]], files: Files, config: TextConfig, say: Say
) -> dict[str, list[Document]]:
    """Which lines of which files are trained on, looked at, and tested with."""
    for one in chain.from_iterable(surveys.values()):
        if one.first_fault is not None:
            place, reason = one.first_fault.place, one.first_fault.reason
            say(f"{one.faults:,} lines of {one.path} are no text and left out, the first: {place}: {reason}")
    if not any(one.characters for one in surveys["train"]):
        raise CorpusError(f"{files.train[0]} holds no text that can be read; name plain text files in UTF-8")
    dev = 0.0 if files.dev else config.dev_share
    test = 0.0 if files.test else config.test_share
    parts = [one.divided((1 - dev - test, dev, test)) for one in surveys["train"]]
    found = {part: [divided[number] for divided in parts] for number, part in enumerate(PARTS)}
    for part in ("dev", "test"):
        found[part] += [whole for one in surveys[part] for whole in one.divided((1.0,))]
    if not _lines_in(found["train"]):
        found |= {"train": [whole for one in surveys["train"] for whole in one.divided((1.0,))], "test": []}
    if not _lines_in(found["dev"]):
        found["dev"] = found["train"]
        say("No line could be set aside: the run looks at text that it trains on, so scores will be too good.")
    return found


def _lines_in(documents: Sequence[Document]) -> int:
    return sum(document.count for document in documents)


def _learn(documents: Sequence[Document], characters: int, config: TextConfig, say: Say) -> Given:
    """The units of a text: those that were asked for, or that suit its size."""
    kind = config.units or ("characters" if characters < MANY_CHARACTERS and config.vocabulary is None else "subwords")
    if kind == "characters":
        return Given(kind, Characters(characters_of(documents)))
    say("Learning subwords.")
    return Given(kind, SubwordLines(learn(chain.from_iterable(documents), config.vocabulary).subwords))


def _told(facts: TextFacts) -> str:
    train, dev, test = (facts.tokens[part] for part in PARTS)
    return (
        f"{train:,} {facts.units} to train on, {dev:,} to look at, {test:,} to test with; {facts.vocabulary:,} kinds."
    )
