"""The lecture's sentences: "it" means one of two nouns, and the adjective says which.

"The animal didn't cross the street because it was too tired" → "… porque estaba demasiado cansado";
"… because it was too wide" → "… porque era demasiado ancha". The ending of the Spanish adjective, and
ser or estar, show which noun was meant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mirada.corpora.demo.adjectives import BY_WORD as ADJECTIVE
from mirada.corpora.demo.adjectives import clash
from mirada.corpora.demo.choose import attribute, may_be_many
from mirada.corpora.demo.clause import Clause, english_statement, spanish_statement
from mirada.corpora.demo.dice import Dice, Weighted
from mirada.corpora.demo.draft import Draft, Reference
from mirada.corpora.demo.nouns import BY_WORD as NOUN
from mirada.corpora.demo.nouns import nouns_of
from mirada.corpora.demo.phrase import MY, OUR, THAT, THE, THIS, YOUR, Determiner, Phrase, noun_phrase
from mirada.corpora.demo.predicates import acting, being
from mirada.corpora.demo.subordinate import again_as
from mirada.corpora.demo.verbs import BY_WORD as VERB
from mirada.corpora.demo.verbs import CLIMB, ENTER, FIT
from mirada.corpora.demo.words import Adjective, Combination, Noun, Tense, Verb

# Adjectives with the nouns that each can be said of in a frame; * is all of them.
Reasons = dict[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What is told: what somebody did or did not do to what, and an adjective of one of the two that says why."""

    verb: Verb
    tense: Tense
    subject: Phrase
    thing: Phrase
    adjective: Adjective
    of_subject: bool  # whether the adjective is said of the subject, or else of the thing
    degree: tuple[str, str]  # of the adjective, in both languages


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A verb, who may do it to what, and the reasons that point to the one or to the other."""

    verb: Verb
    subjects: tuple[Noun, ...]
    objects: tuple[Noun, ...]
    of_subject: Reasons
    of_object: Reasons
    unclear: frozenset[tuple[str, str]]  # adjective and object where the reason might mean either


def _frame(
    verb: Verb, subjects: str, objects: str, of_subject: Reasons, of_object: Reasons, unclear: str = ""
) -> Frame:
    pairs = frozenset((first, second) for first, _, second in (word.partition("+") for word in unclear.split()))
    return Frame(verb, nouns_of(*subjects.split()), nouns_of(*objects.split()), of_subject, of_object, pairs)


WEAK = {"tired": "*", "sick": "*", "nervous": "*", "scared": "*"}
FRAMES: Weighted[Frame] = Weighted(
    (
        _frame(
            VERB["cross"],
            "walker",
            "crossing",
            {**WEAK, "old": "*", "slow": "*", "lazy": "*", "fat": "*"},
            {
                "wide": "street road river square field",
                "long": "bridge road street",
                "dangerous": "street road river bridge",
                "narrow": "bridge",
                "deep": "river",
                "dark": "street road",
                "noisy": "street square",
                "wet": "street road bridge field",
            },
            "old+bridge slow+river",
        ),
        34.0,
    ),
    (
        _frame(
            VERB["eat"],
            "horse cow goat donkey monkey rabbit mouse animal",
            "apple orange potato bread",
            WEAK,
            {"hard": "apple potato bread", "sour": "apple orange", "dry": "bread", "hot": "potato bread"},
        ),
        10.0,
    ),
    (
        _frame(
            VERB["eat"],
            "dog cat fox wolf bear animal",
            "meat fish cheese soup bread cake",
            WEAK,
            {
                "hard": "meat cheese bread cake",
                "salty": "meat fish cheese soup",
                "dry": "fish cheese bread cake",
                "cold": "soup meat fish",
                "hot": "soup meat fish",
            },
        ),
        10.0,
    ),
    (
        _frame(VERB["drink"], "hungry", "water milk", WEAK, {"cold": "*", "hot": "*", "dirty": "water"}),
        7.0,
    ),
    (
        _frame(
            CLIMB,
            "climber animal",
            "climbable",
            {**WEAK, "old": "*", "lazy": "*", "fat": "*"},
            {"high": "wall mountain", "tall": "tree", "steep": "slope", "dangerous": "mountain"},
            "old+tree old+wall fat+tree",
        ),
        9.0,
    ),
    (
        _frame(
            ENTER,
            "pet goat fox bear animal",
            "enterable",
            {**WEAK, "fat": "*", "lazy": "*"},
            {"dark": "house church kitchen forest cave", "narrow": "cave", "dangerous": "forest cave", "cold": "house"},
        ),
        8.0,
    ),
    (
        _frame(
            FIT,
            "book guitar hat umbrella clock lamp",
            "box suitcase drawer wardrobe",
            {"big": "*", "long": "guitar umbrella lamp", "wide": "hat clock book"},
            {"small": "*", "narrow": "*", "full": "*"},
        ),
        7.0,
    ),
    (
        _frame(
            FIT,
            "table bed chair piano bicycle wardrobe",
            "car van kitchen room truck",
            {"big": "*", "long": "table bed bicycle", "wide": "table bed piano wardrobe", "tall": "wardrobe piano"},
            {"small": "*", "narrow": "*", "full": "car van truck"},
        ),
        6.0,
    ),
    (
        _frame(
            VERB["cross"],
            "truck van car",
            "bridge road river field",
            {"heavy": "*", "slow": "*"},
            {"narrow": "bridge road", "dangerous": "bridge road river", "wet": "bridge road field", "deep": "river"},
            "slow+river",
        ),
        6.0,
    ),
)
BUYING = _frame(
    VERB["buy"],
    "person",
    "furniture colored lamp clock guitar house car",
    {"tired": "*", "sick": "*", "nervous": "*"},
    {
        "expensive": "*",
        "old": "vehicle furniture clock guitar house",
        "big": "furniture car house",
        "small": "house box suitcase hat shirt",
        "heavy": "furniture suitcase",
        "dirty": "chair shirt car",
    },
)
READING = _frame(
    VERB["read"],
    "person",
    "readable",
    {"tired": "*", "sick": "*", "busy": "adult"},
    {"long": "letter book poem", "dirty": "letter"},
)
PEOPLES: Weighted[Frame] = Weighted((BUYING, 70), (READING, 30))

ONE: Weighted[Determiner] = Weighted((THE, 76), (THIS, 6), (THAT, 8), (MY, 5), (YOUR, 2), (OUR, 3))
TENSES: Weighted[Tense] = Weighted((Tense.PAST, 60), (Tense.PRESENT, 14), (Tense.COULD, 14), (Tense.WANTED, 12))
DEGREES = (("too", "demasiado"), ("too", "demasiado"), ("too", "demasiado"), ("very", "muy"))


def animal_reason(dice: Dice) -> Draft:
    """A sentence where "it" is an animal or a thing, told apart by the adjective."""
    return tell(_drawn(dice, dice.weigh(FRAMES)))


def person_reason(dice: Dice) -> Draft:
    """A sentence where "it" is the thing and "he" or "she" the person."""
    return tell(_drawn(dice, dice.weigh(PEOPLES)))


def reason_apart(dice: Dice) -> tuple[Draft, Draft]:
    """Two sentences, where "it" of the second means a noun of the first."""
    return tell_apart(_drawn(dice, dice.weigh(PEOPLES if dice.chance(0.25) else FRAMES)))


def tell(told: Told) -> Draft:
    """The sentence of a subject, an object and a reason that is said of one of them."""
    main, reason = _clauses(told)
    join = (", but", ", pero") if told.tense is Tense.WANTED else (" because", " porque")
    start = english_statement(main)
    english = f"{start}{join[0]} {english_statement(reason)}"
    spanish = f"{spanish_statement(main)}{join[1]} {spanish_statement(reason)}"
    antecedent, rival = _heads(told, start)
    reference = Reference(len(start.split()) + 1, antecedent, rival, len(spanish.split()) - 1)
    return Draft(english, spanish, _met(main, reason), reference=reference)


def tell_apart(told: Told) -> tuple[Draft, Draft]:
    """The same in two sentences: what happened, and the reason; of the reference two places are of the first one."""
    main, reason = _clauses(told)
    start, spanish = english_statement(main), spanish_statement(reason)
    reference = Reference(0, *_heads(told, start), len(spanish.split()) - 1)
    first = Draft(start, spanish_statement(main), main.combinations)
    return first, Draft(english_statement(reason), spanish, _met(main, reason), reference=reference)


def _clauses(told: Told) -> tuple[Clause, Clause]:
    """What happened, and the reason for it."""
    tense = told.tense
    meant = told.subject if told.of_subject else told.thing
    main = acting(told.subject, told.verb, tense, told.thing, negative=tense is not Tense.WANTED)
    past = tense in (Tense.PAST, Tense.COULD, Tense.WANTED)
    return main, being(again_as(meant), told.adjective, Tense.PAST if past else Tense.PRESENT, told.degree)


def _heads(told: Told, start: str) -> tuple[int, int]:
    """The place of the noun that is meant, and that of the other one, in what happened."""
    heads = len(told.subject.english.split()) - 1, len(start.split()) - 1
    return heads if told.of_subject else heads[::-1]


def lecture() -> tuple[Draft, Draft]:
    """The two sentences of the lecture."""
    animal, street = noun_phrase(NOUN["animal"], THE), noun_phrase(NOUN["street"], THE)
    tired = Told(VERB["cross"], Tense.PAST, animal, street, ADJECTIVE["tired"], True, DEGREES[0])
    return tell(tired), tell(replace(tired, adjective=ADJECTIVE["wide"], of_subject=False))


def _met(main: Clause, reason: Clause) -> tuple[Combination, ...]:
    pair: tuple[Combination, ...] = ()
    if main.subject.noun is not None:
        thing = next(met.second for met in main.combinations if met.kind == "object")
        pair = (Combination("reference", main.subject.noun.english, thing),)
    return (*main.combinations, *reason.combinations, *pair)


def _drawn(dice: Dice, frame: Frame) -> Told:
    """What is told by a frame."""
    of_subject = dice.chance(0.5)
    subject, thing = dice.choose(frame.subjects), dice.choose(frame.objects)
    reasons = _reasons(frame, subject, thing, of_subject)
    while not reasons:  # every frame has a reason for each of its subjects, not for each object
        thing = dice.choose(frame.objects)
        reasons = _reasons(frame, subject, thing, of_subject)
    tense = dice.weigh(TENSES)
    if frame.verb is FIT and tense not in (Tense.PAST, Tense.PRESENT):
        tense = Tense.PAST
    adjective = ADJECTIVE[dice.choose(reasons)]
    nouns = _phrase(dice, subject, adjective), _phrase(dice, thing, adjective)
    return Told(frame.verb, tense, *nouns, adjective, of_subject, dice.choose(DEGREES))


def _reasons(frame: Frame, subject: Noun, thing: Noun, of_subject: bool) -> list[str]:
    said, noun = (frame.of_subject, subject) if of_subject else (frame.of_object, thing)
    return [
        word
        for word, tags in said.items()
        if (tags == "*" or not noun.tags.isdisjoint(tags.split()))
        and (word, thing.english) not in frame.unclear
        and not (word == "dangerous" and subject.is_a("wild"))
    ]


def _phrase(dice: Dice, noun: Noun, reason: Adjective) -> Phrase:
    plural = dice.chance(0.2) and may_be_many(noun)
    determiner = dice.weigh(ONE)
    if determiner in (MY, YOUR, OUR) and not noun.is_a("pet") and not noun.is_a("thing") and not noun.is_a("kin"):
        determiner = THE
    if noun.is_a("kin") and determiner not in (MY, YOUR, OUR):
        determiner = MY
    adjective = attribute(dice, noun, determiner, 0.1)
    return noun_phrase(noun, determiner, plural, None if clash(adjective, reason) else adjective)
