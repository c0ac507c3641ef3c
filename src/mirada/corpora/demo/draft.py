"""Drafts: a sentence in both languages before its capital letter and its marks."""

from __future__ import annotations

from dataclasses import dataclass

from mirada.corpora.demo.clause import Clause, english_question, english_statement, spanish_statement
from mirada.corpora.demo.words import Combination


@dataclass(frozen=True, slots=True)
class Reference:
    """What "it" stands for: places of words, counted from 0, in the texts split at spaces.

    `antecedent` is the source word that the pronoun means, `rival` the other noun that it might mean,
    `reveals` the target word whose ending gives the choice away.
    """

    pronoun: int
    antecedent: int
    rival: int
    reveals: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence and its translation, and the combinations of words in them."""

    english: str
    spanish: str
    combinations: tuple[Combination, ...]
    question: bool = False
    reference: Reference | None = None


def stated(clause: Clause) -> Draft:
    """The clause as a statement."""
    return Draft(english_statement(clause), spanish_statement(clause), clause.combinations)


def asked(clause: Clause, spanish: str, opening: str = "") -> Draft:
    """The clause as an English question beside a Spanish one."""
    english = f"{opening} {english_question(clause)}".lstrip()
    return Draft(english, spanish, clause.combinations, question=True)


def punctuated(draft: Draft) -> tuple[str, str]:
    """Both texts with a capital letter and their marks: ¿…? around a Spanish question."""
    english, spanish = _capital(draft.english), _capital(draft.spanish)
    return (f"{english}?", f"¿{spanish}?") if draft.question else (f"{english}.", f"{spanish}.")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
