"""Demo: an English–Spanish corpus out of a grammar of our own, with agreement, clitics, and an "it" to resolve."""

from mirada.corpora.demo.draft import Reference
from mirada.corpora.demo.generate import DemoPair, animal_and_street, generate
from mirada.corpora.demo.holdout import DemoCorpus, corpus, set_of, set_of_pair
from mirada.corpora.demo.words import Combination

__all__ = [
    "Combination",
    "DemoCorpus",
    "DemoPair",
    "Reference",
    "animal_and_street",
    "corpus",
    "generate",
    "set_of",
    "set_of_pair",
]
