"""Words: what the grammar knows of a noun, an adjective and a verb in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Tense(Enum):
    """A verb group: the tenses and the verbs that lean on an infinitive or a gerund."""

    PRESENT = "eats → come"
    PAST = "ate → comió; a state: had → tenía"
    HABIT = "used to eat → comía"
    FUTURE = "will eat → comerá"
    PROGRESSIVE = "is eating → está comiendo"
    PAST_PROGRESSIVE = "was eating → estaba comiendo"
    GOING = "is going to eat → va a comer"
    WANT = "wants to eat → quiere comer"
    WANTED = "wanted to eat → quería comer"
    CAN = "can eat → puede comer"
    COULD = "could eat → pudo comer"
    MUST = "has to eat → tiene que comer"


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun; `stressed` is a feminine that begins with a stressed a and takes el: el agua fría."""

    english: str
    english_plural: str
    spanish: str
    spanish_plural: str
    feminine: bool
    stressed: bool
    tags: frozenset[str]

    def is_a(self, tag: str) -> bool:
        """Whether the noun carries this tag."""
        return tag in self.tags


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective: its four Spanish forms, ser or estar, and whether it stands before the noun."""

    english: str
    forms: tuple[str, str, str, str]  # masculine, feminine, then their plurals
    shortened: str  # before a masculine singular: buen libro
    state: bool  # estar
    before: bool
    roles: frozenset[str]  # attribute, predicate
    tags: frozenset[str]

    def agree(self, feminine: bool, plural: bool) -> str:
        """The form for this gender and number."""
        return self.forms[feminine + 2 * plural]

    def fits(self, noun: Noun) -> bool:
        """Whether the adjective makes sense with the noun."""
        return not self.tags.isdisjoint(noun.tags)


@dataclass(frozen=True, slots=True, eq=False)
class Conjugation:
    """A Spanish verb: five persons (I, you, he, we, they) of four tenses, infinitive and gerund."""

    infinitive: str
    gerund: str
    present: tuple[str, ...]
    preterite: tuple[str, ...]
    imperfect: tuple[str, ...]
    future: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb in both languages, the tags of its objects, and its traits."""

    english: str
    third: str
    past: str
    progressive: str
    particle: str  # look *for*, arrive *at*
    spanish: Conjugation
    preposition: str  # entrar *en*
    objects: frozenset[str]
    traits: frozenset[str]

    def has(self, trait: str) -> bool:
        """Whether the verb carries this trait."""
        return trait in self.traits


@dataclass(frozen=True, slots=True)
class Combination:
    """Two words that met in a sentence: what the split holds out."""

    kind: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.first} + {self.second}"
