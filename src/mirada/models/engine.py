"""The engine that computes with torch: every model, every search, on every device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from mirada.decoding.demand import Demand
from mirada.decoding.engine import About, Link
from mirada.decoding.ensemble import Ensemble, Mean
from mirada.decoding.holding import Demands
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.observing import Observer
from mirada.decoding.options import Search
from mirada.decoding.protocol import Reader
from mirada.decoding.rein import Reined
from mirada.decoding.search import decode_many, padded
from mirada.models.folder import Loaded
from mirada.models.forced import forced_looks
from mirada.text.joints import joints_of
from mirada.text.subwords import BEGIN, END, Subwords

ALIGNED_AT_ONCE = 16  # sentences; the looks of 16 with 256 tokens each take 70 MB


@dataclass(frozen=True, eq=False)
class TorchEngine:
    """A loaded model as an engine, or several that are alike (see `mirada.models.ensemble`); the first aligns."""

    loaded: Loaded
    held: bool = False  # by the rein
    observer: Observer | None = None  # told of the steps of a search
    others: tuple[Loaded, ...] = ()  # that translate together with the first
    mean: Mean = "probabilities"  # of what they say

    @property
    def name(self) -> str:
        return "torch"

    @property
    def about(self) -> About:
        configs = [one.config for one in (self.loaded, *self.others)]
        places = [config.model.places for config in configs if config.model.places is not None]
        longest = min(config.longest for config in configs)
        text = min(config.longest_text or config.longest for config in configs)
        first = configs[0]
        return About(first.source, first.target, longest, min(places, default=None), first.context, text)

    @property
    def subwords(self) -> Subwords:
        return self.loaded.subwords

    @property
    def device(self) -> torch.device:
        """Where the model computes."""
        return self.loaded.model.output.weight.device

    def decode(
        self, sources: Sequence[Sequence[int]], search: Search, demands: Sequence[Demand] = ()
    ) -> list[list[Hypothesis]]:
        model = Reined(self._reader, END) if self.held else self._reader
        held = Demands(demands, joints_of(self.subwords)) if demands else None
        return decode_many(model, sources, search, self.device, self.observer, held)

    @property
    def _reader(self) -> Reader[Any]:
        if not self.others:
            return self.loaded.model
        return Ensemble([self.loaded.model, *(one.model for one in self.others)], self.mean)

    def reined(self) -> TorchEngine:
        return replace(self, held=True)

    def require_alignment(self) -> None:
        alignment_layer(self.loaded)

    def align(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], before: Sequence[int] = ()
    ) -> list[list[Link]]:
        links: list[list[Link]] = [[] for _ in sources]
        firsts = before or [0] * len(sources)
        spoken = [number for number, target in enumerate(targets) if target]
        spoken.sort(key=lambda number: len(targets[number]))
        for start in range(0, len(spoken), ALIGNED_AT_ONCE):
            numbers = spoken[start : start + ALIGNED_AT_ONCE]
            weights = self._looks([sources[number] for number in numbers], [targets[number] for number in numbers])
            for row, number in enumerate(numbers):
                # The end mark is where a head looks that has nothing to look for, so it is no one's source.
                first = firsts[number]
                real = weights[row, : len(targets[number]), first : max(first + 1, len(sources[number]) - 1)]
                links[number] = [(place, target) for target, place in enumerate(real.argmax(-1).tolist())]
        return links

    def _looks(self, sources: list[Sequence[int]], targets: list[Sequence[int]]) -> Float[Tensor, "B N S"]:
        """The mean weights of the heads of one layer, when the model is given the targets (teacher forcing)."""
        model = self.loaded.model
        aligning = model.looks_at_source()[alignment_layer(self.loaded)]
        source, source_padding = padded(sources, self.device)
        entered, target_padding = padded([[BEGIN, *target[:-1]] for target in targets], self.device)
        (weights,) = forced_looks(model, [aligning], source, source_padding, entered, target_padding)
        return weights.mean(1)

    def score(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[list[float]]:
        """The log-probability of each token of each target (see `mirada.decoding.scoring`)."""
        model = self.loaded.model
        found = []
        for source, target in zip(sources, targets, strict=True):  # one by one: the scores of a word are a vocabulary
            read, read_padding = padded([source], self.device)
            entered, entered_padding = padded([[BEGIN, *target[:-1]]], self.device)
            with torch.inference_mode():
                scores = model.output.scores(model(read, read_padding, entered, entered_padding)[0])
                wanted = torch.tensor(target, device=scores.device)[:, None]
                found.append(scores.gather(1, wanted)[:, 0].tolist())
        return found


def alignment_layer(loaded: Loaded) -> int:
    """The number of the look at the source that aligns words best: the config's, or that of the last layer but one.

    In the last but one the heads look at what is being translated (Garg et al. 2019, 4.1).
    """
    layers = len(loaded.model.looks_at_source())
    if layers == 0:
        raise ValueError("this model has no attention, so there is no alignment; translate without it")
    layer = loaded.config.alignment_layer
    if layer is None:
        return max(0, layers - 2)
    if layer >= layers:
        raise ValueError(
            f"alignment_layer = {layer}, but the decoder has the layers 0 to {layers - 1}; "
            "correct it in the model's config.json"
        )
    return layer
