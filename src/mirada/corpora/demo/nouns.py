"""Nouns: the table of the grammar's people, animals, things and places."""

from __future__ import annotations

from mirada.corpora.demo.english import add_s
from mirada.corpora.demo.spanish import pluralise
from mirada.corpora.demo.words import Noun

# English[/plural]  Spanish[/plural]  gender (m, f, or a: feminine with a stressed a, el agua)  tags.
# "place" nouns say with in, on or at how English stands there; "mass" nouns have no plural.
TABLE = """
man/men hombre m person adult
woman/women mujer f person adult
boy chico m person young
girl chica f person young
child/children niño m person young
teacher profesor m person adult
doctor médico m person adult
student estudiante m person adult
friend amigo m person kin close
neighbor vecino m person kin close
actress actriz f person adult
nurse enfermera f person adult
brother hermano m person kin
sister hermana f person kin
mother madre f person kin old
father padre m person kin old
son hijo m person kin
daughter hija f person kin

animal animal m creature walker hungry
dog perro m creature pet walker hungry
cat gato m creature pet walker hungry climber
horse caballo m creature pet walker farm hungry
cow vaca f creature walker farm hungry
goat cabra f creature walker farm hungry climber
hen gallina f creature walker farm
turtle tortuga f creature pet walker
frog rana f creature walker
rabbit conejo m creature pet walker
donkey burro m creature walker farm hungry
mouse/mice ratón m creature walker hungry
fox zorro m creature walker hungry
wolf/wolves lobo m creature walker hungry wild
bear oso m creature hungry climber wild
monkey mono m creature climber hungry
eagle águila a creature wild

apple manzana f food goods fruit countable
orange naranja f food goods fruit countable
potato/potatoes patata f food goods countable cookable
cake pastel m food goods countable dry
soup sopa f food mass cookable hot-dish
bread pan m food goods mass dry
cheese queso m food goods mass dry
meat carne f food goods mass cookable dry hot-dish
fish pescado m food goods mass cookable dry hot-dish

water agua a drink mass pure
milk leche f drink mass goods pure
coffee café m drink mass warm
tea té m drink mass warm

book libro m thing readable written goods losable gift small
letter carta f thing readable written losable gift opens sent
poem poema m readable written sent
key llave f thing losable gift small
photo foto f thing losable gift sent small
umbrella paraguas/paraguas m thing losable goods colored opens small
hat sombrero m thing losable goods colored gift small
shirt camisa f thing goods colored gift small cleanable
box caja f thing goods colored opens container gift
suitcase maleta f thing losable goods colored opens container
table mesa f thing goods cleanable furniture
bed cama f thing goods furniture
chair silla f thing goods breaks cleanable furniture colored
lamp lámpara f thing goods breaks gift
clock reloj m thing goods breaks losable gift small
guitar guitarra f thing goods breaks losable gift
piano piano m thing goods furniture
knife/knives cuchillo m thing losable small cleanable
ball pelota f thing losable gift small colored
flower flor f thing goods gift colored small
bicycle bicicleta f thing vehicle goods colored cleanable furniture
car coche m thing vehicle goods colored cleanable
truck camión m thing vehicle motor
van furgoneta f thing vehicle motor
drawer cajón m thing opens container
wardrobe armario m thing opens container furniture
door puerta f thing opens colored
window ventana f thing opens breaks cleanable

house casa f place in building goods cleanable enterable
school escuela f place at building
church iglesia f place in building enterable
hospital hospital m place in building
office oficina f place in building cleanable
museum museo m place in building sight
station estación f place at building
room habitación f place in cleanable chamber
kitchen cocina f place in cleanable enterable chamber
classroom aula a place in cleanable
market mercado m place at loud
park parque m place in loud
garden jardín m place in enterable
city ciudad f place in sight loud
beach playa f place on sight
street calle f place in crossing paved loud
road carretera f crossing paved
square plaza f place in crossing paved loud
river río m crossing
bridge puente m crossing paved
field campo m place in crossing
forest bosque m place in enterable
cave cueva f place in enterable
mountain montaña f climbable slope sight
hill colina f climbable slope
tree árbol m climbable
wall muro m climbable
"""

NAMES = {"Ana": True, "Carmen": True, "Isabel": True, "Olga": True, "Pedro": False, "Luis": False, "Diego": False}


def _noun(row: str) -> Noun:
    english, spanish, gender, *tags = row.split()
    singular, _, plural = english.partition("/")
    spanish_singular, _, spanish_plural = spanish.partition("/")
    return Noun(
        english=singular,
        english_plural=plural or add_s(singular),
        spanish=spanish_singular,
        spanish_plural=spanish_plural or pluralise(spanish_singular),
        feminine=gender in "fa",
        stressed=gender == "a",
        tags=frozenset([*tags, singular]),  # a noun's own name is a tag, too: "deep" goes with "river"
    )


def _name(name: str, feminine: bool) -> Noun:
    return Noun(name, name, name, name, feminine, False, frozenset({"person", "name"}))


NOUNS = tuple(_noun(row) for row in TABLE.splitlines() if row)
NAMED = tuple(_name(name, feminine) for name, feminine in NAMES.items())
BY_WORD = {noun.english: noun for noun in (*NOUNS, *NAMED)}


def nouns_of(*tags: str) -> tuple[Noun, ...]:
    """The nouns that carry at least one of the tags, in the order of the table."""
    unknown = set(tags).difference(*(noun.tags for noun in NOUNS))
    if unknown:
        raise ValueError(f"no noun of the demo carries the tag {min(unknown)!r}; use a tag of the table in nouns.py")
    wanted = frozenset(tags)
    return tuple(noun for noun in NOUNS if not wanted.isdisjoint(noun.tags))
