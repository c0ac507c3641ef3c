"""Questions: yes or no, and those with a question word."""

from __future__ import annotations

from mirada.corpora.demo.choose import described, relative, somebody_else
from mirada.corpora.demo.clause import (
    Clause,
    english_group,
    sentence,
    spanish_inverted,
    spanish_statement,
    spanish_verb,
)
from mirada.corpora.demo.dice import Dice, Weighted
from mirada.corpora.demo.draft import Draft, asked
from mirada.corpora.demo.nouns import nouns_of
from mirada.corpora.demo.phrase import SINGULAR, Phrase
from mirada.corpora.demo.predicates import (
    HUMAN,
    OBJECTS,
    describing,
    doing,
    locating,
    met_object,
    moving,
    staying,
    tense_for,
    timed,
)
from mirada.corpora.demo.simple import DESCRIBED, THINGS
from mirada.corpora.demo.verbs import BY_WORD, STAY, STAYING, SUFFER
from mirada.corpora.demo.words import Tense

WHO = Phrase("who", "quién", SINGULAR, feminine=False)
THING_VERBS = tuple(
    BY_WORD[word] for word in ["eat", "drink", "read", "write", "buy", "see", "find", "lose", "break", "cook", "clean"]
)
PERSON_VERBS = tuple(BY_WORD[word] for word in ["see", "help", "visit"])
COUNTED = nouns_of("countable", "losable", "pet")
COUNTING_VERBS = tuple(BY_WORD[word] for word in ["have", "buy", "see", "find"])
YES_OR_NO: Weighted[str] = Weighted(("doing", 40), ("describing", 25), ("locating", 10), ("going", 25))


def yes_or_no(dice: Dice) -> Draft:
    """Does the girl read the letter? → ¿La chica lee la carta?  Is the door open? → ¿Está abierta la puerta?"""
    kind = dice.weigh(YES_OR_NO)
    if kind == "doing":
        clause = timed(dice, doing(dice, somebody_else(dice), dice.choose(HUMAN)), 0.15)
        return asked(clause, spanish_statement(clause))
    if kind == "describing":
        subject = described(dice, dice.choose(DESCRIBED), 0.0, known=True) if dice.chance(0.7) else somebody_else(dice)
        clause = describing(dice, subject)
        return asked(clause, sentence(spanish_verb(clause), clause.spanish, subject.spanish))
    if kind == "locating":
        clause = locating(
            dice, described(dice, dice.choose(THINGS), 0.0, known=True) if dice.chance(0.5) else somebody_else(dice)
        )
    else:
        clause = dice.choose((staying, moving))(dice, somebody_else(dice))
    return asked(clause, spanish_inverted(clause))


def question_word(dice: Dice) -> Draft:
    """A question with where, when, what, who, whom, why, how many or how old."""
    return dice.choose((_where, _where_is, _when, _what, _who, _whom, _why, _how_many, _how_old))(dice)


def _where(dice: Dice) -> Draft:
    verb = dice.choose(STAYING)
    subject = somebody_else(dice)
    clause = Clause(subject, verb, tense_for(dice, verb, subject), combinations=subject.combinations)
    return asked(clause, f"dónde {spanish_inverted(clause)}", "where")


def _where_is(dice: Dice) -> Draft:
    subject = described(dice, dice.choose(THINGS), 0.2, known=True) if dice.chance(0.6) else somebody_else(dice)
    tense = Tense.PRESENT if dice.chance(0.7) else Tense.PAST
    clause = Clause(subject, STAY, tense, combinations=subject.combinations)
    return asked(clause, f"dónde {spanish_inverted(clause)}", "where")


def _when(dice: Dice) -> Draft:
    tense = dice.choose((Tense.PAST, Tense.PAST, Tense.PRESENT))
    clause = moving(dice, somebody_else(dice), tense, negative=False)
    return asked(clause, f"cuándo {spanish_inverted(clause)}", "when")


def _what(dice: Dice) -> Draft:
    verb, subject = dice.choose(THING_VERBS), somebody_else(dice)
    clause = Clause(subject, verb, tense_for(dice, verb, subject), combinations=subject.combinations)
    clause = timed(dice, clause, 0.2)
    return asked(clause, f"qué {spanish_inverted(clause)}", "what")


def _who(dice: Dice) -> Draft:
    clause = doing(dice, WHO, dice.choose(THING_VERBS), negative=False)
    group = english_group(clause.verb, clause.tense, SINGULAR)
    english = sentence("who", group.auxiliary, group.finite, clause.english)
    return Draft(english, spanish_statement(clause), clause.combinations, question=True)


def _whom(dice: Dice) -> Draft:
    verb, subject = dice.choose(PERSON_VERBS), somebody_else(dice)
    clause = Clause(subject, verb, tense_for(dice, verb, subject), combinations=subject.combinations)
    return asked(clause, f"a quién {spanish_inverted(clause)}", "who")


def _why(dice: Dice) -> Draft:
    clause = dice.choose((staying, moving))(dice, somebody_else(dice))
    return asked(clause, f"por qué {spanish_inverted(clause)}", "why")


def _how_many(dice: Dice) -> Draft:
    verb, subject = dice.choose(COUNTING_VERBS), somebody_else(dice)
    noun = dice.choose([noun for noun in OBJECTS[verb] if noun in COUNTED])
    tense = tense_for(dice, verb, subject)
    met = (*subject.combinations, *met_object(verb, noun))
    clause = Clause(subject, verb, tense, combinations=met)
    word = "cuántas" if noun.feminine else "cuántos"
    spanish = f"{word} {noun.spanish_plural} {spanish_inverted(clause)}"
    return asked(clause, spanish, f"how many {noun.english_plural}")


def _how_old(dice: Dice) -> Draft:
    subject = relative(dice) if dice.chance(0.5) else somebody_else(dice)
    clause = Clause(subject, SUFFER, Tense.PRESENT, combinations=subject.combinations)
    return asked(clause, f"cuántos años {spanish_inverted(clause)}", "how old")
