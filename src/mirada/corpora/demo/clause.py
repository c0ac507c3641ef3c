"""Clauses: subject, verb group and complement, as a statement or a question in either language."""

from __future__ import annotations

from dataclasses import dataclass

from mirada.corpora.demo.conjugation import conjugate
from mirada.corpora.demo.phrase import Phrase
from mirada.corpora.demo.words import Combination, Tense, Verb

NEGATED = {"am": "am not", "will": "won't", "can": "can't"}  # the others add n't
NOW = ("am", "are", "is", "are", "are")
THEN = ("was", "were", "was", "were", "were")
ESTAR, IR, QUERER, PODER, TENER = map(conjugate, ("estar", "ir", "querer", "poder", "tener"))


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A subject, a verb in a tense, and the rest in both languages."""

    subject: Phrase
    verb: Verb
    tense: Tense
    english: str = ""  # what follows the verb
    spanish: str = ""
    negative: bool = False
    adverb: tuple[str, str] = ("", "")  # always, siempre: beside the verb
    clitics: str = ""
    combinations: tuple[Combination, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """An English verb group: with an auxiliary that can move, or with do standing ready."""

    auxiliary: str  # empty where do must help
    finite: str
    bare: str
    helper: str = ""


def english_statement(clause: Clause) -> str:
    """The cat doesn't always eat fish."""
    group = english_group(clause.verb, clause.tense, clause.subject.slot)
    adverb, words = clause.adverb[0], [clause.subject.english]
    if clause.negative:
        words += [negated(group.auxiliary or group.helper), adverb, group.bare]
    else:
        words += [group.auxiliary, adverb, group.finite]
    return sentence(*words, clause.english)


def english_question(clause: Clause) -> str:
    """Does the cat eat fish: the auxiliary, or do, goes first."""
    group = english_group(clause.verb, clause.tense, clause.subject.slot)
    first = group.auxiliary or group.helper
    if clause.negative:
        first = negated(first)
    return sentence(first, clause.subject.english, clause.adverb[0], group.bare, clause.english)


def spanish_statement(clause: Clause, dropped: bool = False) -> str:
    """El gato no come pescado; `dropped` leaves out a subject that is known."""
    return sentence("" if dropped else clause.subject.spanish, spanish_verb(clause), clause.spanish)


def spanish_inverted(clause: Clause) -> str:
    """Duerme el gato en la cocina: the verb before its subject."""
    return sentence(spanish_verb(clause), clause.subject.spanish, clause.spanish)


def spanish_verb(clause: Clause) -> str:
    """The verb with what leans on it: nunca se lo da, no la quiere leer."""
    group = spanish_group(clause.verb, clause.tense, clause.subject.slot)
    return sentence("no" if clause.negative else "", clause.adverb[1], clause.clitics, group)


def sentence(*words: str) -> str:
    """The words that are there, one space between them."""
    return " ".join(filter(None, words))


def negated(auxiliary: str) -> str:
    """The contraction with not."""
    return NEGATED.get(auxiliary, auxiliary + "n't")


def english_group(verb: Verb, tense: Tense, slot: int) -> Group:
    """The English verb group for a person."""
    base, third = verb.english, slot == 2
    does = "does" if third else "do"
    particle = verb.particle
    if verb.english == "be":
        return _being(tense, slot)
    match tense:
        case Tense.PRESENT:
            return Group("", sentence(verb.third if third else base, particle), sentence(base, particle), does)
        case Tense.PAST:
            return Group("", sentence(verb.past, particle), sentence(base, particle), "did")
        case Tense.PROGRESSIVE | Tense.PAST_PROGRESSIVE:
            rest = sentence(verb.progressive, particle)
            return Group((NOW if tense is Tense.PROGRESSIVE else THEN)[slot], rest, rest)
        case _:
            return _leaning(tense, slot, sentence(base, particle))


def _being(tense: Tense, slot: int) -> Group:
    if tense is Tense.FUTURE:
        return Group("will", "be", "be")
    return Group((NOW if tense is Tense.PRESENT else THEN)[slot], "", "")


def _leaning(tense: Tense, slot: int, base: str) -> Group:
    third = slot == 2
    does = "does" if third else "do"
    match tense:
        case Tense.FUTURE | Tense.CAN | Tense.COULD:
            return Group({Tense.FUTURE: "will", Tense.CAN: "can", Tense.COULD: "could"}[tense], base, base)
        case Tense.GOING:
            return Group(NOW[slot], f"going to {base}", f"going to {base}")
        case Tense.HABIT:
            return Group("", f"used to {base}", f"use to {base}", "did")
        case Tense.WANTED:
            return Group("", f"wanted to {base}", f"want to {base}", "did")
        case Tense.WANT:
            return Group("", f"{'wants' if third else 'want'} to {base}", f"want to {base}", does)
        case _:
            return Group("", f"{'has' if third else 'have'} to {base}", f"have to {base}", does)


def spanish_group(verb: Verb, tense: Tense, slot: int) -> str:
    """The Spanish verb group for a person."""
    spanish = verb.spanish
    match tense:
        case Tense.PRESENT:
            return spanish.present[slot]
        case Tense.PAST:
            return (spanish.imperfect if verb.has("state") else spanish.preterite)[slot]
        case Tense.HABIT:
            return spanish.imperfect[slot]
        case Tense.FUTURE:
            return spanish.future[slot]
        case Tense.PROGRESSIVE:
            return f"{ESTAR.present[slot]} {spanish.gerund}"
        case Tense.PAST_PROGRESSIVE:
            return f"{ESTAR.imperfect[slot]} {spanish.gerund}"
        case _:
            return f"{_support(tense)[slot]} {spanish.infinitive}"


def _support(tense: Tense) -> tuple[str, ...]:
    match tense:
        case Tense.GOING:
            return tuple(f"{form} a" for form in IR.present)
        case Tense.WANT:
            return QUERER.present
        case Tense.WANTED:
            return QUERER.imperfect
        case Tense.CAN:
            return PODER.present
        case Tense.COULD:
            return PODER.preterite
        case _:
            return tuple(f"{form} que" for form in TENER.present)
