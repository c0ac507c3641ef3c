"""Searching: many sources decoded in batches of like length, by greedy search, beam search or sampling.

Legend: B sentences of a batch, S source places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from mirada.attention import Padding
from mirada.decoding.beam import beam
from mirada.decoding.demand import NOTHING_DEMANDED, limit_of, width_for
from mirada.decoding.greedy import greedy
from mirada.decoding.holding import Demands
from mirada.decoding.hypothesis import NOTHING, Hypothesis
from mirada.decoding.observing import Observer
from mirada.decoding.options import Search
from mirada.decoding.phrases import allot
from mirada.decoding.protocol import Reader, S, Steps
from mirada.decoding.sample import sample
from mirada.decoding.workers import side_by_side, workers_on
from mirada.text.subwords import BEGIN, END, PADDING

# Source tokens of a batch, each counted once for every candidate. With a width of 512 and 6 layers the memories of
# such a batch take at most 300 MB, and larger ones are no faster on a CPU.
BUDGET = 4_096


def decode_many(
    model: Reader[S],
    sources: Sequence[Sequence[int]],
    search: Search,
    device: torch.device | str = "cpu",
    observer: Observer | None = None,
    demands: Demands | None = None,
) -> list[list[Hypothesis]]:
    """The `n_best` hypotheses of every source, at least one, best first, in the order of the sources.

    Each source ends with the end mark, as in the token store. The model is to be in its eval state; a source's
    hypotheses do not depend on the others. An observer follows a single source, searched by beam or greedily.
    """
    if observer is not None and (len(sources) > 1 or search.sampling):
        raise ValueError("an observer follows the search of one source, without sampling; give it alone")
    if search.sampling and demands is not None and demands.phrased:
        raise ValueError("phrases are found by beam search and not by chance; do not sample, or ask for none")
    found: list[list[Hypothesis]] = [[] for _ in sources]
    lengths = [len(source) for source in sources]

    def decode(batch: tuple[int, list[int]]) -> None:
        rows, numbers = batch
        asked = None if demands is None else demands.select(numbers)
        with torch.inference_mode():  # of this thread
            results = _decode(model, [sources[one] for one in numbers], search, rows, device, observer, asked)
        for number, hypotheses in zip(numbers, results, strict=True):
            found[number] = hypotheses[: search.n_best] or [NOTHING]

    workers = workers_on(device)
    side_by_side(decode, _all_batches(lengths, _by_rows(len(sources), search, demands), workers), workers)
    return found


def _all_batches(
    lengths: Sequence[int], groups: Mapping[int, Sequence[int]], workers: int
) -> list[tuple[int, list[int]]]:
    """The numbers of the sources in batches, each with how many candidates a source has, so that no worker is idle."""
    found: list[tuple[int, list[int]]] = []
    for rows, numbers in groups.items():
        budget = BUDGET // rows
        batches = list(_batches(lengths, numbers, budget))
        if len(batches) > 1 and len(batches) % workers:
            even = -(-len(batches) // workers) * workers
            batches = list(_batches(lengths, numbers, budget * len(batches) // even))
        found.extend((rows, batch) for batch in batches)
    return found


def _by_rows(count: int, search: Search, demands: Demands | None) -> dict[int, list[int]]:
    """The numbers of the sources by how many candidates each has at once."""
    if demands is None or search.sampling:
        return {search.n_best if search.sampling else search.beam: list(range(count))}
    groups: dict[int, list[int]] = {}
    for number, demand in enumerate(demands.each):
        groups.setdefault(width_for(demand, search.beam), []).append(number)
    return groups


def _batches(lengths: Sequence[int], numbers: Sequence[int], budget: int) -> Iterator[list[int]]:
    """The numbers of the sources, in batches of like length with at most `budget` places, padding included."""
    batch: list[int] = []
    for number in sorted(numbers, key=lengths.__getitem__, reverse=True):
        # The first is the longest of its batch: with the longest batch first, too little memory shows at once.
        if batch and (len(batch) + 1) * lengths[batch[0]] > budget:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _decode(
    model: Reader[S],
    sources: list[Sequence[int]],
    search: Search,
    rows: int,
    device: torch.device | str,
    observer: Observer | None,
    demands: Demands | None,
) -> list[list[Hypothesis]]:
    """The hypotheses of one batch."""
    each = [NOTHING_DEMANDED] * len(sources) if demands is None else demands.each
    lengths = [limit_of(len(source), one, search.longest) for source, one in zip(sources, each, strict=True)]
    limits = torch.tensor(lengths, device=device)
    first = torch.full_like(limits, BEGIN)
    reader: Reader[Any] = model if demands is None else demands.held(model, first, limits)
    state = reader.start(*padded(sources, device))
    if search.sampling:
        return _sampled(reader, state, first, limits, sources, search)
    if demands is not None and demands.phrased:
        return beam(reader, state, first, END, limits, rows, search.length_penalty, observer, allot)
    if search.beam == 1:
        return [[hypothesis] for hypothesis in greedy(reader, state, first, END, limits, observer)]
    return beam(reader, state, first, END, limits, rows, search.length_penalty, observer)


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
