"""Documents of the embedded grammar as files, to train with context on and to count endings in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mirada.corpora.demo import DemoDocument, DocumentCorpus
from mirada.models.folder import write_file
from mirada.training.preparing import Files

SOURCE, TARGET = "en", "es"
TRAIN, DEV, TEST = 8_000, 200, 400
SEED = 1


def write_documents(folder: Path, made: DocumentCorpus) -> Files:
    """Two plain files for each part, a sentence on each line and an empty line behind each document."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"train": made.train, "dev": made.dev, "test": made.test}
    for name, documents in parts.items():
        for language, lines in ((SOURCE, _sources(documents)), (TARGET, _targets(documents))):
            write_file(folder / f"{name}.{language}", "".join(f"{line}\n" for line in lines).encode())
    train, dev, test = ((folder / f"{name}.{SOURCE}", folder / f"{name}.{TARGET}") for name in parts)
    return Files(train, dev, test, SOURCE, TARGET)


def right_endings(translations: Sequence[str], documents: Sequence[DemoDocument]) -> int:
    """How many second sentences have the word, with its ending, that gives away what "it" means.

    `translations` are those of the lines of a file that `write_documents` wrote.
    """
    return sum(document.ending in translations[document.second.place.number - 1].split() for document in documents)


def _sources(documents: Sequence[DemoDocument]) -> list[str]:
    return [text for one in documents for text in (one.first.source, one.second.source, "")]


def _targets(documents: Sequence[DemoDocument]) -> list[str]:
    return [text for one in documents for text in (one.first.target, one.second.target, "")]
