"""Searching: many sources decoded in batches of like length, by greedy search, beam search or sampling.

Legend: B sentences of a batch, S source places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import torch
from jaxtyping import Int
from torch import Tensor

from mirada.attention import Padding
from mirada.decoding.beam import beam
from mirada.decoding.greedy import greedy
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.limits import Flag, Reined, cap, flags_of
from mirada.decoding.protocol import Reader, S, Steps
from mirada.decoding.sample import sample
from mirada.text.subwords import BEGIN, END, PADDING

# Source tokens of a batch, each counted once for every candidate. With a width of 512 and 6 layers the memories of
# such a batch take at most 300 MB, and larger ones are no faster on a CPU.
BUDGET = 4_096
SECOND_BEAM = 5  # the least width of a second attempt
WIDEST = 1_000
# What a beam finds whose every candidate is impossible: under the rein, or by weights that are no numbers.
NOTHING = Hypothesis([], float("-inf"), finished=False)


@dataclass(frozen=True)
class Search:
    """How to decode: by beam search (greedy search if `beam` is 1), or by sampling `n_best` times.

    Hypotheses are ranked by log-probability / length^length_penalty: 0 prefers short ones, 1 the best mean.
    """

    beam: int = 5
    n_best: int = 1
    length_penalty: float = 1.0
    sampling: bool = False
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    seed: int = 0
    longest: int | None = None  # most tokens of a translation, however long its source is

    def __post_init__(self) -> None:
        _require(1 <= self.beam <= WIDEST, f"beam = {self.beam}", f"use 1 (greedy) to {WIDEST:,}")
        _require(1 <= self.n_best <= WIDEST, f"n_best = {self.n_best}", f"use 1 to {WIDEST:,}")
        _require(
            self.sampling or self.n_best <= self.beam,
            f"n_best = {self.n_best} is more than beam = {self.beam}",
            f"a beam finds no more hypotheses than it is wide; use beam = {self.n_best}",
        )
        _require(0 <= self.length_penalty <= 10, f"length_penalty = {self.length_penalty}", "use 0 to 10")
        _require(
            0 < self.temperature < float("inf"),
            f"temperature = {self.temperature}",
            "use a number above 0; for the likeliest tokens only, do not sample and set beam = 1",
        )
        _require(self.top_k is None or self.top_k >= 1, f"top_k = {self.top_k}", "use 1 or more, or None for all")
        _require(0 < self.top_p <= 1, f"top_p = {self.top_p}", "use a share above 0, at most 1")
        _require(self.longest is None or self.longest >= 1, f"longest = {self.longest}", "use 1 or more")


def _require(holds: bool, found: str, advice: str) -> None:
    if not holds:
        raise ValueError(f"{found}; {advice}")


@dataclass(frozen=True)
class Checked:
    """The hypotheses of a source, the best first, and what is wrong with the first."""

    hypotheses: list[Hypothesis]
    flags: tuple[Flag, ...]


def decode_checked(
    model: Reader[S], sources: Sequence[Sequence[int]], search: Search, device: torch.device | str = "cpu"
) -> list[Checked]:
    """As `decode_many`, but a failed translation gives way to a sound one of the same beam, or is tried again.

    The second attempt is reined, and has more candidates, one of which may find an end. Most failures are loops, in
    which every candidate of the beam is caught: more width alone does not free them, and neither does another length
    penalty, which only ranks what has ended.
    """
    found = _judged_all(model, sources, search, device)
    failed = [number for number, one in enumerate(found) if one.flags]
    if failed:
        wider = replace(search, beam=min(WIDEST, max(SECOND_BEAM, search.beam)))
        second = _judged_all(Reined(model, END), [sources[number] for number in failed], wider, device)
        for number, retried in zip(failed, second, strict=True):
            found[number] = min(found[number], retried, key=lambda one: len(one.flags))
    return found


def _judged_all(
    model: Reader[S], sources: Sequence[Sequence[int]], search: Search, device: torch.device | str
) -> list[Checked]:
    # All of the beam, since a sound one may stand behind those that are asked for.
    all_found = search if search.sampling else replace(search, n_best=search.beam)
    decoded = decode_many(model, sources, all_found, device)
    return [_judged(hypotheses, source, search.n_best) for hypotheses, source in zip(decoded, sources, strict=True)]


def _judged(hypotheses: list[Hypothesis], source: Sequence[int], count: int) -> Checked:
    """The first `count` hypotheses; if the best has failed, the best sound one stands before it."""
    flags = flags_of(hypotheses[0], source)
    if not flags:
        return Checked(hypotheses[:count], ())
    sound = next((place for place, one in enumerate(hypotheses) if not flags_of(one, source)), None)
    if sound is None:
        return Checked(hypotheses[:count], flags)
    others = hypotheses[:sound] + hypotheses[sound + 1 :]
    return Checked([hypotheses[sound], *others][:count], ())


def decode_many(
    model: Reader[S], sources: Sequence[Sequence[int]], search: Search, device: torch.device | str = "cpu"
) -> list[list[Hypothesis]]:
    """The `n_best` hypotheses of every source, at least one, best first, in the order of the sources.

    Each source ends with the end mark, as in the token store. The model is to be in its eval state; a source's
    hypotheses do not depend on the others.
    """
    found: list[list[Hypothesis]] = [[] for _ in sources]
    rows = search.n_best if search.sampling else search.beam
    with torch.inference_mode():
        for numbers in _batches([len(source) for source in sources], BUDGET // rows):
            results = _decode(model, [sources[number] for number in numbers], search, device)
            for number, hypotheses in zip(numbers, results, strict=True):
                found[number] = hypotheses[: search.n_best] or [NOTHING]
    return found


def _batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """The numbers of the sources, in batches of like length with at most `budget` places, padding included."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        # The first is the longest of its batch: with the longest batch first, too little memory shows at once.
        if batch and (len(batch) + 1) * lengths[batch[0]] > budget:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _decode(
    model: Reader[S], sources: list[Sequence[int]], search: Search, device: torch.device | str
) -> list[list[Hypothesis]]:
    """The hypotheses of one batch."""
    lengths = [len(source) for source in sources]
    tokens, padding = padded(sources, device)
    state = model.start(tokens, padding)
    limits = torch.tensor([cap(length, search.longest) for length in lengths], device=device)
    first = torch.full_like(limits, BEGIN)
    if search.sampling:
        return _sampled(model, state, first, limits, sources, search)
    if search.beam == 1:
        return [[hypothesis] for hypothesis in greedy(model, state, first, END, limits)]
    return beam(model, state, first, END, limits, search.beam, search.length_penalty)


def padded(rows: Sequence[Sequence[int]], device: torch.device | str) -> tuple[Int[Tensor, "B S"], Padding]:
    """Rows of ids as one table, padded at the right, and which places of it are real."""
    padding = Padding.from_lengths([len(row) for row in rows], device=device)
    tokens = torch.full(padding.real.shape, PADDING, dtype=torch.int64)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = torch.tensor(row, dtype=torch.int64)
    return tokens.to(device), padding


def _sampled(
    model: Steps[S],
    state: S,
    first: Int[Tensor, "B"],
    limits: Int[Tensor, "B"],
    sources: list[Sequence[int]],
    search: Search,
) -> list[list[Hypothesis]]:
    """`n_best` draws for each source, the best first."""
    draws = range(search.n_best)
    rows = torch.arange(len(sources), device=first.device).repeat_interleave(len(draws))
    seeds = [_seed(search.seed, source, number) for source in sources for number in draws]
    drawn = sample(
        model,
        state.select(rows),
        first[rows],
        END,
        limits[rows],
        seeds,
        search.temperature,
        search.top_k,
        search.top_p,
    )
    groups = [drawn[start : start + len(draws)] for start in range(0, len(drawn), len(draws))]
    return [sorted(group, key=lambda one: one.score(search.length_penalty), reverse=True) for group in groups]


def _seed(seed: int, source: Sequence[int], number: int) -> int:
    """The seed of one draw: of what is drawn for and not of where it stands, so that no batch can change it."""
    words = f"{seed} {number} {' '.join(map(str, source))}"
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest(), "little") >> 1
