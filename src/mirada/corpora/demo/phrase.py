"""Noun phrases: determiner, noun and adjective in both languages, agreeing."""

from __future__ import annotations

from dataclasses import dataclass

from mirada.corpora.demo.english import possessive, with_article
from mirada.corpora.demo.spanish import after_preposition
from mirada.corpora.demo.words import Adjective, Combination, Noun

SINGULAR, PLURAL = 2, 4  # the third persons among the five: I, you, he, we, they


@dataclass(frozen=True, slots=True, eq=False)
class Determiner:
    """A determiner: English singular and plural, and the four Spanish forms."""

    english: str
    english_plural: str
    spanish: tuple[str, str, str, str]  # masculine, feminine, then their plurals
    definite: bool


def _determiner(english: str, spanish: str, definite: bool = True) -> Determiner:
    singular, _, plural = english.partition("/")
    first, second, third, fourth = spanish.split("/")
    return Determiner(singular, plural or singular, (first, second, third, fourth), definite)


def _counting(english: str, masculine: str, feminine: str = "") -> Determiner:
    return _determiner(english, f"//{masculine}/{feminine or masculine}", definite=False)


BARE = _determiner("", "///", definite=False)
THE = _determiner("the", "el/la/los/las")
A = _determiner("a", "un/una//", definite=False)
THIS = _determiner("this/these", "este/esta/estos/estas")
THAT = _determiner("that/those", "ese/esa/esos/esas")
MY = _determiner("my", "mi/mi/mis/mis")
YOUR = _determiner("your", "tu/tu/tus/tus")
HIS = _determiner("his", "su/su/sus/sus")
HER = _determiner("her", "su/su/sus/sus")
OUR = _determiner("our", "nuestro/nuestra/nuestros/nuestras")
THEIR = _determiner("their", "su/su/sus/sus")
ALL = _determiner("all the", "//todos los/todas las")
SOME = _counting("some", "algunos", "algunas")
MANY = _counting("many", "muchos", "muchas")
NUMBER_WORDS = (
    "two dos three tres four cuatro five cinco six seis seven siete eight ocho nine nueve ten diez eleven once"
)
NUMBERS = dict(zip(NUMBER_WORDS.split()[::2], NUMBER_WORDS.split()[1::2], strict=True))
COUNTS = tuple(_counting(english, NUMBERS[english]) for english in ("two", "three", "four", "five", "ten"))


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """A noun phrase or pronoun; an unspoken Spanish subject is an empty string."""

    english: str
    spanish: str
    slot: int  # I, you, he, we, they: 0 to 4
    feminine: bool
    noun: Noun | None = None
    definite: bool = True
    combinations: tuple[Combination, ...] = ()
    adjective: Adjective | None = None
    spelled_out: bool = False  # he, she: spoken in a main clause, dropped where the subject is known

    @property
    def plural(self) -> bool:
        """Whether the phrase means more than one."""
        return self.slot > SINGULAR

    @property
    def human(self) -> bool:
        """Whether the phrase means people."""
        return self.noun is None or self.noun.is_a("person")


def noun_phrase(
    noun: Noun, determiner: Determiner, plural: bool = False, adjective: Adjective | None = None, very: bool = False
) -> Phrase:
    """A determiner, a noun and perhaps an adjective: the very old house → la casa muy vieja."""
    core = noun.english_plural if plural else noun.english
    english = _english(core, determiner, plural, adjective, very)
    article = _article(noun, determiner, plural, adjective)
    spanish = f"{article} {_spanish(noun, plural, adjective, very)}".lstrip()
    met = () if adjective is None else (Combination("adjective", noun.english, adjective.english),)
    slot = PLURAL if plural else SINGULAR
    return Phrase(english, spanish, slot, noun.feminine, noun, determiner.definite, met, adjective)


def owned(noun: Noun, owner: Phrase, plural: bool = False, adjective: Adjective | None = None) -> Phrase:
    """A thing and its owner: the girl's black cat → el gato negro de la chica."""
    thing = noun_phrase(noun, THE, plural, adjective)
    english = f"{possessive(owner.english, owner.plural)} {thing.english.removeprefix('the ')}"
    spanish = f"{thing.spanish} {after_preposition('de', owner.spanish)}"
    met = thing.combinations + owner.combinations
    return Phrase(english, spanish, thing.slot, thing.feminine, noun, True, met, adjective)


@dataclass(frozen=True, slots=True, eq=False)
class Adjunct:
    """Words at the end of a clause that say where, when, with whom or for whom."""

    english: str
    spanish: str
    combinations: tuple[Combination, ...] = ()


def adjunct(english: str, spanish: str, phrase: Phrase) -> Adjunct:
    """A preposition and its phrase: near the river → cerca del río."""
    return Adjunct(f"{english} {phrase.english}", after_preposition(spanish, phrase.spanish), phrase.combinations)


def named(name: Noun) -> Phrase:
    """A person's name."""
    return Phrase(name.english, name.spanish, SINGULAR, name.feminine, name)


def _english(core: str, determiner: Determiner, plural: bool, adjective: Adjective | None, very: bool) -> str:
    if adjective is not None:
        core = f"{'very ' if very else ''}{adjective.english} {core}"
    if determiner is A:
        return with_article(core)
    return f"{determiner.english_plural if plural else determiner.english} {core}".lstrip()


def _article(noun: Noun, determiner: Determiner, plural: bool, adjective: Adjective | None) -> str:
    alone = adjective is None or not adjective.before
    feminine = noun.feminine
    if noun.stressed and not plural and alone and determiner in (THE, A):
        feminine = False  # el agua, un águila; but la otra águila, esta agua
    return determiner.spanish[feminine + 2 * plural]


def _spanish(noun: Noun, plural: bool, adjective: Adjective | None, very: bool) -> str:
    core = noun.spanish_plural if plural else noun.spanish
    if adjective is None:
        return core
    form = adjective.agree(noun.feminine, plural)
    if not adjective.before:
        return f"{core} {'muy ' if very else ''}{form}"
    return f"{form if plural or noun.feminine else adjective.shortened} {core}"
