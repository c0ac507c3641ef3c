"""Verbs: the table, with the objects each takes and how it may be used."""

from __future__ import annotations

from mirada.corpora.demo.conjugation import conjugate
from mirada.corpora.demo.dice import Weighted
from mirada.corpora.demo.english import add_ed, add_ing, add_s
from mirada.corpora.demo.words import Tense, Verb

# English[+particle][/past[/-ing form]]  Spanish[+preposition]  tags of the objects or -  traits or -
# activity: has a progressive, and goes with want, can and must;  future, habit: has those tenses;
# state: its past is the imperfect;  event: over at once, so that it has no present;  gives, stays, moves: its kind;
# beast: animals do it, too;  wild: only they do;  clitic: "it" and "them" may be its object.
TABLE = """
eat/ate comer food activity,beast,future
drink/drank beber drink activity,beast
read/read leer readable activity,clitic
write/wrote escribir written activity,clitic
buy/bought comprar goods activity,clitic,future
open abrir opens clitic
see/saw ver creature,person,thing,sight clitic,beast
find/found encontrar losable,pet event,clitic
look+for buscar losable,pet activity,clitic
lose/lost perder losable event,clitic
break/broke romper breaks event,clitic
clean limpiar cleanable activity,clitic
cook cocinar cookable activity,clitic
help ayudar person activity
visit visitar person,sight activity,future
know/knew conocer person state
have/had tener goods,pet,losable state
cross cruzar crossing beast,wild

give/gave dar gift gives,activity,clitic
send/sent enviar sent gives,clitic
bring/brought traer gift gives,clitic

sleep/slept dormir - stays,activity,beast
work trabajar - stays,activity
live vivir - stays,habit,home
play jugar - stays,activity
arrive llegar - moves,event
go/went ir - moves
come/came venir - moves
leave/left salir - moves,event
"""


def _verb(row: str) -> Verb:
    english, spanish, objects, traits = row.split()
    base, _, forms = english.partition("/")
    word, _, particle = base.partition("+")
    past, _, progressive = forms.partition("/")
    infinitive, _, preposition = spanish.partition("+")
    return Verb(
        english=word,
        third="has" if word == "have" else add_s(word),
        past=past or add_ed(word),
        progressive=progressive or add_ing(word),
        particle=particle,
        spanish=conjugate(infinitive),
        preposition=preposition,
        objects=frozenset() if objects == "-" else frozenset(objects.split(",")),
        traits=frozenset(traits.split(",")),
    )


VERBS = tuple(_verb(row) for row in TABLE.splitlines() if row)
BY_WORD = {verb.english: verb for verb in VERBS}
CLIMB = _verb("climb subir+a climbable beast")
ENTER = _verb("enter entrar+en enterable beast")
FIT = _verb("fit+in/fit/fitting caber+en container state")
BE = Verb("be", "is", "was", "being", "", conjugate("ser"), "", frozenset(), frozenset({"state"}))
STAY = Verb("be", "is", "was", "being", "", conjugate("estar"), "", frozenset(), frozenset({"state"}))
HAVE = BY_WORD["have"]
# "is hungry": English be, Spanish tener.
SUFFER = Verb("be", "is", "was", "being", "", conjugate("tener"), "", frozenset(), frozenset({"state"}))

TRANSITIVE = tuple(verb for verb in VERBS if verb.objects and not verb.has("gives"))
GIVING = tuple(verb for verb in VERBS if verb.has("gives"))
STAYING = tuple(verb for verb in VERBS if verb.has("stays"))
MOVING = tuple(verb for verb in VERBS if verb.has("moves"))

# How often each tense is used, and the trait that allows it ("" allows it always).
USE = (
    (Tense.PRESENT, 36.0, ""),
    (Tense.PAST, 34.0, ""),
    (Tense.FUTURE, 10.0, "future"),
    (Tense.HABIT, 6.0, "habit"),
    (Tense.PROGRESSIVE, 8.0, "activity"),
    (Tense.PAST_PROGRESSIVE, 4.0, "activity"),
    (Tense.GOING, 5.0, "activity"),
    (Tense.WANT, 5.0, "activity"),
    (Tense.CAN, 4.0, "activity"),
    (Tense.MUST, 4.0, "activity"),
)


def _allowed(verb: Verb, tense: Tense, trait: str) -> bool:
    if verb.has("event") and tense is Tense.PRESENT:
        return False
    return not trait or verb.has(trait)


TENSES = {
    verb: Weighted(*((tense, weight) for tense, weight, trait in USE if _allowed(verb, tense, trait)))
    for verb in (*VERBS, CLIMB, ENTER, BE, STAY)
}
