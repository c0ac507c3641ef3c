"""Models that translate together: loaded from their folders, and told apart where they do not fit each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from mirada.models.folder import Loaded, load
from mirada.text.subwords import Subwords

MOST = 16  # models; each takes its memory, and its time at every step


class EnsembleError(ValueError):
    """Models that cannot translate together: every reason, and what to do."""


def load_together(folders: Sequence[Path]) -> list[Loaded]:
    """The models of folders that share their languages and their subwords."""
    if len(folders) > MOST:
        raise EnsembleError(f"{len(folders)} models are to translate together; use at most {MOST}")
    members = [load(folder) for folder in folders]
    require_alike({f"{folder}": member for folder, member in zip(folders, members, strict=True)})
    return members


def require_alike(members: dict[str, Loaded]) -> None:
    """Raise unless all models read and write the same languages in the same subwords, with every reason at once."""
    names = list(members)
    reasons = [
        f"{name} {reason}" for name in names[1:] for reason in _differences(members[name], members[names[0]], names[0])
    ]
    if reasons:
        raise EnsembleError(
            f"these models cannot translate together: {'; '.join(reasons)}. Train them on the same data with the same "
            "training.seed and different shapes, or begin one from another with `mirada train --start`"
        )


def _differences(one: Loaded, first: Loaded, name: str) -> Iterator[str]:
    """What keeps a model from speaking with the first one's voice."""
    for verb, ours, theirs in (
        ("reads", one.config.source, first.config.source),
        ("writes", one.config.target, first.config.target),
    ):
        if ours != theirs:
            yield f"{verb} {ours}, and {name} {verb} {theirs}"
    if one.config.context != first.config.context:
        yield f"reads {one.config.context} sentences before each, and {name} reads {first.config.context}"
    if difference := _subword_difference(one.subwords, first.subwords):
        yield f"has other subwords than {name}: {difference}"


def _subword_difference(one: Subwords, other: Subwords) -> str | None:
    """The first thing by which two vocabularies differ; None where they are the same."""
    if one.size != other.size:
        return f"{one.size:,} and not {other.size:,}"
    different = [number for number, pair in enumerate(zip(one.pieces, other.pieces, strict=True)) if len(set(pair)) > 1]
    if different:
        first = different[0]
        return f"number {first} is {one.pieces[first]!r} and not {other.pieces[first]!r}, and {len(different)} differ"
    return None if np.array_equal(one.scores, other.scores) else "the same pieces, but learnt from other data"
