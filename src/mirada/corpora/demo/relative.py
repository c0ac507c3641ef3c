"""Relative clauses: who and that → que, on a subject or on an object."""

from __future__ import annotations

from dataclasses import replace

from mirada.corpora.demo.choose import ANIMALS, PEOPLE, may_be_many, somebody
from mirada.corpora.demo.clause import Clause, english_statement, spanish_inverted, spanish_statement
from mirada.corpora.demo.dice import Dice
from mirada.corpora.demo.draft import Draft
from mirada.corpora.demo.nouns import nouns_of
from mirada.corpora.demo.phrase import THAT, THE, Phrase, noun_phrase
from mirada.corpora.demo.predicates import describing, direct, doing, met_object, moving, staying
from mirada.corpora.demo.simple import DESCRIBED
from mirada.corpora.demo.verbs import BY_WORD, TRANSITIVE
from mirada.corpora.demo.words import Combination, Tense, Verb

BEASTLY = tuple(verb for verb in TRANSITIVE if verb.has("beast"))
HABITUAL = tuple(BY_WORD[word] for word in ("have", "know", "clean", "cook", "read", "write"))
MADE = tuple(BY_WORD[word] for word in ["read", "write", "buy", "find", "lose", "break", "clean", "see"])


def relative_subject(dice: Dice) -> Draft:
    """Who does something is then described: the woman who bought the flowers is kind."""
    noun = dice.choose(PEOPLE if dice.chance(0.75) else ANIMALS)
    head = noun_phrase(noun, dice.choose((THE, THE, THAT)), dice.chance(0.25))
    verb = dice.choose(TRANSITIVE if noun.is_a("person") else BEASTLY)
    tense = dice.choose((Tense.PRESENT, Tense.PAST)) if verb in HABITUAL else Tense.PAST
    inner = doing(dice, head, verb, tense, negative=False)
    word = "who" if noun.is_a("person") else "that"
    english = f"{head.english} {word} {english_statement(replace(inner, subject=_silent(head)))}"
    spanish = f"{head.spanish} que {spanish_statement(inner, dropped=True)}"
    return _said_of(dice, head, english, spanish, inner.combinations, inner.tense)


def relative_object(dice: Dice) -> Draft:
    """What somebody does something to is then described: the letter that my sister wrote is long."""
    verb = dice.choose(MADE)
    nouns = [noun for noun in nouns_of(*verb.objects) if noun in DESCRIBED and not noun.is_a("person")]
    noun = dice.choose(nouns)
    head = noun_phrase(noun, THE, dice.chance(0.25) and may_be_many(noun))
    english, spanish, met = _acted_on(head, verb, somebody(dice))
    return _said_of(dice, head, english, spanish, met)


def _acted_on(head: Phrase, verb: Verb, who: Phrase) -> tuple[str, str, tuple[Combination, ...]]:
    inner = Clause(who, verb, Tense.PAST, combinations=(*who.combinations, *met_object(verb, head.noun)))
    # Spanish puts the verb first: la carta que escribió mi hermana; but que él escribió.
    spanish = spanish_statement(inner) if who.spelled_out else spanish_inverted(inner)
    return f"{head.english} that {english_statement(inner)}", f"{head.spanish} que {spanish}", inner.combinations


def _said_of(
    dice: Dice, head: Phrase, english: str, spanish: str, met: tuple[Combination, ...], told: Tense = Tense.PAST
) -> Draft:
    full = replace(head, english=english, spanish=spanish, combinations=())
    tense = dice.choose((told, Tense.PRESENT))
    if head.human and dice.chance(0.3):
        clause = dice.choose((moving, staying) if tense is Tense.PAST else (staying,))(dice, full, tense)
    else:
        clause = describing(dice, full, tense)
    return Draft(english_statement(clause), spanish_statement(clause), met + clause.combinations)


def relative_at_end(dice: Dice) -> Draft:
    """A relative clause on the object: I know the man who broke the window."""
    return dice.choose((_thing_at_end, _person_at_end))(dice, somebody(dice))


def _thing_at_end(dice: Dice, subject: Phrase) -> Draft:
    verb = dice.choose([verb for verb in MADE if verb.english != "see"])
    thing = dice.choose([noun for noun in nouns_of(*verb.objects) if noun.is_a("thing") or noun.is_a("readable")])
    who = somebody(dice)
    while who.spelled_out and subject.slot == who.slot:
        who = somebody(dice)  # "she lost the key that she bought" would leave out both in Spanish
    english, spanish, met = _acted_on(noun_phrase(thing, THE), verb, who)
    finding = [BY_WORD[word] for word in (("see", "look", "find") if thing.is_a("losable") else ("see",))]
    outer = dice.choose([other for other in finding if other is not verb])
    clause = Clause(subject, outer, Tense.PAST, english, spanish, dice.chance(0.25))
    met = (*subject.combinations, *met, *met_object(outer, thing))
    return Draft(english_statement(clause), spanish_statement(clause), met)


def _person_at_end(dice: Dice, subject: Phrase) -> Draft:
    head = noun_phrase(dice.choose([noun for noun in PEOPLE if noun is not subject.noun]), THE, dice.chance(0.2))
    inner = doing(dice, head, dice.choose(MADE), Tense.PAST, negative=False)
    english = f"{head.english} who {english_statement(replace(inner, subject=_silent(head)))}"
    full = replace(head, spanish=f"{head.spanish} que {spanish_statement(inner, dropped=True)}")
    outer = BY_WORD[dice.choose(("know", "see", "visit"))]
    tense = Tense.PRESENT if outer.english == "know" else Tense.PAST
    clause = Clause(subject, outer, tense, english, direct(outer, full), dice.chance(0.25))
    met = (*subject.combinations, *inner.combinations, *met_object(outer, head.noun))
    return Draft(english_statement(clause), spanish_statement(clause), met)


def _silent(subject: Phrase) -> Phrase:
    return replace(subject, english="", spanish="")
