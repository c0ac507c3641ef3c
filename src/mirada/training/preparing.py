"""Preparing a run's data: files to stores in the run's folder, made once and used again while nothing has changed."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from pydantic import Field, ValidationError

from mirada.corpora import prepare
from mirada.corpora.check import Limits
from mirada.corpora.findings import DropsFile
from mirada.corpora.mixing import Own, Proportions, mix
from mirada.corpora.opening import Meter
from mirada.corpora.pair import CorpusError, Pair, Unit
from mirada.corpora.prepare import Divided, Gathered, Settings
from mirada.corpora.reading import meter_of, read, sources
from mirada.corpora.split import Shares, Side, shares_for
from mirada.corpora.store import DamagedStoreError, Store, StoreWriter, file_identity, fingerprint
from mirada.corpora.verdict import choose_preset, judge, running_words
from mirada.models.config import Strict, unused
from mirada.models.folder import SUBWORDS, read_json, write_file
from mirada.text.context import Context, in_order, joined
from mirada.text.slotting import hide_shared
from mirada.text.subwords import Subwords
from mirada.training.config import DataConfig
from mirada.training.facts import PreparedFacts
from mirada.training.report import span
from mirada.training.reuse import reuse_or_make

DATA, FACTS, DROPS = "data", "prepared.json", "drops.tsv"
PARTS = ("train", "dev", "test")
SYNTHETIC = "synthetic"
FORMAT = 3  # of what lies in the folder `data`; a change makes old ones be built again
MANY_VARIANTS, FEW_VARIANTS = 200_000, 1_000_000  # pairs: below the first 8 segmentations, below the second 4, else 1
TELL_SECONDS = 5.0
TEST_SENTENCES = 2_000  # at most, for the score at the end

Say = Callable[[str], None]
AnyFacts = TypeVar("AnyFacts", bound=Strict)


@dataclass(frozen=True)
class Files:
    """What a run is trained on, and the user's own sets to look at and to test with."""

    train: tuple[Path, ...]
    dev: tuple[Path, ...] = ()
    test: tuple[Path, ...] = ()
    source: str = ""
    target: str = ""
    columns: tuple[str, ...] = ()
    synthetic: tuple[Path, ...] = ()  # pairs with a side that a model wrote: trained on, and nothing else

    @cached_property
    def identities(self) -> dict[str, object]:
        """What each file is, read once; a copy under another name is the same."""
        parts = (*PARTS, SYNTHETIC) if self.synthetic else PARTS
        return {part: [file_identity(path) for path in getattr(self, part)] for part in parts} | {
            "from": self.source,
            "to": self.target,
            "columns": list(self.columns),
        }


class Facts(PreparedFacts):
    """What a preparation found and made."""

    made_from: str
    read: int
    dropped: dict[str, int]
    train: int  # pairs trained on, the synthetic ones and each copy of a real one counted
    synthetic: int = 0
    dev: int
    test: int
    documents: int = Field(default=0, exclude_if=unused)  # that were read for the context of pairs
    vocabulary: int
    variants: int
    preset: str  # that suits the data

    def told(self) -> str:
        return f"{self.train:,} pairs trained on, {self.dev:,} looked at, {self.test:,} to test with"


class HeldOut(NamedTuple):
    """A pair that is looked at or tested with, and what stands before its source."""

    source: str
    target: str
    context: Context = ()


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data that is ready to train on."""

    train: Store
    dev: Store
    dev_pairs: list[HeldOut]
    test_pairs: list[HeldOut]
    subwords: Subwords
    facts: Facts


def prepare_data(
    folder: Path,
    files: Files,
    config: DataConfig,
    seed: int,
    given: Subwords | None,
    sample: int,
    say: Say,
    places: int | None = None,
) -> Prepared:
    """The data of a run, from its folder where it was made from the same files and settings, else made now.

    `places` are those that the model has vectors for: what stands before a text is cut to them.
    """
    if files.synthetic:
        require_alone(config)
    ingredients = {
        "format": FORMAT,
        "files": files.identities,
        "config": config.model_dump(mode="json"),
        "seed": seed,
        "sample": sample,
        "subwords": None if given is None else fingerprint({"model": given.to_bytes().hex()}),
    }
    if config.context:
        ingredients["places"] = places
    longest = config.longest if places is None else min(config.longest, places)
    order = _Order(files, config, seed, given, sample, longest, fingerprint(ingredients))
    return reuse_or_make(
        folder / DATA / FACTS, order.made_from, lambda: _open(folder), lambda: _make(folder, order, say), say
    )


def require_alone(config: DataConfig) -> None:
    """Raise where pairs that a model made were to be read with what stands before them."""
    if config.context:
        raise CorpusError(
            f"data.context = {config.context} and synthetic pairs were asked for together, and what a model made comes "
            "without documents; leave out the one or the other, or give --context 0"
        )


@dataclass(frozen=True, eq=False)
class _Order:
    """What is to be prepared, and from what it will have been made."""

    files: Files
    config: DataConfig
    seed: int
    given: Subwords | None  # of the model that the run starts from
    sample: int  # development pairs that are looked at
    longest: int  # tokens of a source with what stands before it
    made_from: str


def read_facts(data: Path, kind: type[AnyFacts]) -> AnyFacts:
    """What a preparation wrote last."""
    try:
        return kind.model_validate(read_json(data / FACTS, data))
    except ValidationError as error:
        raise DamagedStoreError(
            f"{data / FACTS} is damaged or of another version: {error.error_count()} values are wrong"
        ) from None


def open_store(path: Path, made_from: str) -> Store:
    """A store of a preparation, which was made from what its facts say."""
    store = Store.open(path)
    if store.made_from != made_from:
        raise DamagedStoreError(f"{path} was made from other files or settings than the data beside it")
    return store


def _open(folder: Path) -> Prepared:
    data = folder / DATA
    facts = read_facts(data, Facts)
    return Prepared(
        open_store(data / "train", facts.made_from),
        open_store(data / "dev", facts.made_from),
        _read_pairs(data / "dev.json"),
        _read_pairs(data / "test.json"),
        Subwords.load(folder / SUBWORDS),
        facts,
    )


def _make(folder: Path, order: _Order, say: Say) -> None:
    """Make all that `_open` opens; the facts come last, so that a folder that has them is whole."""
    data = folder / DATA
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    gathered, divided, training, settings = _check_and_divide(folder, order, say)
    verdict = judge(divided.gathered.report)
    for line in (*divided.gathered.report.lines(), *verdict.sentences):
        say(line)
    if not verdict.usable:
        raise CorpusError(f"these files cannot be trained on. {verdict} {folder / DROPS} lists every line")
    if order.given is None:
        say("Learning subwords.")
    looking, learning = Progress("of the texts looked at", say), Progress("of the time that learning takes", say)
    subwords = order.given or prepare.learn_subwords(training, settings, looking, learning)
    slots = f"{subwords.slots} slots for placeholders, " if subwords.slots else ""
    protected = len(subwords.protected) - subwords.slots
    say(f"{subwords.size:,} subwords, {slots}{protected} placeholders protected as they are.")
    write_file(folder / SUBWORDS, subwords.to_bytes())
    variants = order.config.variants or default_variants(training.count(Side.TRAIN))
    prepare.build_store(
        training.gathered.spool,
        training.rows(Side.TRAIN),
        subwords,
        data / "train",
        order.made_from,
        variants,
        order.seed,
        Progress("stored", say),
        order.longest,
    )
    held_out = {part: _held_out(part, gathered[part], divided) for part in ("dev", "test")}
    if not held_out["dev"]:
        held_out["dev"] = _as_held_out(divided.gathered.spool.pairs(divided.rows(Side.TRAIN)))
        say("No pair could be set aside: the run looks at pairs that it trains on, so scores will be too good.")
    _build_held_out(data, held_out, order, subwords)
    facts = Facts(
        made_from=order.made_from,
        read=divided.gathered.report.read,
        dropped={reason.value: count for reason, count in divided.gathered.report.dropped.items()},
        train=training.count(Side.TRAIN),
        synthetic=_synthetic_in(training, divided, order.config),
        dev=len(held_out["dev"]),
        test=min(len(held_out["test"]), TEST_SENTENCES),
        documents=divided.gathered.documents,
        vocabulary=subwords.size,
        variants=variants,
        preset=choose_preset(running_words(training.gathered.report)).name,
    )
    for own in gathered.values():
        if own is not None:
            own.spool.remove()
    write_file(data / FACTS, (facts.model_dump_json(indent=2) + "\n").encode())
    made = f" ({facts.synthetic:,} of them synthetic)" if facts.synthetic else ""
    say(f"{facts.train:,} pairs to train on{made}, {facts.dev:,} to look at, {facts.test:,} to test with.")


def _check_and_divide(
    folder: Path, order: _Order, say: Say
) -> tuple[dict[str, Gathered | None], Divided, Divided, Settings]:
    """Every file checked; the real pairs split or set apart from the user's own dev and test; what is trained on."""
    files, config = order.files, order.config
    settings = Settings(
        files.source,
        files.target,
        Limits(longest=config.longest_characters),
        None,
        config.vocabulary,
        1,
        order.seed,
        config.context,
    )
    with DropsFile(folder / DROPS) as drops:
        gathered = {part: _gather(part, files, settings, folder / DATA, drops, say) for part in (*PARTS, SYNTHETIC)}
        train = gathered["train"]
        if train is None or len(train.spool) == 0:
            reasons = "" if train is None else " " + " ".join(train.report.lines())
            raise CorpusError(f"no pair can be trained on.{reasons} {folder / DROPS} lists every line with its reason")
        usual = shares_for(len(train.spool))
        shares = Shares(
            usual.dev if config.dev_share is None else config.dev_share,
            usual.test if config.test_share is None else config.test_share,
        )
        settings = replace(settings, shares=shares)
        own = Own(gathered["dev"], gathered["test"])
        divided = prepare.divide(train, settings, own.dev, own.test, drops)
        made, how = gathered[SYNTHETIC], config.synthetic
        if made is None:
            return gathered, divided, divided, settings
        proportions, place = Proportions(how.tag, how.originals), folder / DATA / "mixture.spool"
        mixture = mix(divided, made, own, proportions, place, drops)
        return gathered | {"mixture": mixture.gathered}, divided, mixture, settings


def _synthetic_in(training: Divided, real: Divided, config: DataConfig) -> int:
    """How many of the pairs trained on a model has made."""
    if training is real:
        return 0
    return training.count(Side.TRAIN) - config.synthetic.originals * real.count(Side.TRAIN)


def _gather(part: str, files: Files, settings: Settings, data: Path, drops: DropsFile, say: Say) -> Gathered | None:
    paths: tuple[Path, ...] = getattr(files, part)
    if not paths:
        return None
    columns = None if part == SYNTHETIC else files.columns or None  # what we write names its columns itself
    for line in sources(paths, files.source, files.target, columns):
        say(f"Reading {line}")
    meter = meter_of(paths)
    units = telling(read(paths, files.source, files.target, columns, meter), meter, say)
    found = prepare.gather(units, settings, data / f"{part}.spool", drops)
    if settings.context:
        say(found.told(part, settings.context))
    if part != "train":
        say(f"{found.report.kept:,} of {found.report.read:,} {part} pairs are used.")
        if not found.report.kept:
            raise CorpusError(
                f"no pair of --{part} {paths[0]} can be used; drops.tsv in the output folder lists the reasons"
            )
    return found


class Progress:
    """What a person hears every few seconds of how far a stage has come, and how long the rest will take."""

    def __init__(self, what: str, say: Say) -> None:
        self._what = what
        self._say = say
        self._first: tuple[float, float] | None = None  # when the first share was told, and how much that was
        self._told = 0.0

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first, self._told = (now, share), now
        begun, before = self._first
        if share > before and now - self._told > TELL_SECONDS:
            self._told = now
            if share > 1:
                self._say(f"  longer than usual, {span(now - begun)} so far")
            else:
                left = span((now - begun) * (1 - share) / (share - before))
                self._say(f"  {100 * share:.0f} % {self._what}, {left} left")


def telling(units: Iterator[Unit], meter: Meter, say: Say) -> Iterator[Unit]:
    """The units, with a word every few seconds on how far the reading has come."""
    progress = Progress("read", say)
    for number, unit in enumerate(units):
        if number % 1_000 == 0:
            progress(meter.done / max(1, meter.total))
        yield unit


def _held_out(part: str, own: Gathered | None, divided: Divided) -> list[HeldOut]:
    """The pairs to look at or to test with: the user's own, else those of the split."""
    if own is not None:
        return _as_held_out(own.spool)
    rows = divided.rows(Side.DEV if part == "dev" else Side.TEST)
    return _as_held_out(divided.gathered.spool.pairs(rows)) if rows.any() else []


def _as_held_out(pairs: Iterable[Pair]) -> list[HeldOut]:
    return [HeldOut(pair.source, pair.target, pair.context) for pair in pairs]


def _build_held_out(data: Path, held_out: dict[str, list[HeldOut]], order: _Order, subwords: Subwords) -> None:
    """The sample of the development set as a store and as text, and the test set as text."""
    chosen = {"dev": spread(held_out["dev"], order.sample), "test": spread(held_out["test"], TEST_SENTENCES)}
    for part, found in chosen.items():
        rows = [[pair.source, pair.target, *pair.context] for pair in found]
        write_file(data / f"{part}.json", json.dumps(rows, ensure_ascii=False).encode())
    with StoreWriter(data / "dev", order.made_from, subwords.size, 1) as writer:
        pairs = [(pair.source, pair.target) for pair in chosen["dev"]]
        hidden = [hide_shared(*pair) if subwords.slots else pair for pair in pairs]
        contexts = [pair.context for pair in chosen["dev"]]
        sources = subwords.encode_flat(in_order([source for source, _ in hidden], contexts), end=True)
        targets = subwords.encode_flat([target for _, target in hidden], end=True)
        writer.add([joined(sources, contexts, order.longest)], [targets])


def spread(pairs: list[HeldOut], count: int) -> list[HeldOut]:
    """At most `count` pairs, taken evenly from all."""
    if len(pairs) <= count:
        return pairs
    return [pairs[int(place)] for place in np.linspace(0, len(pairs) - 1, count)]


def default_variants(pairs: int) -> int:
    """How many segmentations of each pair are stored: sampling helps where data is little and seen often."""
    return 8 if pairs < MANY_VARIANTS else 4 if pairs < FEW_VARIANTS else 1


def _read_pairs(path: Path) -> list[HeldOut]:
    try:
        rows = json.loads(path.read_bytes())
        return [HeldOut(str(source), str(target), tuple(map(str, context))) for source, target, *context in rows]
    except (OSError, ValueError, TypeError):
        raise DamagedStoreError(f"{path} is damaged or missing") from None
