"""Spanish spelling: plurals, feminines, contractions, and y or e, o or u."""

from __future__ import annotations

import re

VOWELS = frozenset("aeiouáéíóú")
PLAIN = str.maketrans("áéíóú", "aeiou")
STRESSED_END = re.compile(r"[áéíóú][ns]$")  # jardín, autobús: the plural loses the accent


def pluralise(word: str) -> str:
    """The plural of a noun or adjective: gato → gatos, luz → luces, jardín → jardines."""
    if word[-1] in VOWELS:
        return word + "s"
    if word.endswith("z"):
        return word[:-1] + "ces"
    if STRESSED_END.search(word):
        return word[:-2] + word[-2:].translate(PLAIN) + "es"
    return word + "es"


def feminise(word: str) -> str:
    """The feminine of an adjective: negro → negra, inglés → inglesa, español → española, grande → grande."""
    if word.endswith("o"):
        return word[:-1] + "a"
    if word.endswith("és"):
        return word[:-2] + "esa"
    if word.endswith("ñol"):
        return word + "a"
    return word


def after_preposition(preposition: str, words: str) -> str:
    """The preposition and its phrase, contracted: a + el río → al río, de + el río → del río."""
    if words.startswith("el ") and (preposition == "a" or preposition.rsplit(" ", maxsplit=1)[-1] == "de"):
        return f"{preposition}l {words[3:]}" if preposition == "a" else f"{preposition[:-2]}del {words[3:]}"
    return f"{preposition} {words}"


def joined(first: str, second: str) -> str:
    """Two phrases with "and": y, or e before the sound i, but not before hie-."""
    start = second.lower().translate(PLAIN)
    return f"{first} {'e' if re.match(r'h?i(?!e)', start) else 'y'} {second}"


def either(first: str, second: str) -> str:
    """Two phrases with "or": o, or u before the sound o."""
    start = second.lower().translate(PLAIN)
    return f"{first} {'u' if re.match(r'h?o', start) else 'o'} {second}"
