"""Prepared data that is opened again where nothing has changed, and made anew elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from mirada.corpora.pair import CorpusError


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
    facts: Path,
    made_from: str,
    opened: Callable[[], Ready],
    make: Callable[[], None],
    say: Callable[[str], None],
) -> Ready:
    """The data of a run, opened where it was made before from the same files and settings, else made now.

    `facts` is the file that is written last: where it is, the data is whole.
    """
    found = _reuse(facts, made_from, opened, say)
    if found is None:
        make()
        found = opened()
    return found


def _reuse(facts: Path, made_from: str, opened: Callable[[], Ready], say: Callable[[str], None]) -> Ready | None:
    if not facts.exists():
        return None
    try:
        found = opened()
    except (CorpusError, OSError, ValueError) as error:
        say(f"The prepared data is made again: {error}")
        return None
    if found.facts.made_from != made_from:
        return None
    say(f"The data was prepared before: {found.facts.told()}")
    return found
