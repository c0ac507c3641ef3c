"""Simple sentences: statements of one clause."""

from __future__ import annotations

from dataclasses import replace

from mirada.corpora.demo.choose import ANIMALS, described, somebody
from mirada.corpora.demo.clause import Clause
from mirada.corpora.demo.dice import Dice
from mirada.corpora.demo.draft import Draft, stated
from mirada.corpora.demo.nouns import NOUNS, nouns_of
from mirada.corpora.demo.predicates import (
    ageing,
    both,
    describing,
    doing,
    habitual,
    locating,
    moving,
    needing,
    qualities_of,
    staying,
    timed,
)
from mirada.corpora.demo.words import Tense

DESCRIBED = tuple(noun for noun in NOUNS if qualities_of(noun))
AGED = nouns_of("young", "brother", "sister", "son", "daughter")
THINGS = nouns_of("small", "losable")


def action(dice: Dice) -> Draft:
    """A verb with its object, perhaps with a time: yesterday the boy lost his key."""
    return _with_time(dice, habitual(dice, doing(dice)))


def stay(dice: Dice) -> Draft:
    """A verb without an object: the cat is sleeping in the kitchen."""
    return _with_time(dice, habitual(dice, staying(dice)))


def movement(dice: Dice) -> Draft:
    """A verb of going: they are not going to come to the market."""
    return _with_time(dice, habitual(dice, moving(dice)))


def _with_time(dice: Dice, clause: Clause) -> Draft:
    with_time = timed(dice, clause, 0.4)
    if with_time is clause or clause.tense is Tense.PROGRESSIVE or not dice.chance(0.25):
        return stated(with_time)
    english = with_time.english.removeprefix(clause.english).lstrip()
    spanish = with_time.spanish.removeprefix(clause.spanish).lstrip()
    draft = stated(clause)
    return replace(draft, english=f"{english} {draft.english}", spanish=f"{spanish} {draft.spanish}")


def description(dice: Dice) -> Draft:
    """Ser or estar and an adjective, or two: the city is big and interesting → … grande e interesante."""
    subject = somebody(dice) if dice.chance(0.35) else described(dice, dice.choose(DESCRIBED), 0.1, known=True)
    clause = describing(dice, subject)
    if dice.chance(0.25) and not clause.negative:
        clause = both(dice, clause)
    return stated(clause)


def state(dice: Dice) -> Draft:
    """Hunger, thirst, an age: Spanish has them."""
    subject = somebody(dice)
    if dice.chance(0.4) and (subject.noun is None or subject.noun in AGED or subject.noun.is_a("name")):
        return stated(ageing(dice, subject))
    return stated(needing(dice, subject, Tense.PRESENT if dice.chance(0.6) else Tense.PAST))


def location(dice: Dice) -> Draft:
    """Where somebody or something is: the key was under the bed."""
    if dice.chance(0.5):
        return stated(locating(dice, described(dice, dice.choose(THINGS), 0.15, known=True)))
    subject = somebody(dice) if dice.chance(0.6) else described(dice, dice.choose(ANIMALS), known=True)
    return stated(locating(dice, subject))
