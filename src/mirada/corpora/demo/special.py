"""Sentences that the two languages build differently: there is, to like, a trade, nobody and nothing."""

from __future__ import annotations

from mirada.corpora.demo.choose import ANIMALS, PEOPLE, described, place, possession, relative, somebody
from mirada.corpora.demo.clause import Clause, sentence
from mirada.corpora.demo.dice import Dice
from mirada.corpora.demo.draft import Draft, stated
from mirada.corpora.demo.english import add_s, with_article
from mirada.corpora.demo.nouns import NAMED, nouns_of
from mirada.corpora.demo.phrase import SINGULAR, THE, Phrase, named, noun_phrase
from mirada.corpora.demo.predicates import OBJECTS, acting, shown
from mirada.corpora.demo.pronouns import pronoun_of
from mirada.corpora.demo.spanish import after_preposition, pluralise
from mirada.corpora.demo.verbs import BE, BY_WORD, STAYING
from mirada.corpora.demo.words import Combination, Tense

LIKED = nouns_of("food", "drink", "readable", "creature", "colored", "sight", "guitar")
SCENES = (  # who and what is to be found where
    (ANIMALS, nouns_of("garden", "field", "forest", "street", "kitchen", "park", "cave")),
    (PEOPLE, nouns_of("street", "park", "station", "market", "school", "church", "beach", "square", "museum")),
    (nouns_of("small", "container", "furniture"), nouns_of("room", "kitchen", "house", "office", "classroom")),
    (nouns_of("house", "school", "church", "hospital", "museum", "station"), nouns_of("city", "street", "square")),
)
MALE_TRADES = {"teacher": "profesor", "doctor": "médico", "student": "estudiante"}
FEMALE_TRADES = {
    "teacher": ("teacher", "profesora"),
    "doctor": ("doctor", "médica"),
    "student": ("student", "estudiante"),
}
FINITE = tuple(
    BY_WORD[word]
    for word in ["eat", "drink", "read", "write", "buy", "see", "find", "lose", "break", "cook", "help", "visit"]
)
NOBODY = Phrase("nobody", "nadie", SINGULAR, feminine=False)


def existence(dice: Dice) -> Draft:
    """There is and there are: hay, había."""
    nouns, places = dice.choose(SCENES)
    phrase = possession(dice, dice.choose(nouns))
    where = place(dice, places)
    past = dice.chance(0.35)
    verb = ("were" if past else "are") if phrase.plural else ("was" if past else "is")
    asked = dice.chance(0.15) and not phrase.plural
    opening = f"{verb} there" if asked else f"there {verb}"
    there = "había" if past else "hay"
    met = phrase.combinations + where.combinations
    english, spanish = sentence(opening, phrase.english, where.english), sentence(there, phrase.spanish, where.spanish)
    return Draft(english, spanish, met, asked)


def liking(dice: Dice) -> Draft:
    """Gustar, where the liked thing is the subject: the girl likes cats → a la chica le gustan los gatos."""
    who = somebody(dice)
    person = after_preposition("a", who.spanish) if who.spanish else ""
    negative, question = dice.chance(0.2), dice.chance(0.2) and who.slot not in (0, 3)
    english, spanish, plural, met = _liked(dice)
    group = sentence("no" if negative else "", pronoun_of(who).indirect, "gustan" if plural else "gusta")
    does = "does" if who.slot == SINGULAR else "do"
    if question:
        text = sentence(f"{does}n't" if negative else does, who.english, "like", english)
    else:
        verb = f"{does}n't like" if negative else "likes" if who.slot == SINGULAR else "like"
        text = sentence(who.english, verb, english)
    return Draft(text, sentence(person, group, spanish), (*who.combinations, *met), question)


def _liked(dice: Dice) -> tuple[str, str, bool, tuple[Combination, ...]]:
    if dice.chance(0.15):
        verb = dice.choose([verb for verb in STAYING if not verb.has("home")])
        return f"to {verb.english}", verb.spanish.infinitive, False, ()
    noun = dice.choose(LIKED)
    met = (Combination("object", "like", noun.english),)
    if dice.chance(0.5) and not noun.is_a("place"):  # in general: apples → las manzanas, milk → la leche
        phrase = noun_phrase(noun, THE, plural=not noun.is_a("mass"))
        return phrase.english.removeprefix("the "), phrase.spanish, phrase.plural, met
    phrase = described(dice, noun, 0.2)
    if not phrase.definite:
        phrase = noun_phrase(noun, THE)
    return phrase.english, phrase.spanish, phrase.plural, (*met, *phrase.combinations)


def trade(dice: Dice) -> Draft:
    """A trade without an article: my sister is a doctor → mi hermana es médica."""
    subject = named(dice.choose(NAMED)) if dice.chance(0.5) else relative(dice)
    word = dice.choose(tuple(FEMALE_TRADES))
    english, spanish = FEMALE_TRADES[word] if subject.feminine else (word, MALE_TRADES[word])
    if subject.plural:
        english, spanish = add_s(english), pluralise(spanish)
    else:
        english = with_article(english)
    tense = Tense.PRESENT if dice.chance(0.7) else Tense.PAST
    negative = dice.chance(0.15)
    return stated(Clause(subject, BE, tense, english, spanish, negative, combinations=subject.combinations))


def nobody(dice: Dice) -> Draft:
    """Nobody as the subject, or nothing and nobody as the object, which Spanish denies twice."""
    tense = Tense.PAST if dice.chance(0.6) else Tense.PRESENT
    verb = dice.choose(FINITE)
    if dice.chance(0.5):
        thing = described(dice, dice.choose(OBJECTS[verb]), known=True)
        return stated(acting(NOBODY, verb, shown(verb, NOBODY, tense), thing))
    subject = somebody(dice)
    tense = shown(verb, subject, tense)
    words = ("anybody", "a nadie") if "person" in verb.objects else ("anything", "nada")
    return stated(Clause(subject, verb, tense, *words, negative=True, combinations=subject.combinations))
