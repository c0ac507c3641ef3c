"""The engine that computes an exported model with CTranslate2, and imports no torch.

It finds what torch finds: both rank by log-probability / length^penalty, the end mark counted, and both stop when as
many hypotheses as the beam is wide have ended. A call of CTranslate2 has one limit of length for all its sentences, and
we have one for each: like ones are called together, and those that reached their own are decoded again with it.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from mirada.decoding.demand import NOTHING_DEMANDED, Demand, limit_of
from mirada.decoding.engine import About, Link
from mirada.decoding.hypothesis import NOTHING, Hypothesis
from mirada.decoding.limits import GRAM
from mirada.decoding.options import Search
from mirada.export.folder import Exported, ExportError, read_about, read_subwords
from mirada.text.subwords import END, Subwords

if TYPE_CHECKING:
    import ctranslate2

BATCH = 1_024  # source tokens of a batch, divided by the root of the beam: the fastest of those measured for 1 and 5
LIKE = 0.5  # limits that may share a call: what runs to its limit runs at most twice as far, and batches stay full
IMPOSSIBLE = -1e9  # below are candidates that CTranslate2 has refused, the other ones beside a prefix among them
# CTranslate2 ranks what the limit cut among what has ended; where a sentence has both, this penalty puts those that
# are shorter than the limit first, so that none of them is pushed out.
SHORT_FIRST = -8.0
SLIGHT = 1e-6  # instead of a penalty of 0, at which CTranslate2 stops at the first good end
INSTALL = "it needs CTranslate2, which is not installed: pip install 'mirada[ctranslate2]'"


@runtime_checkable
class Found(Protocol):
    """What CTranslate2 tells of a sentence: pieces with the end mark, best first, and scores over length^penalty."""

    hypotheses: list[list[str]]
    scores: list[float]
    attention: list[list[list[float]]]


@runtime_checkable
class Waiting(Protocol):
    """What CTranslate2 will tell of a sentence."""

    def result(self) -> Found:
        """What it tells, when it is done."""


@dataclass(frozen=True, eq=False)
class ExportedEngine:
    """An exported folder as an engine."""

    exported: Exported
    subwords: Subwords
    translator: ctranslate2.Translator
    held: bool = False  # by the rein

    @classmethod
    def load(cls, folder: Path) -> ExportedEngine:
        """The engine of a folder that `mirada export` has written."""
        exported = read_about(folder)
        subwords = read_subwords(folder, exported)
        if not is_installed():
            raise ExportError(f"{folder} is an exported model; {INSTALL}")
        import ctranslate2

        try:
            translator = ctranslate2.Translator(str(folder), inter_threads=threads(), intra_threads=1)
        except (RuntimeError, ValueError, IndexError, MemoryError) as error:
            raise ExportError(f"{folder} cannot be loaded by CTranslate2: {error}; export the model again") from None
        return cls(exported, subwords, translator)

    @property
    def name(self) -> str:
        return "ctranslate2"

    @cached_property
    def about(self) -> About:
        return self.exported.about

    def decode(
        self, sources: Sequence[Sequence[int]], search: Search, demands: Sequence[Demand] = ()
    ) -> list[list[Hypothesis]]:
        if search.sampling:
            raise ValueError(
                "an exported model draws no samples, since CTranslate2's draws depend on what else is translated; "
                "use the model's own folder and torch"
            )
        if any(demand.phrases for demand in demands):
            raise ValueError(
                "an exported model cannot search for phrases that a translation must contain, since CTranslate2 "
                "cannot; use the model's own folder and torch"
            )
        asked = demands or [NOTHING_DEMANDED] * len(sources)
        prefixes = [demand.prefix for demand in asked]
        limits = [limit_of(len(one), demand, search.longest) for one, demand in zip(sources, asked, strict=True)]
        found = self._called(sources, prefixes, limits, list(_alike(limits)), search, search.length_penalty)
        over = [number for number, limit in enumerate(limits) if any(_reaches(one, limit) for one in found[number])]
        if search.beam == 1 and not self.held and not any(prefixes):
            found |= self._cut(sources, limits, {number: found[number][0] for number in over})
        else:
            again: dict[int, list[int]] = defaultdict(list)
            for number in over:
                again[limits[number]].append(number)
            found |= self._called(sources, prefixes, limits, list(again.values()), search, SHORT_FIRST)
        return [ranked(found[number], search) or [NOTHING] for number in range(len(sources))]

    def reined(self) -> ExportedEngine:
        return replace(self, held=True)

    def require_alignment(self) -> None:
        """Nothing: what has a CTranslate2 form looks at its source."""

    def align(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], before: Sequence[int] = ()
    ) -> list[list[Link]]:
        links: list[list[Link]] = [[] for _ in sources]
        firsts = before or [0] * len(sources)
        spoken = [number for number, target in enumerate(targets) if target]
        results = self._forced([sources[number] for number in spoken], [targets[number] for number in spoken])
        for number, result in zip(spoken, results, strict=True):
            looks = (row[firsts[number] :] for row in result.attention[0][: len(targets[number])])
            # A text of nothing but its end mark, which CTranslate2 does not tell, has only that to be looked at.
            links[number] = [(row.index(max(row)) if row else 0, place) for place, row in enumerate(looks)]
        return links

    def score(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[list[float]]:
        """The log-probability of each token of each target (see `mirada.decoding.scoring`)."""
        read, written = self._pieces_of(list(sources)), self._pieces_of(list(targets))  # without their end marks
        scored = self.translator.score_batch(read, written, max_batch_size=BATCH, batch_type="tokens")
        return [list(one.log_probs) for one in scored]

    def _called(
        self,
        sources: Sequence[Sequence[int]],
        prefixes: Sequence[Sequence[int]],
        limits: Sequence[int],
        calls: list[list[int]],
        search: Search,
        penalty: float,
    ) -> dict[int, list[Hypothesis]]:
        """The hypotheses of these sources by their number; those of a call share the limit of its first."""
        penalty = penalty or SLIGHT
        waiting: dict[int, Waiting] = {}
        for numbers in calls:
            rows, begun = [sources[number] for number in numbers], [prefixes[number] for number in numbers]
            submitted = self._submit(rows, begun, limits[numbers[0]], search, penalty)
            waiting |= dict(zip(numbers, submitted, strict=True))
        return {number: self._read(result.result(), penalty) for number, result in waiting.items()}

    def _cut(
        self, sources: Sequence[Sequence[int]], limits: Sequence[int], found: dict[int, Hypothesis]
    ) -> dict[int, list[Hypothesis]]:
        """Hypotheses at their limits: a greedy search says the same up to there, and only its probability is asked."""
        if not found:
            return {}
        said = [one.tokens[: limits[number]] for number, one in found.items()]
        scored = self.score([sources[number] for number in found], [[*tokens, END] for tokens in said])
        return {
            number: [Hypothesis(tokens, sum(logs[: len(tokens)]), finished=False)]
            for number, tokens, logs in zip(found, said, scored, strict=True)
        }

    def _submit(
        self,
        sources: list[Sequence[int]],
        prefixes: list[Sequence[int]],
        limit: int,
        search: Search,
        penalty: float,
    ) -> list[Waiting]:
        """Sources given to CTranslate2, longest first, whose threads take them batch by batch."""
        return self.translator.translate_batch(
            self._pieces_of(sources),
            self._pieces_of(prefixes, end=False) if any(prefixes) else None,
            max_batch_size=max(1, int(BATCH / search.beam**0.5)),
            batch_type="tokens",
            asynchronous=True,
            beam_size=search.beam,
            num_hypotheses=search.beam,
            length_penalty=penalty,
            use_vmap=self.exported.shortlist is not None,
            no_repeat_ngram_size=GRAM if self.held else 0,
            min_decoding_length=1 if self.held else 0,
            max_decoding_length=limit,
            max_input_length=0,
            return_end_token=True,
            return_scores=True,
        )

    def _forced(self, sources: list[Sequence[int]], targets: list[Sequence[int]]) -> list[Found]:
        """What CTranslate2 looks at when it is made to say the targets."""
        if not sources:
            return []
        return self.translator.translate_batch(
            self._pieces_of(sources),
            self._pieces_of(targets, end=False),
            max_batch_size=BATCH,
            batch_type="tokens",
            beam_size=1,
            max_decoding_length=max(map(len, targets)),
            max_input_length=0,
            return_attention=True,
        )

    def _pieces_of(self, rows: list[Sequence[int]], end: bool = True) -> list[list[str]]:
        """Ids as pieces, without the end mark of sources, which CTranslate2 sets itself."""
        pieces = self.subwords.pieces
        return [[pieces[one] for one in (row[:-1] if end else row)] for row in rows]

    def _read(self, result: Found, penalty: float) -> list[Hypothesis]:
        """The hypotheses of a sentence as ours."""
        scored = zip(result.hypotheses, result.scores, strict=True)
        found = [self._hypothesis(pieces, score, penalty) for pieces, score in scored]
        return [one for one in found if one.log_probability > IMPOSSIBLE]

    def _hypothesis(self, pieces: list[str], score: float, penalty: float) -> Hypothesis:
        finished = not pieces or pieces[-1] == self.subwords.pieces[END]  # no pieces at all for a source of none
        log_probability = score * max(1, len(pieces)) ** penalty
        said = pieces[:-1] if finished else pieces
        return Hypothesis([self._ids[piece] for piece in said], log_probability, finished)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {piece: one for one, piece in enumerate(self.subwords.pieces)}


def _alike(limits: Sequence[int]) -> Iterator[list[int]]:
    """The numbers of sources with like limits together, the longest first."""
    group: list[int] = []
    for number in sorted(range(len(limits)), key=limits.__getitem__, reverse=True):
        if group and limits[number] < LIKE * limits[group[0]]:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def ranked(hypotheses: list[Hypothesis], search: Search) -> list[Hypothesis]:
    """The best: finished ones before unfinished ones, then by score."""
    ranked = sorted(hypotheses, key=lambda one: (one.finished, one.score(search.length_penalty)), reverse=True)
    return ranked[: search.n_best]


def _reaches(hypothesis: Hypothesis, limit: int) -> bool:
    """Whether a hypothesis went on beyond a limit, or would have."""
    return not hypothesis.finished or len(hypothesis.tokens) >= limit


def is_installed() -> bool:
    """Whether CTranslate2 can be imported."""
    from importlib.util import find_spec

    return find_spec("ctranslate2") is not None


def threads() -> int:
    """How many sentences are translated at once: one for each core that this process may use, or as OpenMP is told."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
