"""Generate: distinct sentence pairs from the grammar, in an order that the seed decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from mirada.corpora.demo.antecedents import animal_reason, lecture, person_reason
from mirada.corpora.demo.clitics import giving, person_object, sequence
from mirada.corpora.demo.dice import Dice, Weighted
from mirada.corpora.demo.draft import Draft, Reference, punctuated
from mirada.corpora.demo.joining import alternative, side_by_side, together
from mirada.corpora.demo.nouns import NAMED, NOUNS
from mirada.corpora.demo.questions import question_word, yes_or_no
from mirada.corpora.demo.relative import relative_at_end, relative_object, relative_subject
from mirada.corpora.demo.simple import action, description, location, movement, state, stay
from mirada.corpora.demo.special import existence, liking, nobody, trade
from mirada.corpora.demo.subordinate import because, condition, opinion, when
from mirada.corpora.demo.words import Combination
from mirada.corpora.pair import Pair, Place

FILE = "demo"
WORD = re.compile(r"\w+")
LEMMAS = {form: noun.english for noun in (*NOUNS, *NAMED) for form in (noun.english, noun.english_plural)}
PATIENCE = 20_000  # sentences in a row that were all there before

KINDS: Weighted[Callable[[Dice], Draft]] = Weighted(
    (action, 15),
    (stay, 4),
    (movement, 4),
    (description, 6),
    (state, 2),
    (location, 3),
    (existence, 3),
    (liking, 3),
    (trade, 1),
    (nobody, 2),
    (together, 2),
    (alternative, 1),
    (side_by_side, 5),
    (yes_or_no, 6),
    (question_word, 5),
    (person_object, 3),
    (giving, 6),
    (sequence, 7),
    (relative_subject, 4),
    (relative_object, 4),
    (relative_at_end, 4),
    (because, 6),
    (when, 4),
    (condition, 4),
    (opinion, 5),
    (animal_reason, 18),
    (person_reason, 6),
)


@dataclass(frozen=True, slots=True)
class DemoPair:
    """A pair with what the grammar knows of it: its kind, the words that met, and what "it" means."""

    pair: Pair
    kind: str
    combinations: tuple[Combination, ...]
    reference: Reference | None = None


def generate(count: int, seed: int) -> Iterator[DemoPair]:
    """`count` pairs whose sources are all different; the same for the same seed, on every machine."""
    if count < 0:
        raise ValueError(f"count = {count} pairs cannot be made; use 0 or more")
    return islice(endless(seed), count)


def endless(seed: int) -> Iterator[DemoPair]:
    """Pairs whose sources are all different, for as long as the grammar finds new ones."""
    dice, seen, repeated = Dice(seed), set[str](), 0
    while repeated < PATIENCE:
        kind = dice.weigh(KINDS)
        made = _finished(kind(dice), kind.__name__, len(seen) + 1)
        repeated += 1
        if made.pair.source not in seen and is_natural(made.pair.source):
            seen.add(made.pair.source)
            repeated = 0
            yield made
    raise ValueError(
        f"the demo's grammar gave {len(seen)} different sentences and then none in {PATIENCE} tries; "
        "ask for fewer pairs"
    )


def is_natural(source: str) -> bool:
    """Whether nothing is named twice, and no "all" or "some" stands beside a "not" that might mean it."""
    text = source.lower()
    if ("n't" in text or " not " in text) and ("all the " in text or "some " in text):
        return False
    named = [LEMMAS[word] for word in WORD.findall(source) if word in LEMMAS]
    return len(named) == len(set(named))


def animal_and_street() -> tuple[DemoPair, DemoPair]:
    """The lecture's two sentences: "it" is the animal in the first and the street in the second."""
    tired, wide = lecture()
    return _finished(tired, "animal_reason", 1), _finished(wide, "animal_reason", 2)


def _finished(draft: Draft, kind: str, number: int) -> DemoPair:
    source, target = punctuated(draft)
    return DemoPair(Pair(source, target, Place(FILE, number)), kind, draft.combinations, draft.reference)
