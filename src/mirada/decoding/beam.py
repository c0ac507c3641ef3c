"""Beam search: the likeliest sequences that a few candidates at a time can find.

Legend: S sentences, N beam width, R = S · N rows, T vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.observing import Candidate, Observer, Step
from mirada.decoding.protocol import S, State, Steps

# From the log-probabilities [S, N] of the candidates so far and those [S, N, T] of each token behind them, the best of
# each sentence, twice as many as the beam is wide, so that as many go on even if all others end: their
# log-probabilities, and their places among all tokens of all rows of the sentence.
Ranking = Callable[[Tensor, Tensor, S], tuple[Tensor, Tensor]]


def by_total(
    logs: Float[Tensor, "S N"], scores: Float[Tensor, "S N T"], state: State
) -> tuple[Float[Tensor, "S C"], Int[Tensor, "S C"]]:
    """The candidates with the highest totals: they are among the best of their rows, so only those are added up."""
    _, width, size = scores.shape
    of_rows, tokens = scores.topk(min(2 * width, size), -1)
    totals = (logs[..., None] + of_rows).flatten(1)
    best, among = totals.topk(min(2 * width, totals.shape[1]), -1)
    rows = among // tokens.shape[-1]
    return best, rows * size + tokens.flatten(1).gather(1, among)


def beam(
    model: Steps[S],
    state: S,
    first: Int[Tensor, "S"],
    end: int,
    limits: Int[Tensor, "S"],
    width: int,
    penalty: float = 1.0,
    observer: Observer | None = None,
    ranking: Ranking[S] = by_total,
) -> list[list[Hypothesis]]:
    """The `width` best hypotheses of every sentence, best first by log-probability / length^penalty.

    A sentence stops when `width` of its hypotheses have ended (first come, first served: a patience of 1 in Kasai et
    al. 2022), or at its limit of tokens. The bookkeeping of all sentences is done at once; only what is finished
    is touched in Python. An observer is told of every step of the first sentence. A ranking other than by totals may
    know from the state what a candidate is worth (see `mirada.decoding.phrases`).
    """
    if width < 1:
        raise ValueError(f"beam = {width}; use 1 or more")
    search = _Search(first, end, limits, width, penalty, observer)
    state = state.select(search.sentence_rows())
    while search.running:
        scores, state = model.step(search.tokens, state)
        best, places = ranking(search.logs, search.by_sentence(scores), state)
        state = state.select(search.extend(best, places, scores.shape[-1]))
    return search.results()


class _Search:
    """The running candidates of all sentences that are not done."""

    def __init__(
        self,
        first: Int[Tensor, "S"],
        end: int,
        limits: Int[Tensor, "S"],
        width: int,
        penalty: float,
        observer: Observer | None,
    ) -> None:
        count, device = len(first), first.device
        self.end, self.width, self.penalty = end, width, penalty
        self.observer = observer
        self.limits = limits
        self.sentences = torch.arange(count, device=device)
        self.tokens = first.repeat_interleave(width)
        # All candidates of a sentence start alike: only the first may be extended in the first step.
        self.logs = torch.full((count, width), float("-inf"), device=device)
        self.logs[:, 0] = 0
        self.history = first.new_empty((count * width, 0))
        self.found: list[list[Hypothesis]] = [[] for _ in range(count)]
        self.length = 0
        self._leave_out(limits <= 0)

    @property
    def running(self) -> bool:
        """Whether a sentence is still being decoded."""
        return len(self.sentences) > 0

    def sentence_rows(self) -> Int[Tensor, "R"]:
        """The sentence of each candidate."""
        return self.sentences.repeat_interleave(self.width)

    def by_sentence(self, scores: Float[Tensor, "R T"]) -> Float[Tensor, "S N T"]:
        """The scores of the rows of each sentence."""
        return scores.view(len(self.sentences), self.width, -1)

    def extend(self, best: Float[Tensor, "S C"], places: Int[Tensor, "S C"], size: int) -> Int[Tensor, "R2"]:
        """One more token for each candidate; the rows, among those before, that the new candidates come from."""
        self.length += 1
        tokens, origins = places % size, places // size
        rows = origins + torch.arange(len(best), device=origins.device)[:, None] * self.width
        self._finish(best, tokens, rows)
        ending = tokens == self.end
        kept = ending.sort(dim=-1, stable=True).indices[:, : self.width]  # the first that go on, in the ranking's order
        self.logs = best.masked_fill(ending, float("-inf")).gather(1, kept)
        if self.observer is not None:
            self.observer(Step(self.length, self._candidates(best[0], tokens[0], origins[0], kept[0])))
        rows, tokens = rows.gather(1, kept), tokens.gather(1, kept)
        self.history = torch.cat([self.history[rows.flatten()], tokens.flatten()[:, None]], 1)
        self.tokens = tokens.flatten()
        return rows.flatten()[self._leave_out(self._done())]

    def _candidates(
        self, best: Float[Tensor, "C"], tokens: Int[Tensor, "C"], origins: Int[Tensor, "C"], kept: Int[Tensor, "N"]
    ) -> tuple[Candidate, ...]:
        """What became of the first sentence in this step, for its observer."""
        logs, said, parents = best.tolist(), tokens.tolist(), origins.tolist()
        running = [place for place in kept.tolist() if said[place] != self.end]
        ending = [place for place in range(min(self.width, len(said))) if said[place] == self.end]
        return tuple(
            Candidate(parents[place], said[place], logs[place], said[place] == self.end)
            for place in (*running, *ending)
            if logs[place] > float("-inf")
        )

    def _finish(self, best: Float[Tensor, "S C"], tokens: Int[Tensor, "S C"], rows: Int[Tensor, "S C"]) -> None:
        """Keep the candidates among the first `width` that end here."""
        ending = (tokens[:, : self.width] == self.end) & best[:, : self.width].isfinite()
        for sentence, candidate in torch.nonzero(ending).tolist():
            text = self.history[rows[sentence, candidate]].tolist()
            found = Hypothesis(text, float(best[sentence, candidate]), finished=True)
            self.found[int(self.sentences[sentence])].append(found)

    def _done(self) -> Tensor:
        """Which running sentences need no further step."""
        at_limit = self.limits[self.sentences] <= self.length
        self._keep_unfinished(at_limit)
        enough = [len(self.found[sentence]) >= self.width for sentence in self.sentences.tolist()]
        return at_limit | torch.tensor(enough, dtype=torch.bool, device=at_limit.device)

    def _keep_unfinished(self, at_limit: Tensor) -> None:
        """At the limit, what still runs is kept as it is, said to be unfinished."""
        for place in torch.nonzero(at_limit).flatten().tolist():
            found = self.found[int(self.sentences[place])]
            for candidate in range(self.width):
                log = float(self.logs[place, candidate])
                if log > float("-inf"):
                    tokens = self.history[place * self.width + candidate].tolist()
                    found.append(Hypothesis(tokens, log, finished=False))

    def _leave_out(self, done: Tensor) -> Int[Tensor, "R2"]:
        """Forget the sentences that are done; the rows of the others."""
        kept = torch.nonzero(~done).flatten()
        rows = (kept[:, None] * self.width + torch.arange(self.width, device=kept.device)).flatten()
        self.sentences, self.logs = self.sentences[kept], self.logs[kept]
        self.tokens, self.history = self.tokens[rows], self.history[rows]
        return rows

    def results(self) -> list[list[Hypothesis]]:
        """The best hypotheses of each sentence: finished ones before unfinished ones, then by score."""
        return [
            sorted(found, key=lambda one: (one.finished, one.score(self.penalty)), reverse=True)[: self.width]
            for found in self.found
        ]
