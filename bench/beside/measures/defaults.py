"""What a newcomer gets: twenty minutes from raw text, with no setting but the time."""

from __future__ import annotations

import time

from beside.bench import OURS, Bench
from beside.models import MINUTES, train_model
from beside.report import Bar, Section
from mirada.training import record
from mirada.training.result import Result

# Modules of transformers 5.22.2 in a loop tuned by hand, bf16, the same shape, pairs, minutes and number of cores; eole
# with its usual recipe had 14.8. They were trained once: their twenty minutes are no part of this run.
PEER, PEER_BLEU = "transformers 5.22.2 in a loop tuned by hand", 36.19


def defaults(bench: Bench) -> Section:
    """A model is trained anew, and it is the one that the measures after this translate with."""
    begun = time.monotonic()
    folder = train_model(bench)
    minutes = (time.monotonic() - begun) / 60
    found = record.read(folder)
    if found is None or not isinstance(found.result, Result) or found.result.test is None:
        raise RuntimeError(f"{folder} has no score of a finished run")
    scores, decided = found.result.test, found.decided
    chosen = f"preset {decided['preset']}, {found.result.parameters / 1e6:.1f} M parameters"
    passes = f"{found.budget.steps:,} steps, {found.budget.epochs:.1f} passes, dropout {decided['dropout']}"
    return Section(
        title=f"{MINUTES} minutes from raw text with the defaults: Multi30k, test_2016_flickr, beam 5",
        columns=("", "BLEU", "chrF", "minutes", "what was decided"),
        rows=[
            (OURS, f"{scores.bleu.score:.2f}", f"{scores.chrf.score:.2f}", f"{minutes:.1f}", f"{chosen}; {passes}"),
            (PEER, f"{PEER_BLEU:.2f}", "", "20", ""),
        ],
        bars=[Bar(f"BLEU against {PEER}", scores.bleu.score, "at least", PEER_BLEU)],
        notes=[scores.bleu.signature, scores.chrf.signature],
    )
