"""Joined phrases: and (y, e), or (o, u)."""

from __future__ import annotations

from mirada.corpora.demo.choose import KIN, place, somebody
from mirada.corpora.demo.clause import (
    Clause,
    english_statement,
    spanish_statement,
)
from mirada.corpora.demo.dice import Dice
from mirada.corpora.demo.draft import Draft, stated
from mirada.corpora.demo.nouns import NAMED, nouns_of
from mirada.corpora.demo.phrase import MY, NUMBERS, OUR, PLURAL, SINGULAR, YOUR, Phrase, named, noun_phrase
from mirada.corpora.demo.predicates import WHERE, describing, doing, extended, happening, met_object, needing
from mirada.corpora.demo.spanish import either, joined
from mirada.corpora.demo.verbs import HAVE, STAYING, TRANSITIVE
from mirada.corpora.demo.words import Tense

COUNTED = nouns_of("losable", "pet", "countable")
ACTIVITIES = tuple(
    verb for verb in (*TRANSITIVE, *STAYING) if verb.has("activity") and verb.english not in ("buy", "visit")
)
PLANNED = tuple(verb for verb in TRANSITIVE if verb.has("future"))


def together(dice: Dice) -> Draft:
    """Two people who do one thing: Ana and Isabel → Ana e Isabel."""
    first, second = _two_people(dice)
    english, spanish = f"{first.english} and {second.english}", joined(first.spanish, second.spanish)
    subject = Phrase(english, spanish, PLURAL, first.feminine and second.feminine)
    if dice.chance(0.2):
        return stated(needing(dice, subject, Tense.PAST))
    return stated(describing(dice, subject) if dice.chance(0.25) else happening(dice, subject))


def alternative(dice: Dice) -> Draft:
    """One or the other: seven or eight books → siete u ocho libros."""
    if dice.chance(0.5):
        return _some_number(dice)
    first, second = _two_people(dice)
    english, spanish = f"{first.english} or {second.english}", either(first.spanish, second.spanish)
    subject = Phrase(english, spanish, SINGULAR, second.feminine)
    return stated(doing(dice, subject, dice.choose(PLANNED), Tense.FUTURE, negative=False))


def _some_number(dice: Dice) -> Draft:
    subject, words = somebody(dice), tuple(NUMBERS)
    at = dice.choose(range(len(words) - 1))
    noun = dice.choose(COUNTED)
    english = f"{words[at]} or {words[at + 1]} {noun.english_plural}"
    spanish = f"{either(NUMBERS[words[at]], NUMBERS[words[at + 1]])} {noun.spanish_plural}"
    met = (*subject.combinations, *met_object(HAVE, noun))
    tense = Tense.PRESENT if dice.chance(0.6) else Tense.PAST
    return stated(Clause(subject, HAVE, tense, english, spanish, combinations=met))


def _two_people(dice: Dice) -> tuple[Phrase, Phrase]:
    second = dice.choose(NAMED)
    if dice.chance(0.4):
        return noun_phrase(dice.choose(KIN), dice.choose((MY, YOUR, OUR))), named(second)
    return named(dice.choose([name for name in NAMED if name is not second])), named(second)


def side_by_side(dice: Dice) -> Draft:
    """Two clauses of one tense: Ana is cooking the fish and her brother is sleeping."""
    tense = dice.choose((Tense.PRESENT, Tense.PAST, Tense.PROGRESSIVE, Tense.PAST_PROGRESSIVE))
    first = _clause(dice, tense)
    second = _clause(dice, first.tense)
    while second.tense is not first.tense or second.verb is first.verb or second.subject.noun is first.subject.noun:
        second = _clause(dice, first.tense)
    return Draft(
        f"{english_statement(first)} and {english_statement(second)}",
        joined(spanish_statement(first), spanish_statement(second)),
        first.combinations + second.combinations,
    )


def _clause(dice: Dice, tense: Tense) -> Clause:
    verb, subject = dice.choose(ACTIVITIES), somebody(dice, pronouns=False)
    if verb.objects:
        return doing(dice, subject, verb, tense, negative=False)
    return extended(Clause(subject, verb, tense, combinations=subject.combinations), place(dice, WHERE[verb.english]))
