"""Clitics: objects that lean on the Spanish verb (lo, la, le, se lo), with or without a named antecedent."""

from __future__ import annotations

from dataclasses import replace

from mirada.corpora.demo.choose import PEOPLE, receiver, relative, somebody, something
from mirada.corpora.demo.clause import Clause, english_statement, spanish_statement
from mirada.corpora.demo.dice import Dice
from mirada.corpora.demo.draft import Draft, asked, stated
from mirada.corpora.demo.nouns import NAMED, nouns_of
from mirada.corpora.demo.phrase import THE, Phrase, named, noun_phrase
from mirada.corpora.demo.predicates import acting, met_object, polarity, tense_for, timed
from mirada.corpora.demo.pronouns import direct_clitic, pronoun_of
from mirada.corpora.demo.spanish import after_preposition
from mirada.corpora.demo.verbs import BY_WORD, GIVING
from mirada.corpora.demo.words import Tense, Verb

SEEING = tuple(BY_WORD[word] for word in ["see", "help", "visit", "know"])
GIFTS = {verb: nouns_of(*verb.objects) for verb in GIVING}
# What one does first and then with the same thing: the clitic takes its gender from the noun before.
SEQUENCES = tuple(
    (BY_WORD[first], BY_WORD[second], nouns_of(*tags.split()))
    for first, second, tags in (
        ("buy", "cook", "cookable"),
        ("buy", "read", "book"),
        ("buy", "clean", "furniture vehicle"),
        ("find", "open", "box suitcase letter umbrella"),
        ("find", "read", "book letter"),
        ("find", "clean", "knife"),
        ("open", "read", "letter"),
        ("write", "send", "letter poem"),
        ("see", "buy", "furniture colored clock lamp"),
        ("lose", "find", "losable"),
    )
)
FAILURES = tuple(
    (BY_WORD[first], BY_WORD[second], nouns_of(*tags.split()))
    for first, second, tags in (
        ("look", "find", "losable pet"),
        ("see", "buy", "furniture colored clock lamp"),
        ("buy", "read", "book"),
        ("write", "send", "letter poem"),
        ("find", "open", "box suitcase letter"),
    )
)
GIVE = BY_WORD["give"]
GETTING = tuple(
    (BY_WORD[word], tuple(noun for noun in GIFTS[GIVE] if noun.is_a(tag)))
    for word, tag in (("buy", "goods"), ("find", "losable"))
)


def person_object(dice: Dice) -> Draft:
    """A person as a pronoun: she visits us every day → ella nos visita todos los días."""
    verb, subject = dice.choose(SEEING), somebody(dice)
    pronoun = receiver(dice, subject)
    tense = tense_for(dice, verb, subject)
    clause = Clause(
        subject,
        verb,
        tense,
        pronoun.english,
        negative=polarity(dice, tense),
        clitics=pronoun.direct,
        combinations=subject.combinations,
    )
    clause = timed(dice, clause)
    if dice.chance(0.15):
        return asked(clause, spanish_statement(clause))
    return stated(clause)


def giving(dice: Dice) -> Draft:
    """Something and somebody: le with a named receiver, me or te alone, se lo with two pronouns."""
    verb, subject = dice.choose(GIVING), somebody(dice)
    tense = tense_for(dice, verb, subject)
    kind = dice.choose((_to_named, _to_pronoun, _both_pronouns))
    return stated(timed(dice, kind(dice, subject, verb, tense), 0.15))


def _to_named(dice: Dice, subject: Phrase, verb: Verb, tense: Tense) -> Clause:
    thing = something(dice, dice.choose(GIFTS[verb]), subject)
    person = _person(dice)
    english = f"{thing.english} to {person.english}"
    spanish = f"{thing.spanish} {after_preposition('a', person.spanish)}"
    clause = Clause(subject, verb, tense, english, spanish, combinations=person.combinations)
    return _gift(dice, clause, thing, pronoun_of(person).indirect)


def _to_pronoun(dice: Dice, subject: Phrase, verb: Verb, tense: Tense) -> Clause:
    thing, pronoun = something(dice, dice.choose(GIFTS[verb]), subject), receiver(dice, subject)
    clause = Clause(subject, verb, tense, f"{pronoun.english} {thing.english}", thing.spanish)
    return _gift(dice, clause, thing, pronoun.indirect)


def _both_pronouns(dice: Dice, subject: Phrase, verb: Verb, tense: Tense) -> Clause:
    pronoun = receiver(dice, subject)
    word, clitic = ("them", "los") if dice.chance(0.3) and pronoun.english != "them" else ("it", "lo")
    clause = Clause(subject, verb, tense, f"{word} to {pronoun.english}", clitics=f"{pronoun.reflected} {clitic}")
    return replace(clause, negative=polarity(dice, tense), combinations=subject.combinations)


def _gift(dice: Dice, clause: Clause, thing: Phrase, clitics: str) -> Clause:
    met = (
        *clause.combinations,
        *clause.subject.combinations,
        *thing.combinations,
        *met_object(clause.verb, thing.noun),
    )
    return replace(clause, negative=polarity(dice, clause.tense), clitics=clitics, combinations=met)


def _person(dice: Dice) -> Phrase:
    if dice.chance(0.3):
        return named(dice.choose(NAMED))
    return relative(dice) if dice.chance(0.4) else noun_phrase(dice.choose(PEOPLE), THE, dice.chance(0.25))


def sequence(dice: Dice) -> Draft:
    """Two actions on one thing: Ana wrote a letter and sent it → Ana escribió una carta y la envió."""
    return dice.choose((_succeed, _fail, _pass_on))(dice, somebody(dice))


def _succeed(dice: Dice, subject: Phrase) -> Draft:
    first, second, nouns = dice.choose(SEQUENCES)
    thing = something(dice, dice.choose(nouns), subject)
    return _joined(acting(subject, first, Tense.PAST, thing), _follow(subject, second, thing), (" and", " y"))


def _fail(dice: Dice, subject: Phrase) -> Draft:
    first, second, nouns = dice.choose(FAILURES)
    thing = something(dice, dice.choose(nouns), subject)
    follow = replace(_follow(subject, second, thing), negative=True)
    return _joined(acting(subject, first, Tense.PAST, thing), follow, (", but", ", pero"))


def _pass_on(dice: Dice, subject: Phrase) -> Draft:
    first, nouns = dice.choose(GETTING)
    thing, person = something(dice, dice.choose(nouns), subject), _person(dice)
    follow = _follow(subject, GIVE, thing)
    follow = replace(
        follow,
        english=f"{follow.english} to {person.english}",
        spanish=after_preposition("a", person.spanish),
        clitics=f"se {follow.clitics}",
        combinations=follow.combinations + person.combinations,
    )
    return _joined(acting(subject, first, Tense.PAST, thing), follow, (" and", " y"))


def _follow(subject: Phrase, verb: Verb, thing: Phrase) -> Clause:
    english, met = "them" if thing.plural else "it", met_object(verb, thing.noun)
    return Clause(subject, verb, Tense.PAST, english, clitics=direct_clitic(thing), combinations=met)


def _joined(start: Clause, follow: Clause, word: tuple[str, str]) -> Draft:
    second = english_statement(replace(follow, subject=_silent(follow.subject)))
    english = f"{english_statement(start)}{word[0]} {second}"
    spanish = f"{spanish_statement(start)}{word[1]} {spanish_statement(follow, dropped=True)}"
    return Draft(english, spanish, start.combinations + follow.combinations)


def _silent(subject: Phrase) -> Phrase:
    return replace(subject, english="", spanish="")
