"""Holdout: a corpus whose test sentences hold a combination of words that no training sentence holds.

Two words that meet (an adjective and its noun, a verb and its object, the two nouns that "it" may mean) are a
combination. A hash of its words alone says where it belongs: one in sixteen to the test, one in twenty-four to the
development set, the rest to all. A sentence goes to the test when it holds a combination of the test, else to the
development set when it holds one of that, else to training. So no training sentence holds a combination that is
kept back, and that does not change with the seed or with the size of the corpus. Every *word* of a kept-back
sentence stands in training: a sentence with an unknown word is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from mirada.corpora.demo.draft import Reference
from mirada.corpora.demo.generate import DemoPair, endless
from mirada.corpora.demo.words import Combination
from mirada.corpora.pair import Pair, Place

MOST = 200_000  # pairs of a set; the grammar has more, the patience of a reader less
REACH = 40  # sentences drawn for each one that is wanted, and then the corpus is refused
WORD = re.compile(r"[\w']+")
SLOTS = 48
TEST_SLOTS, DEV_SLOTS = frozenset(range(3)), frozenset(range(3, 5))
# The lecture's sentence is of the test by its pair of nouns; all else in it is known from training.
KEPT_FOR_TEST = frozenset({Combination("reference", "animal", "street")})
KEPT_FOR_ALL = frozenset(
    {
        Combination("adjective", "animal", "tired"),
        Combination("adjective", "street", "wide"),
        Combination("object", "cross", "street"),
    }
)


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    """Training, development and test pairs, and what "it" means in those of the test that have one."""

    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]
    references: list[tuple[Pair, Reference]]


@cache
def set_of(combination: Combination) -> str:
    """Where a combination belongs: "test", "dev" or "train"."""
    if combination in KEPT_FOR_TEST:
        return "test"
    if combination in KEPT_FOR_ALL:
        return "train"
    digest = hashlib.blake2b(str(combination).encode(), digest_size=8).digest()
    slot = int.from_bytes(digest, "big") % SLOTS
    return "test" if slot in TEST_SLOTS else "dev" if slot in DEV_SLOTS else "train"


def set_of_pair(pair: DemoPair) -> str:
    """Where a sentence belongs: to the most guarded set of its combinations."""
    return most_guarded(pair.combinations)


def most_guarded(combinations: Iterable[Combination]) -> str:
    """The most guarded set that one of these combinations belongs to."""
    sets = {set_of(combination) for combination in combinations}
    return "test" if "test" in sets else "dev" if "dev" in sets else "train"


def words_of(text: str) -> set[str]:
    """The words of a text, in lower case and without marks."""
    return set(WORD.findall(text.lower()))


def corpus(train: int, dev: int, test: int, seed: int) -> DemoCorpus:
    """A corpus of the wanted sizes, the same for the same seed; no source stands in it twice."""
    for name, count in (("train", train), ("dev", dev), ("test", test)):
        if not 0 <= count <= MOST:
            raise ValueError(f"{name} = {count} pairs cannot be made; use 0 to {MOST}")
    stream = islice(endless(seed), REACH * (train + dev + test) + 1)
    known, kept = _draw_training(stream, train)
    guard = _Guard(known)
    wanted = {"dev": dev, "test": test}
    chosen: dict[str, list[DemoPair]] = {"dev": [], "test": []}
    for pair in _chain(kept, stream, chosen, wanted):
        name = set_of_pair(pair)
        if name in chosen and len(chosen[name]) < wanted[name] and guard.admits(pair):
            chosen[name].append(pair)
    _refuse_shortage({**chosen, "train": known}, {**wanted, "train": train})
    tested = _numbered(chosen["test"], "test")
    references = [
        (pair, made.reference) for pair, made in zip(tested, chosen["test"], strict=True) if made.reference is not None
    ]
    return DemoCorpus(_numbered(known, "train"), _numbered(chosen["dev"], "dev"), tested, references)


def _draw_training(stream: Iterator[DemoPair], count: int) -> tuple[list[DemoPair], list[DemoPair]]:
    known: list[DemoPair] = []
    kept: list[DemoPair] = []
    while len(known) < count:
        pair = next(stream, None)
        if pair is None:
            break
        (known if set_of_pair(pair) == "train" else kept).append(pair)
    return known, kept


def _chain(
    kept: Iterable[DemoPair], stream: Iterator[DemoPair], chosen: dict[str, list[DemoPair]], wanted: dict[str, int]
) -> Iterator[DemoPair]:
    yield from kept
    for pair in stream:
        if all(len(chosen[name]) >= wanted[name] for name in wanted):
            return
        yield pair


class _Guard:
    """What a kept-back sentence must fulfil: its words are known, and its translation is new."""

    def __init__(self, known: Iterable[DemoPair]) -> None:
        self._words: tuple[set[str], set[str]] = set(), set()
        self._targets: set[str] = set()
        for made in known:
            self._words[0].update(words_of(made.pair.source))
            self._words[1].update(words_of(made.pair.target))
            self._targets.add(made.pair.target)

    def admits(self, made: DemoPair) -> bool:
        """Whether the sentence may be kept back; its translation is then taken."""
        pair = made.pair
        if pair.target in self._targets:
            return False
        if not (words_of(pair.source) <= self._words[0] and words_of(pair.target) <= self._words[1]):
            return False
        self._targets.add(pair.target)
        return True


def _refuse_shortage(found: dict[str, list[DemoPair]], wanted: dict[str, int]) -> None:
    for name, count in wanted.items():
        if len(found[name]) < count:
            raise ValueError(
                f"the demo's grammar gave {len(found[name])} of {count} {name} pairs whose words all stand in "
                f"training; ask for more training pairs (1,000 know most words) or for fewer {name} pairs"
            )


def _numbered(pairs: Iterable[DemoPair], name: str) -> list[Pair]:
    return [
        Pair(made.pair.source, made.pair.target, Place(f"demo.{name}", number))
        for number, made in enumerate(pairs, start=1)
    ]
