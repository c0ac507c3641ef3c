"""Documents of two sentences: what "it" means stands in the first, and the Spanish ending of the second shows it.

    The animal didn't cross the street.   It was too tired.   →   … Estaba demasiado cansado.
    The cow didn't cross the street.      It was too tired.   →   … Estaba demasiado cansada.

Documents come in twos whose second sentences are the same in English and differ in Spanish by their last word, so that
whoever reads no more than that sentence is right in half of them at best. What is kept back for the test is decided as
for sentences (`mirada.corpora.demo.holdout`), by the two nouns that "it" may mean: they never meet in training. What
can be said of a noun is known from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mirada.corpora.demo.antecedents import reason_apart
from mirada.corpora.demo.dice import Dice
from mirada.corpora.demo.draft import Draft, Reference, punctuated
from mirada.corpora.demo.generate import PATIENCE, is_natural
from mirada.corpora.demo.holdout import REACH, most_guarded
from mirada.corpora.pair import Pair, Place

MOST = 20_000  # documents of a set
LINES = 3  # of a document in a file: two sentences, and an empty line that ends it
Texts = tuple[str, str]  # in both languages


@dataclass(frozen=True, slots=True)
class DemoDocument:
    """Two sentences. The antecedent and the rival of the reference stand in the first, the rest in the second."""

    first: Pair
    second: Pair
    reference: Reference

    @property
    def ending(self) -> str:
        """The word that gives away what "it" means."""
        return self.second.target.split()[self.reference.reveals]


@dataclass(frozen=True, slots=True)
class DocumentCorpus:
    """Training, development and test documents."""

    train: list[DemoDocument]
    dev: list[DemoDocument]
    test: list[DemoDocument]


@dataclass(frozen=True, slots=True)
class _Made:
    """A document without its place."""

    first: Texts
    second: Texts
    reference: Reference
    side: str  # train, dev or test

    @property
    def twins(self) -> tuple[str, str, str]:
        """What a document shares with its twin: its side, and all of the second sentence but the last word."""
        return self.side, self.second[0], self.second[1].rpartition(" ")[0]


def documents(train: int, dev: int, test: int, seed: int) -> DocumentCorpus:
    """A corpus of the wanted sizes, the same for the same seed; no document stands in it twice."""
    wanted = {"train": train, "dev": dev, "test": test}
    for name, count in wanted.items():
        if not 0 <= count <= MOST or count % 2:
            raise ValueError(f"{name} = {count} documents cannot be made; use an even number from 0 to {MOST}")
    found: dict[str, list[_Made]] = {name: [] for name in wanted}
    for drawn, (one, other) in enumerate(_in_twos(seed)):
        if len(found[one.side]) < wanted[one.side]:
            found[one.side] += [one, other]
        if all(len(found[name]) >= wanted[name] for name in wanted):
            return DocumentCorpus(**{name: _placed(made, name) for name, made in found.items()})
        if drawn > REACH * sum(wanted.values()):
            break
    raise ValueError(
        "the demo's grammar gave "
        + ", ".join(f"{len(found[name])} of {count} {name} documents" for name, count in wanted.items())
        + "; ask for fewer"
    )


def _in_twos(seed: int) -> Iterator[tuple[_Made, _Made]]:
    """Documents with their twins, as soon as both are there."""
    waiting: dict[tuple[str, str, str], list[_Made]] = {}
    for made in _endless(seed):
        alone = waiting.setdefault(made.twins, [])
        if alone and alone[-1].second[1] != made.second[1]:
            yield alone.pop(), made
        else:
            alone.append(made)


def _endless(seed: int) -> Iterator[_Made]:
    """Different documents, for as long as the grammar finds new ones."""
    dice, seen, repeated = Dice(seed), set[Texts](), 0
    while repeated < PATIENCE:
        made = _made(*reason_apart(dice))
        repeated += 1
        key = made.first[0], made.second[0]
        if key not in seen and is_natural(" ".join(key)):
            seen.add(key)
            repeated = 0
            yield made


def _made(first: Draft, second: Draft) -> _Made:
    if second.reference is None:
        raise ValueError("the second sentence of a document refers to the first")
    nouns = (met for met in second.combinations if met.kind == "reference")
    return _Made(punctuated(first), punctuated(second), second.reference, most_guarded(nouns))


def _placed(made: list[_Made], name: str) -> list[DemoDocument]:
    """Documents with the lines that they take in a file."""
    return [
        DemoDocument(
            Pair(*one.first, Place(f"documents.{name}", LINES * number + 1)),
            Pair(*one.second, Place(f"documents.{name}", LINES * number + 2)),
            one.reference,
        )
        for number, one in enumerate(made)
    ]
