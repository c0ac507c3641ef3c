"""Predicates: clauses about doing, being, having, staying and going."""

from __future__ import annotations

from dataclasses import replace

from mirada.corpora.demo.adjectives import BY_WORD as ADJECTIVE
from mirada.corpora.demo.adjectives import PREDICATES, UNGRADED, clash
from mirada.corpora.demo.choose import ANIMALS, beneficiary, company, described, place, possession, somebody, something
from mirada.corpora.demo.clause import Clause, sentence
from mirada.corpora.demo.dice import Dice
from mirada.corpora.demo.nouns import BY_WORD as NOUN
from mirada.corpora.demo.nouns import nouns_of
from mirada.corpora.demo.phrase import NUMBERS, SINGULAR, THE, Adjunct, Phrase, adjunct, noun_phrase
from mirada.corpora.demo.spanish import after_preposition, joined
from mirada.corpora.demo.verbs import BE, HAVE, MOVING, STAY, STAYING, SUFFER, TENSES, TRANSITIVE
from mirada.corpora.demo.words import Adjective, Combination, Noun, Tense, Verb

HUMAN = tuple(verb for verb in TRANSITIVE if not verb.has("wild"))
OBJECTS = {verb: nouns_of(*verb.objects) for verb in TRANSITIVE}
DIRECTION = {"arrive": ("at", "a"), "go": ("to", "a"), "come": ("to", "a"), "leave": ("", "de")}
GOALS = nouns_of("school", "church", "hospital", "office", "museum", "station", "market", "park", "beach", "city")
COMFORTS = (  # English adjective, Spanish noun, how it counts "very"
    ("hungry", "hambre", "mucha"),
    ("thirsty", "sed", "mucha"),
    ("cold", "frío", "mucho"),
    ("sleepy", "sueño", "mucho"),
)
LATER = (("tomorrow", "mañana"), ("tonight", "esta noche"), ("next week", "la próxima semana"))
TIMES = {
    Tense.PRESENT: (("every day", "todos los días"), ("in the morning", "por la mañana"), ("at night", "por la noche")),
    Tense.PAST: (("yesterday", "ayer"), ("last night", "anoche"), ("last week", "la semana pasada")),
    Tense.PROGRESSIVE: (("now", "ahora"),),
    Tense.FUTURE: LATER,
    Tense.GOING: LATER,
    Tense.MUST: LATER,
}
HABITS = (("always", "siempre"), ("never", "nunca"))
WHERE = {  # what is done where
    verb: nouns_of(*places.split())
    for verb, places in (
        ("eat", "kitchen garden park school"),
        ("drink", "kitchen garden park"),
        ("read", "garden room park office beach classroom"),
        ("write", "office room kitchen classroom"),
        ("cook", "kitchen house"),
        ("buy", "market city"),
        ("see", "street park beach forest market station square"),
        ("find", "street garden park forest beach room house"),
        ("lose", "street park station market beach hospital"),
        ("sleep", "house room kitchen garden park cave forest"),
        ("work", "school hospital office museum station market garden city"),
        ("live", "city house forest street"),
        ("play", "park garden beach street square school room"),
    )
}
STANDS = nouns_of("table", "bed", "chair", "piano")
BESIDE = (("on", "sobre"), ("under", "debajo de"), ("near", "cerca de"))
FOR_SOMEBODY = ("buy", "cook", "write")


def tense_for(dice: Dice, verb: Verb, subject: Phrase) -> Tense:
    """A tense that the verb allows."""
    return shown(verb, subject, dice.weigh(TENSES[verb]))


def shown(verb: Verb, subject: Phrase, tense: Tense) -> Tense:
    """The tense, or the past where the present would be odd (lose) or look the same (they read)."""
    unclear = verb.past == verb.english and subject.slot != SINGULAR
    return Tense.PAST if tense is Tense.PRESENT and (unclear or verb.has("event")) else tense


def polarity(dice: Dice, tense: Tense, given: bool | None = None) -> bool:
    """Whether the clause is negative, where it was not decided before."""
    if given is not None:
        return given
    return tense is not Tense.HABIT and dice.chance(0.18)


def direct(verb: Verb, phrase: Phrase) -> str:
    """A Spanish object, with the personal a before people and known animals."""
    if verb is HAVE or phrase.noun is None:
        return phrase.spanish
    animal = phrase.noun.is_a("creature") and phrase.definite and verb.english in ("see", "find", "look")
    return after_preposition("a", phrase.spanish) if phrase.human or animal else phrase.spanish


def actor(dice: Dice, verb: Verb) -> Phrase:
    """Somebody or some animal that can do this."""
    if verb.has("wild") or (verb.has("beast") and dice.chance(0.4)):
        return described(dice, dice.choose(ANIMALS))
    return somebody(dice)


def doing(
    dice: Dice,
    subject: Phrase | None = None,
    verb: Verb | None = None,
    tense: Tense | None = None,
    negative: bool | None = None,
) -> Clause:
    """A verb with its object: the girl is reading a letter."""
    verb = verb or dice.choose(TRANSITIVE if subject is None else HUMAN)
    subject = subject or actor(dice, verb)
    tense = shown(verb, subject, tense) if tense else tense_for(dice, verb, subject)
    negative = polarity(dice, tense, negative)
    noun = dice.choose([noun for noun in OBJECTS[verb] if noun is not subject.noun])
    thing = possession(dice, noun) if verb is HAVE else something(dice, noun, subject, negative)
    return with_detail(dice, acting(subject, verb, tense, thing, negative))


def with_detail(dice: Dice, clause: Clause) -> Clause:
    """The clause with where it happens or for whom it is done, now and then."""
    word = clause.verb.english
    if word in FOR_SOMEBODY and clause.subject.human and dice.chance(0.2):
        return extended(clause, beneficiary(dice, clause.subject))
    if word in WHERE and clause.subject.human and not clause.negative and dice.chance(0.45):
        return extended(clause, place(dice, WHERE[word]))
    return clause


def extended(clause: Clause, more: Adjunct) -> Clause:
    """The clause with more words at its end."""
    return replace(
        clause,
        english=sentence(clause.english, more.english),
        spanish=sentence(clause.spanish, more.spanish),
        combinations=clause.combinations + more.combinations,
    )


def acting(subject: Phrase, verb: Verb, tense: Tense, thing: Phrase, negative: bool = False) -> Clause:
    """A clause of a verb and a given object."""
    met = (*subject.combinations, *thing.combinations, *met_object(verb, thing.noun))
    spanish = after_preposition(verb.preposition, thing.spanish) if verb.preposition else direct(verb, thing)
    return Clause(subject, verb, tense, thing.english, spanish, negative, combinations=met)


def met_object(verb: Verb, noun: Noun | None) -> tuple[Combination, ...]:
    """The combination of a verb and its object."""
    return () if noun is None else (Combination("object", verb.english, noun.english),)


def happening(dice: Dice, subject: Phrase, tense: Tense | None = None, negative: bool | None = None) -> Clause:
    """Something that a person does, of whatever kind."""
    kind = dice.choose(("doing", "staying", "moving"))
    if kind == "doing":
        return doing(dice, subject, None, tense, negative)
    return (staying if kind == "staying" else moving)(dice, subject, tense, negative)


def staying(
    dice: Dice, subject: Phrase | None = None, tense: Tense | None = None, negative: bool | None = None
) -> Clause:
    """A verb without an object: my brother works in the library."""
    verb = dice.choose(STAYING)
    if subject is not None and not subject.human:
        verb = dice.choose([verb for verb in STAYING if verb.has("beast")])
    subject = subject or actor(dice, verb)
    tense = tense or tense_for(dice, verb, subject)
    clause = Clause(subject, verb, tense, negative=polarity(dice, tense, negative), combinations=subject.combinations)
    if verb.has("home") or dice.chance(0.7):
        clause = extended(clause, place(dice, WHERE[verb.english]))
    if verb.english in ("work", "live", "play") and dice.chance(0.3):
        clause = extended(clause, company(dice, subject))
    return clause


def moving(
    dice: Dice, subject: Phrase | None = None, tense: Tense | None = None, negative: bool | None = None
) -> Clause:
    """A verb of going: we will go to the beach with our friends."""
    verb = dice.choose(MOVING)
    subject = subject or somebody(dice)
    tense = shown(verb, subject, tense) if tense else tense_for(dice, verb, subject)
    noun = dice.choose(GOALS)
    goal = noun_phrase(noun, THE)
    word, preposition = DIRECTION[verb.english]
    if word == "at" and noun.is_a("city"):
        word = "in"  # one arrives at a station, but in a city
    english, spanish = sentence(word, goal.english), after_preposition(preposition, goal.spanish)
    met = (*subject.combinations, *met_object(verb, noun))
    clause = Clause(subject, verb, tense, english, spanish, polarity(dice, tense, negative), combinations=met)
    return extended(clause, company(dice, subject)) if dice.chance(0.25) else clause


def describing(
    dice: Dice, subject: Phrase, tense: Tense | None = None, degree: tuple[str, str] | None = None
) -> Clause:
    """Ser or estar with an adjective: the soup was very cold."""
    adjective = dice.choose(qualities(subject))
    if degree is None:
        degree = ("very", "muy") if dice.chance(0.2) and adjective.english not in UNGRADED else ("", "")
    tense = tense or (Tense.PRESENT if dice.chance(0.6) else Tense.PAST)
    return being(subject, adjective, tense, degree, negative=not degree[0] and dice.chance(0.18))


def qualities(subject: Phrase) -> tuple[Adjective, ...]:
    """The adjectives that can be said of the subject, in view of what was said already."""
    every = qualities_of(subject.noun or NOUN["Ana"])
    if subject.adjective is None:
        return every
    return tuple(adjective for adjective in every if not clash(subject.adjective, adjective))


def qualities_of(noun: Noun) -> tuple[Adjective, ...]:
    """The adjectives that can be said of the noun."""
    return PREDICATES[noun.english]


def being(
    subject: Phrase, adjective: Adjective, tense: Tense, degree: tuple[str, str] = ("", ""), negative: bool = False
) -> Clause:
    """A clause of a given adjective."""
    english = sentence(degree[0], adjective.english)
    spanish = sentence(degree[1], adjective.agree(subject.feminine, subject.plural))
    met = subject.combinations
    if subject.noun is not None:
        met = (*met, Combination("adjective", subject.noun.english, adjective.english))
    return Clause(subject, STAY if adjective.state else BE, tense, english, spanish, negative, combinations=met)


def both(dice: Dice, clause: Clause) -> Clause:
    """The same clause with a second adjective of the same copula: tall and intelligent → alto e inteligente."""
    first = ADJECTIVE[clause.english.split()[-1]]
    others = [
        choice for choice in qualities(clause.subject) if choice.state == first.state and not clash(first, choice)
    ]
    if not others:
        return clause
    second = being(clause.subject, dice.choose(others), clause.tense)
    english, spanish = f"{clause.english} and {second.english}", joined(clause.spanish, second.spanish)
    return replace(clause, english=english, spanish=spanish, combinations=clause.combinations + second.combinations)


def needing(dice: Dice, subject: Phrase, tense: Tense, need: str = "") -> Clause:
    """English be where Spanish has tener: the child is very hungry → el niño tiene mucha hambre."""
    english, spanish, much = dice.choose([row for row in COMFORTS if need in ("", row[0])])
    if dice.chance(0.3):
        english, spanish = f"very {english}", f"{much} {spanish}"
    return Clause(subject, SUFFER, tense, english, spanish, combinations=subject.combinations)


def ageing(dice: Dice, subject: Phrase) -> Clause:
    """An age: my sister is ten years old → mi hermana tiene diez años."""
    number = dice.choose(tuple(NUMBERS))
    return Clause(
        subject,
        SUFFER,
        Tense.PRESENT,
        f"{number} years old",
        f"{NUMBERS[number]} años",
        combinations=subject.combinations,
    )


def locating(dice: Dice, subject: Phrase) -> Clause:
    """Where somebody or something is, with estar."""
    tense = Tense.PRESENT if dice.chance(0.65) else Tense.PAST
    noun = subject.noun
    if noun is not None and noun.is_a("thing"):
        where = adjunct(*dice.choose(BESIDE), noun_phrase(dice.choose(STANDS), THE))
    else:
        where = place(dice)
    clause = Clause(subject, STAY, tense, negative=dice.chance(0.12), combinations=subject.combinations)
    return extended(clause, where)


def timed(dice: Dice, clause: Clause, probability: float = 0.25) -> Clause:
    """The clause with a time that suits its tense, at its end."""
    lasting = clause.verb.has("state") or clause.verb.has("home")
    if lasting or clause.tense not in TIMES or not dice.chance(probability):
        return clause
    times = TIMES[clause.tense]
    if clause.negative and clause.tense is Tense.PRESENT:
        times = times[1:]  # "doesn't read every day" might mean on no day or not on each
    return extended(clause, Adjunct(*dice.choose(times)))


def habitual(dice: Dice, clause: Clause) -> Clause:
    """The clause with always or never, where the tense is the present and nothing else is negative."""
    if clause.tense is not Tense.PRESENT or clause.negative or not dice.chance(0.15):
        return clause
    return replace(clause, adverb=dice.choose(HABITS))
