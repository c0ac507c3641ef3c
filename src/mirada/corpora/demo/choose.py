"""Choices of noun phrases: who acts, what is acted on, where, and with whom."""

from __future__ import annotations

from mirada.corpora.demo.adjectives import ATTRIBUTES, PREDICATES, UNGRADED
from mirada.corpora.demo.dice import Dice, Weighted
from mirada.corpora.demo.nouns import NAMED, nouns_of
from mirada.corpora.demo.phrase import (
    ALL,
    BARE,
    COUNTS,
    HER,
    HIS,
    MANY,
    MY,
    OUR,
    SOME,
    THAT,
    THE,
    THEIR,
    THIS,
    YOUR,
    A,
    Adjunct,
    Determiner,
    Phrase,
    adjunct,
    named,
    noun_phrase,
    owned,
)
from mirada.corpora.demo.pronouns import HE, SHE, THEY, WE, YOU, I, Pronoun, pronoun_of, strangers
from mirada.corpora.demo.words import Adjective, Noun

PEOPLE = tuple(noun for noun in nouns_of("person") if not noun.is_a("kin"))
KIN = nouns_of("kin")
ANIMALS = nouns_of("creature")
PLACES = nouns_of("place")
OWNABLE = nouns_of(
    "thing", "pet", "farm", "food", "drink", "kin", "readable", "house", "garden", "kitchen", "room", "office"
)

SUBJECTS: Weighted[str] = Weighted(("pronoun", 48), ("name", 12), ("kin", 12), ("people", 28))
SPOKEN: Weighted[Pronoun] = Weighted((I, 29), (YOU, 19), (HE, 11), (SHE, 11), (WE, 18), (THEY, 12))
FAMILY: Weighted[Determiner] = Weighted((MY, 40), (YOUR, 16), (HIS, 11), (HER, 11), (OUR, 14), (THEIR, 8))
ONE: Weighted[Determiner] = Weighted((THE, 72), (A, 8), (THIS, 10), (THAT, 10))
SEVERAL: Weighted[Determiner] = Weighted(
    (THE, 56), (THIS, 8), (THAT, 8), (ALL, 6), (SOME, 6), (MANY, 6), *((count, 2.0) for count in COUNTS)
)
ONE_OBJECT: Weighted[Determiner | None] = Weighted((THE, 42), (A, 28), (None, 16), (THIS, 7), (THAT, 7))
SEVERAL_OBJECTS: Weighted[Determiner | None] = Weighted(
    (THE, 36), (None, 14), (THIS, 7), (THAT, 7), (SOME, 8), (MANY, 6), (BARE, 10), *((count, 2.4) for count in COUNTS)
)
MASS_OBJECT: Weighted[Determiner | None] = Weighted((THE, 40), (BARE, 45), (None, 8), (THIS, 7))
OWNED_BY: Weighted[Determiner] = Weighted((A, 62), (MANY, 8), (SOME, 8), *((count, 4.4) for count in COUNTS))
FEW = 6  # adjectives of a noun; a group of clashing ones has up to five
NEARBY = (("near", "cerca de"), ("behind", "detrás de"), ("in front of", "delante de"))


def somebody(dice: Dice, pronouns: bool = True) -> Phrase:
    """A subject that is a person or several."""
    kind = dice.weigh(SUBJECTS)
    if kind == "pronoun" and pronouns:
        return dice.weigh(SPOKEN).subject
    if kind == "name":
        return named(dice.choose(NAMED))
    if kind == "kin":
        return relative(dice)
    return described(dice, dice.choose(PEOPLE))


def somebody_else(dice: Dice) -> Phrase:
    """A subject to ask about: nobody asks what he himself does."""
    who = somebody(dice)
    while who.slot in (0, 3):
        who = somebody(dice)
    return who


def relative(dice: Dice) -> Phrase:
    """A member of the family, who always belongs to somebody: my sister, Ana's son."""
    noun = dice.choose(KIN)
    plural = dice.chance(0.15) and may_be_many(noun)
    if dice.chance(0.2):
        return owned(noun, named(dice.choose(NAMED)), plural)
    determiner = dice.weigh(FAMILY)
    return noun_phrase(noun, determiner, plural, attribute(dice, noun, determiner, 0.3 * noun.is_a("close")))


def described(dice: Dice, noun: Noun, detail: float = 0.2, known: bool = False) -> Phrase:
    """A subject that is no pronoun: the old horse, two girls, Ana's dog; `known` leaves out "a" and "many"."""
    if noun.is_a("kin"):
        return relative(dice)
    plural = dice.chance(0.3) and may_be_many(noun)
    if dice.chance(0.1) and may_be_owned(noun):
        return owned(noun, owner(dice), plural)
    determiner = dice.weigh(SEVERAL if plural else ONE)
    if noun.is_a("mass"):
        determiner = dice.choose((THE, THE, THE, THIS))
    elif dice.chance(0.15) and may_be_owned(noun):
        determiner = dice.weigh(FAMILY)
    if known and not determiner.definite:
        determiner = THE
    if known and len(PREDICATES[noun.english]) < FEW:
        detail = 0.0  # leave something to be said of it
    return noun_phrase(noun, determiner, plural, attribute(dice, noun, determiner, detail))


def owner(dice: Dice) -> Phrase:
    """Somebody who owns something: a name, or a person with "the" or "my"."""
    if dice.chance(0.4):
        return named(dice.choose(NAMED))
    if dice.chance(0.4):
        return noun_phrase(dice.choose(KIN), dice.choose((MY, YOUR, OUR)))
    return noun_phrase(dice.choose(PEOPLE), THE, dice.chance(0.1))


def may_be_owned(noun: Noun) -> bool:
    """Whether "my" and "Ana's" sound natural before the noun."""
    return noun in OWNABLE


def may_be_many(noun: Noun) -> bool:
    """Whether the grammar uses the noun's plural; most places, mothers and fathers are spoken of one at a time."""
    if noun.is_a("mass") or noun.is_a("old"):
        return False
    return not noun.is_a("place") or noun.is_a("crossing") or noun.is_a("house")


def attribute(dice: Dice, noun: Noun, determiner: Determiner, probability: float) -> Adjective | None:
    """Perhaps an adjective beside the noun."""
    choices = ATTRIBUTES[noun.english]
    if not choices or not dice.chance(probability):
        return None
    adjective = dice.choose(choices)
    if adjective.english in ("first", "last") and determiner is not THE:
        return None
    if adjective.english == "other" and (not determiner.definite or determiner is ALL):
        return None
    return adjective


def something(dice: Dice, noun: Noun, subject: Phrase, negative: bool = False, detail: float = 0.25) -> Phrase:
    """An object: bread, the red apples, my book, the girl's key."""
    if noun.is_a("kin"):
        return relative(dice)
    plural = dice.chance(0.3) and may_be_many(noun)
    table = MASS_OBJECT if noun.is_a("mass") else SEVERAL_OBJECTS if plural else ONE_OBJECT
    determiner = dice.weigh(table)
    if (determiner is SOME and negative) or (determiner is BARE and noun.is_a("person")):
        determiner = THE
    if determiner is None:
        return _somebodys(dice, noun, subject, plural)
    adjective = attribute(dice, noun, determiner, detail)
    graded = adjective is not None and not adjective.before and adjective.english not in UNGRADED
    return noun_phrase(noun, determiner, plural, adjective, graded and determiner is A and dice.chance(0.2))


def _somebodys(dice: Dice, noun: Noun, subject: Phrase, plural: bool) -> Phrase:
    if not may_be_owned(noun):
        return noun_phrase(noun, THE, plural)
    if dice.chance(0.35):
        return owned(noun, owner(dice), plural)
    own = pronoun_of(subject).possessive if subject.human else THE
    determiner = own if dice.chance(0.75) else dice.choose((MY, YOUR, OUR))
    return noun_phrase(noun, determiner, plural, attribute(dice, noun, determiner, 0.15))


def possession(dice: Dice, noun: Noun) -> Phrase:
    """What somebody has: a red car, three dogs, bread."""
    if noun.is_a("mass"):
        return noun_phrase(noun, BARE, False, attribute(dice, noun, BARE, 0.2))
    determiner = dice.weigh(OWNED_BY) if may_be_many(noun) else A
    plural = determiner is not A
    return noun_phrase(noun, determiner, plural, attribute(dice, noun, determiner, 0.4))


def place(dice: Dice, nouns: tuple[Noun, ...] = PLACES) -> Adjunct:
    """Where something happens: in the garden → en el jardín, near the old church → cerca de la iglesia vieja."""
    noun = dice.choose(nouns)
    determiner = dice.choose((THE, THE, THE, THE, THIS, THAT))
    phrase = noun_phrase(noun, determiner, False, attribute(dice, noun, determiner, 0.12))
    if dice.chance(0.15):
        return adjunct(*dice.choose(NEARBY if noun.is_a("building") else NEARBY[:1]), phrase)
    return adjunct(next(word for word in ("in", "on", "at") if noun.is_a(word)), "en", phrase)


def company(dice: Dice, subject: Phrase) -> Adjunct:
    """With whom: with me → conmigo, with my brother → con mi hermano."""
    if dice.chance(0.5):
        pronoun = receiver(dice, subject)
        return Adjunct(f"with {pronoun.english}", pronoun.along)
    return adjunct("with", "con", _stranger(dice, subject))


def beneficiary(dice: Dice, subject: Phrase) -> Adjunct:
    """For whom: for me → para mí, for the doctor → para el médico."""
    if dice.chance(0.5):
        pronoun = receiver(dice, subject)
        return Adjunct(f"for {pronoun.english}", f"para {pronoun.after}")
    return adjunct("for", "para", _stranger(dice, subject))


def receiver(dice: Dice, subject: Phrase) -> Pronoun:
    """To whom: a pronoun that is not the subject itself."""
    return dice.choose(strangers(subject))


def _stranger(dice: Dice, subject: Phrase) -> Phrase:
    other = somebody(dice, pronouns=False)
    while subject.noun is not None and subject.noun.english in other.english:
        other = somebody(dice, pronouns=False)
    return other
