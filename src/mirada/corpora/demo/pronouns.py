"""Pronouns: subjects that Spanish leaves out, clitics, and the forms after a preposition."""

from __future__ import annotations

from dataclasses import dataclass

from mirada.corpora.demo.phrase import HER, HIS, MY, OUR, PLURAL, SINGULAR, THEIR, YOUR, Determiner, Phrase


@dataclass(frozen=True, slots=True, eq=False)
class Pronoun:
    """A person of the conversation in all its forms."""

    subject: Phrase
    english: str  # as an object: me, him
    direct: str  # me, lo
    indirect: str  # me, le
    reflected: str  # the indirect one before lo and la: le → se
    after: str  # para mí
    along: str  # conmigo
    possessive: Determiner


def _pronoun(row: str, slot: int, possessive: Determiner, feminine: bool = False) -> Pronoun:
    subject, spanish, english, direct, indirect, after, along = row.split("|")
    spoken = Phrase(subject, spanish, slot, feminine, spelled_out=bool(spanish))
    reflected = "se" if indirect in ("le", "les") else indirect
    return Pronoun(spoken, english, direct, indirect, reflected, after, along, possessive)


# "He" and "she" are spoken at the head of a sentence, where nothing else says who it is;
# the others are told by the ending of the verb.
I = _pronoun("I||me|me|me|mí|conmigo", 0, MY)  # noqa: E741  (the English word)
YOU = _pronoun("you||you|te|te|ti|contigo", 1, YOUR)
HE = _pronoun("he|él|him|lo|le|él|con él", SINGULAR, HIS)
SHE = _pronoun("she|ella|her|la|le|ella|con ella", SINGULAR, HER, feminine=True)
WE = _pronoun("we||us|nos|nos|nosotros|con nosotros", 3, OUR)
THEY = _pronoun("they||them|los|les|ellos|con ellos", PLURAL, THEIR)
PRONOUNS = (I, YOU, HE, SHE, WE, THEY)
IT = Phrase("it", "", SINGULAR, feminine=False)


def pronoun_of(phrase: Phrase) -> Pronoun:
    """The pronoun that stands for a phrase of people."""
    for pronoun in (I, YOU, WE, THEY):
        if phrase.slot == pronoun.subject.slot:
            return pronoun
    return SHE if phrase.feminine else HE


def direct_clitic(phrase: Phrase) -> str:
    """Lo, la, los or las for a thing that was named before."""
    return ("los", "las")[phrase.feminine] if phrase.plural else ("lo", "la")[phrase.feminine]


def strangers(subject: Phrase) -> tuple[Pronoun, ...]:
    """The pronouns that may be the object of this subject: no person acts on itself here."""
    same = {0: (0, 3), 3: (0, 3), 1: (1,)}.get(subject.slot, ())
    return tuple(pronoun for pronoun in PRONOUNS if pronoun.subject.slot not in same)
