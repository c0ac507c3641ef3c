"""The shortlist of an export: the subwords that training targets say, and a few that stand for those they never do.

Both languages share one vocabulary, and many of its subwords stand in sources only. They are computed at every step and
never chosen. But they have a share of the probability, which the others would gain if they were just left out, and not
all alike, so that a beam search would rank otherwise: of 400 translations 20 changed. So every n-th of them stays, its
score raised by log n. Then Σ exp(score) is nearly what it was, since training holds all that is never said equally low.

CTranslate2 reads the list from `vmap.txt`. It is the same for every source, so a translation still does not depend on
its company; what a translation is made to begin with is added to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.store import Store
from mirada.text.subwords import SPECIAL, Subwords

STANDING = 512  # subwords, at the most, that stand for those that are never said


@dataclass(frozen=True, eq=False)
class Shortlist:
    """The ids that can be said, rising, and what is added to the score of each."""

    ids: NDArray[np.int64]
    raised: NDArray[np.float32]


def learn(store: Store, subwords: Subwords, standing: int = STANDING) -> Shortlist:
    """The shortlist of a model that was trained on the pairs of a store."""
    said = store.said("target")
    said[: len(SPECIAL) + subwords.slots] = True  # marks of slots are numbered anew for each text
    never = np.flatnonzero(~said)
    chosen = never[:: max(1, -(-len(never) // standing))]
    ids = np.sort(np.concatenate([np.flatnonzero(said), chosen]))
    raised = np.where(np.isin(ids, chosen), np.log(max(1, len(never)) / max(1, len(chosen))), 0.0)
    return Shortlist(ids, raised.astype(np.float32))


def write(shortlist: Shortlist, subwords: Subwords, path: Path) -> None:
    """Write a shortlist as CTranslate2 reads it: candidates behind the source that they are for, here behind none."""
    pieces = subwords.pieces
    path.write_text(f"\t{' '.join(pieces[one] for one in shortlist.ids.tolist())}\n", encoding="utf-8", newline="\n")
