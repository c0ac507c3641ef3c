"""Adjectives: the table, with ser or estar, the place beside the noun, and what each may describe."""

from __future__ import annotations

from mirada.corpora.demo.nouns import NAMED, NOUNS
from mirada.corpora.demo.spanish import feminise, pluralise
from mirada.corpora.demo.words import Adjective

# English  Spanish[/plural]  ser|estar  after|before  both|attribute|predicate  tags of nouns
TABLE = """
big grande ser after both creature furniture container building chamber market park garden city beach square tree car
small pequeño ser after both walker small container building chamber park garden square tree
old viejo ser after both pet man woman vehicle building furniture hat shirt guitar clock bridge box tree
young joven/jóvenes ser after both adult
new nuevo ser after both vehicle furniture hat shirt guitar clock lamp umbrella suitcase building bridge key
tall alto ser after both adult young name tree
high alto ser after both wall mountain
black negro ser after both pet walker colored
white blanco ser after both pet farm colored
red rojo ser after both colored
green verde ser after attribute colored
blue azul ser after attribute colored
expensive caro ser after both goods
heavy pesado ser after both furniture suitcase box
long largo ser after both letter poem book street road river bridge
wide ancho ser after both street road river bridge door window bed
narrow estrecho ser after both street road bridge door bed
deep profundo ser after both river cave
dangerous peligroso ser after both wild street road river bridge mountain
interesting interesante ser after both readable museum city
intelligent inteligente ser after both adult young kin name dog horse monkey
kind amable ser after both adult kin name
lazy perezoso ser after both young cat dog donkey student
slow lento ser after both turtle donkey truck van
fat gordo ser after both pet farm bear monkey
steep empinado ser after both slope
noisy ruidoso ser after both loud motor child

tired cansado estar after predicate person walker
sick enfermo estar after predicate person creature
happy contento estar after predicate person pet
busy ocupado estar after predicate adult kin name
nervous nervioso estar after predicate person creature
scared asustado estar after predicate young walker
dirty sucio estar after both cleanable colored pure street
clean limpio estar after predicate cleanable colored pure street
open abierto estar after predicate opens museum church
closed cerrado estar after predicate opens museum church
broken roto estar after both breaks umbrella bicycle piano
full lleno estar after predicate container market museum
empty vacío estar after both container classroom church street
cold frío estar after both hot-dish drink
hot caliente estar after both hot-dish warm bread
dark oscuro estar after both chamber house street forest cave
wet mojado estar after predicate paved hat shirt field
salty salado estar after predicate hot-dish cheese
dry seco estar after predicate dry
hard duro estar after predicate dry
sour ácido estar after predicate fruit

good bueno ser before both book poem teacher doctor friend student
first primero ser before attribute letter street poem book house
other otro ser before attribute thing creature boy girl child teacher house street school
"""

# A noun is not given two words of one group: no "hot soup" that "is cold", no "red door" that "is black".
GROUPS = tuple(
    frozenset(group.split())
    for group in (
        "big small",
        "old young new",
        "black white red green blue",
        "wide narrow",
        "clean dirty",
        "open closed",
        "full empty",
        "hot cold",
        "happy nervous scared sick",
        "dry wet hard",
    )
)
UNGRADED = frozenset(
    "new black white red green blue open closed broken empty good first other".split()  # noqa: SIM905
)
SHORTENED = {"bueno": "buen", "primero": "primer"}


def clash(first: Adjective | None, second: Adjective) -> bool:
    """Whether the two cannot be said of one thing in one breath."""
    if first is None:
        return False
    return first is second or any({first.english, second.english} <= group for group in GROUPS)


def _adjective(row: str) -> Adjective:
    english, spanish, copula, place, role, *tags = row.split()
    masculine, _, plural = spanish.partition("/")
    feminine = feminise(masculine)
    return Adjective(
        english=english,
        forms=(masculine, feminine, plural or pluralise(masculine), plural or pluralise(feminine)),
        shortened=SHORTENED.get(masculine, masculine),
        state=copula == "estar",
        before=place == "before",
        roles=frozenset({"attribute", "predicate"} if role == "both" else {role}),
        tags=frozenset(tags),
    )


ADJECTIVES = tuple(_adjective(row) for row in TABLE.splitlines() if row)
BY_WORD = {adjective.english: adjective for adjective in ADJECTIVES}


def _by_noun(role: str) -> dict[str, tuple[Adjective, ...]]:
    fitting = [adjective for adjective in ADJECTIVES if role in adjective.roles]
    return {
        noun.english: tuple(adjective for adjective in fitting if adjective.fits(noun)) for noun in (*NOUNS, *NAMED)
    }


ATTRIBUTES = _by_noun("attribute")
PREDICATES = _by_noun("predicate")
