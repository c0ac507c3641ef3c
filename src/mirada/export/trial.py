"""The trial of a shortlist: it stays with an export only where nearly every translation is the same with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mirada.corpora.store import DamagedStoreError, Store
from mirada.export import shortlist
from mirada.export.agreement import Agreement, Sentences, compare
from mirada.export.choice import open_export
from mirada.export.folder import Quantization
from mirada.export.shortlist import Shortlist
from mirada.models.folder import WEIGHTS, Loaded

SENTENCES = 1_000  # 100 could not tell one percent
AT_ONCE = 250
MOST_CHANGED = 0.01  # share of the translations
PAIRS = Path("data") / "train"  # where a model's folder keeps the pairs that it was trained on


@dataclass(frozen=True)
class Trial:
    """Whether a shortlist stays, how many translations are the same with it, and if it was not tried, why not."""

    kept: bool
    outputs: int = 0  # subwords on it
    agreement: Agreement | None = None
    why: str = ""

    def __str__(self) -> str:
        if self.agreement is None:
            return f"No shortlist: {self.why}"
        same = f"{self.agreement.same:,} of {self.agreement.sentences:,} sentences are the same with it"
        if self.kept:
            return f"Shortlist: {self.outputs:,} subwords can be said; {same}"
        return f"No shortlist: only {same}, and {1 - MOST_CHANGED:.0%} must be"

    def as_json(self) -> dict[str, object]:
        """For programs."""
        agreement = self.agreement
        counts = {} if agreement is None else {"sentences": agreement.sentences, "same": agreement.same}
        return {"kept": self.kept, "outputs": self.outputs, **counts, "why": self.why}


@dataclass(frozen=True)
class Tried:
    """An export without a shortlist, and the place for the one with it."""

    model: Path
    without: Path
    place: Path
    quantization: Quantization


def try_shortlist(tried: Tried, loaded: Loaded, sentences: Sentences, listen: Callable[[int], None]) -> Trial:
    """Export a model again, with the shortlist of the pairs in its folder, and compare both exports."""
    learnt = _learnt(tried.model / PAIRS, loaded)
    if isinstance(learnt, str):
        return Trial(False, why=learnt)
    from mirada.export.ctranslate2 import write  # not above: CTranslate2 may not be installed

    tried.place.mkdir()
    write(loaded, tried.place, tried.quantization, tried.model / WEIGHTS, learnt)
    without, with_it = (open_export(folder).engine for folder in (tried.without, tried.place))
    agreement = compare(without, with_it, sentences, listen, AT_ONCE)
    return Trial(agreement.share >= 1 - MOST_CHANGED, len(learnt.ids), agreement)


def _learnt(pairs: Path, loaded: Loaded) -> Shortlist | str:
    """The shortlist, or why there is none."""
    if not pairs.is_dir():
        return f"{pairs}, the pairs that tell what is said, is not there"
    try:
        store = Store.open(pairs)
    except DamagedStoreError as error:
        return str(error)
    if store.vocabulary != loaded.subwords.size:
        return f"{pairs} was made with {store.vocabulary:,} subwords, and the model has {loaded.subwords.size:,}"
    return shortlist.learn(store, loaded.subwords)
