"""Sentences of two clauses: because, when, if, and what people think and say."""

from __future__ import annotations

from dataclasses import replace

from mirada.corpora.demo.adjectives import BY_WORD as ADJECTIVE
from mirada.corpora.demo.choose import described, somebody
from mirada.corpora.demo.clause import (
    Clause,
    english_question,
    english_statement,
    spanish_inverted,
    spanish_statement,
)
from mirada.corpora.demo.conjugation import conjugate
from mirada.corpora.demo.dice import Dice
from mirada.corpora.demo.draft import Draft
from mirada.corpora.demo.phrase import Phrase
from mirada.corpora.demo.predicates import (
    being,
    describing,
    doing,
    happening,
    locating,
    moving,
    needing,
    qualities,
)
from mirada.corpora.demo.pronouns import pronoun_of
from mirada.corpora.demo.simple import DESCRIBED, THINGS
from mirada.corpora.demo.verbs import BY_WORD, STAYING, TRANSITIVE
from mirada.corpora.demo.words import Combination, Tense, Verb

RAIN = {Tense.PRESENT: ("it is raining", "está lloviendo"), Tense.PAST: ("it was raining", "estaba lloviendo")}
EXCUSES = tuple(ADJECTIVE[word] for word in ("tired", "sick", "nervous", "busy"))
DEGREES = (("", ""), ("", ""), ("very", "muy"), ("too", "demasiado"))
NEEDS = {"eat": "hungry", "drink": "thirsty", "sleep": "sleepy"}
BUSY_VERBS = tuple(verb for verb in TRANSITIVE if verb.english in ("eat", "read", "write", "clean", "cook", "look"))
PROMISED = tuple(verb for verb in TRANSITIVE if verb.has("future"))
COMING = tuple(BY_WORD[word] for word in ("arrive", "come", "leave"))


def _opinion(english: str, past: str, spanish: str, *traits: str) -> Verb:
    return Verb(english, f"{english}s", past, "", "", conjugate(spanish), "", frozenset(), frozenset(traits))


THINK, KNOW = _opinion("think", "thought", "creer", "state"), _opinion("know", "knew", "saber", "state")
SAY = _opinion("say", "said", "decir")


def because(dice: Dice) -> Draft:
    """A reason: Ana didn't go to the beach because she was sick → … porque estaba enferma."""
    subject = somebody(dice)
    if dice.chance(0.3):
        return _because_of_need(dice, subject)
    tense = Tense.PAST if dice.chance(0.7) else Tense.PRESENT
    main = happening(dice, subject, tense, negative=True)
    if dice.chance(0.2):
        english, spanish = RAIN[main.tense]
        return _for_reason(main, english, spanish, ())
    adjective = dice.choose([word for word in EXCUSES if word in qualities(subject)])
    reason = being(again_as(subject), adjective, main.tense, dice.choose(DEGREES))
    return _for_reason(main, english_statement(reason), spanish_statement(reason), reason.combinations)


def _because_of_need(dice: Dice, subject: Phrase) -> Draft:
    word = dice.choose(tuple(NEEDS))
    tense = Tense.PAST if dice.chance(0.7) else Tense.PRESENT
    if word == "sleep":
        main = Clause(subject, BY_WORD[word], tense, combinations=subject.combinations)
    else:
        main = doing(dice, subject, BY_WORD[word], tense, negative=False)
    reason = needing(dice, again_as(subject), tense, NEEDS[word])
    return _for_reason(main, english_statement(reason), spanish_statement(reason), reason.combinations)


def _for_reason(main: Clause, english: str, spanish: str, met: tuple[Combination, ...]) -> Draft:
    return Draft(
        f"{english_statement(main)} because {english}",
        f"{spanish_statement(main)} porque {spanish}",
        main.combinations + met,
    )


def again_as(subject: Phrase) -> Phrase:
    """The pronoun that takes up a subject again, which Spanish leaves out: the queen … she → la reina …"""
    pronoun = pronoun_of(subject).subject.english if subject.human else "they" if subject.plural else "it"
    return replace(subject, english=pronoun, spanish="", combinations=())


def when(dice: Dice) -> Draft:
    """Something happens while something lasts: when Ana arrived, the children were sleeping."""
    who = somebody(dice)
    event = _event(dice, who)
    if dice.chance(0.5):
        lasting = doing(dice, who, dice.choose(BUSY_VERBS), Tense.PAST_PROGRESSIVE)
    else:
        verb = dice.choose([verb for verb in STAYING if verb.has("activity")])
        lasting = Clause(who, verb, Tense.PAST_PROGRESSIVE, combinations=who.combinations)
    # "Estaba" is I and he: after another subject the first person must be spoken.
    spoken = replace(who, spanish="yo") if who.slot == 0 else who
    lasting = replace(lasting, subject=spoken, negative=False)
    return _placed(dice, event, lasting, ("when", "cuando"))


def condition(dice: Dice) -> Draft:
    """If it rains, we won't buy the car → si llueve, no compraremos el coche."""
    who = somebody(dice)
    main = doing(dice, who, dice.choose(PROMISED), Tense.FUTURE)
    if dice.chance(0.35):
        return _arranged(dice, ("if it rains", "si llueve"), main, main.combinations)
    return _placed(dice, replace(_event(dice, who), tense=Tense.PRESENT, negative=dice.chance(0.2)), main, ("if", "si"))


def _event(dice: Dice, other: Phrase) -> Clause:
    who = somebody(dice)
    while _may_be_one(who, other):
        who = somebody(dice)
    if dice.chance(0.4):
        return moving(dice, who, Tense.PAST, negative=False)
    verb = dice.choose(COMING) if who.slot not in (0, 3) else BY_WORD["arrive"]  # "if I come" says nothing
    return Clause(who, verb, Tense.PAST, combinations=who.combinations)


def _may_be_one(first: Phrase, second: Phrase) -> bool:
    # "When the doctor came, he was sleeping" would be about one man, and Spanish would leave "he" out.
    return first.slot == second.slot and (first.noun is None or second.noun is None)


def _placed(dice: Dice, event: Clause, main: Clause, word: tuple[str, str]) -> Draft:
    bare = not event.spanish and not event.subject.spelled_out  # cuando llegó Ana; cuando Ana llegó a la playa
    told = spanish_inverted(event) if bare else spanish_statement(event)
    opening = f"{word[0]} {english_statement(event)}", f"{word[1]} {told}"
    return _arranged(dice, opening, main, event.combinations + main.combinations)


def _arranged(dice: Dice, opening: tuple[str, str], main: Clause, met: tuple[Combination, ...]) -> Draft:
    english, spanish = english_statement(main), spanish_statement(main)
    if dice.chance(0.5):
        return Draft(f"{opening[0]}, {english}", f"{opening[1]}, {spanish}", met)
    return Draft(f"{english} {opening[0]}", f"{spanish} {opening[1]}", met)


def opinion(dice: Dice) -> Draft:
    """What people think, know and say: I think that the soup is cold → creo que la sopa está fría."""
    who, verb = somebody(dice), dice.choose((THINK, KNOW, SAY))
    tense = Tense.PAST if verb is SAY and dice.chance(0.5) else Tense.PRESENT
    said = _content(dice, tense)
    outer = Clause(
        who,
        verb,
        tense,
        f"that {english_statement(said)}",
        f"que {spanish_statement(said)}",
        combinations=who.combinations + said.combinations,
    )
    if verb is THINK and dice.chance(0.2):
        return Draft(english_question(outer), spanish_statement(outer), outer.combinations, question=True)
    return Draft(english_statement(outer), spanish_statement(outer), outer.combinations)


def _content(dice: Dice, tense: Tense) -> Clause:
    if dice.chance(0.6):
        return describing(dice, described(dice, dice.choose(DESCRIBED), 0.1, known=True), tense)
    if dice.chance(0.4):
        return replace(locating(dice, described(dice, dice.choose(THINGS), 0.1, known=True)), tense=tense)
    return doing(dice, None, dice.choose(PROMISED), Tense.FUTURE if tense is Tense.PRESENT else Tense.PAST)
