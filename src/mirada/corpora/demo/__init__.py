"""Demo: an English–Spanish corpus out of a grammar of our own, with agreement, clitics, and an "it" to resolve."""

from mirada.corpora.demo.documents import DemoDocument, DocumentCorpus, documents
from mirada.corpora.demo.draft import Reference
from mirada.corpora.demo.generate import DemoPair, animal_and_street, generate
from mirada.corpora.demo.holdout import DemoCorpus, corpus, set_of, set_of_pair
from mirada.corpora.demo.words import Combination

__all__ = [
    "Combination",
    "DemoCorpus",
    "DemoDocument",
    "DemoPair",
    "DocumentCorpus",
    "Reference",
    "animal_and_street",
    "corpus",
    "documents",
    "generate",
    "set_of",
    "set_of_pair",
]
