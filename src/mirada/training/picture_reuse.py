"""Prepared pictures that are opened again where nothing has changed, and made anew elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from mirada.corpora.pair import CorpusError
from mirada.training.preparing import DATA, FACTS, Say


@runtime_checkable
class MadeFrom(Protocol):
    """Facts that say what they were made from."""

    @property
    def made_from(self) -> str:
        """A digest of the files and settings."""

    def told(self) -> str:
        """What there is, in a sentence."""


@runtime_checkable
class PreparedPart(Protocol):
    """Data that is ready to train on."""

    @property
    def facts(self) -> MadeFrom:
        """What the preparation found and made."""


Ready = TypeVar("Ready", bound=PreparedPart)


def reuse_or_make(
    folder: Path, made_from: str, opened: Callable[[Path], Ready], make: Callable[[], None], say: Say
) -> Ready:
    """The data of a run, from its folder where it was made from the same files and settings, else made now."""
    found = _reuse(folder, made_from, opened, say)
    if found is None:
        make()
        found = opened(folder)
    return found


def _reuse(folder: Path, made_from: str, opened: Callable[[Path], Ready], say: Say) -> Ready | None:
    if not (folder / DATA / FACTS).exists():
        return None
    try:
        found = opened(folder)
    except (CorpusError, OSError, ValueError) as error:
        say(f"The prepared pictures are made again: {error}")
        return None
    if found.facts.made_from != made_from:
        return None
    say(f"The pictures were prepared before: {found.facts.told()}")
    return found
