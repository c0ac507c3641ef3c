"""The optimizer: Adam or Muon on one long float32 vector, whatever the model computes in.

All parameters lie in one vector, each parameter of the model being a view of its part: what is done to every number
(the norm, clipping, Adam, rounding) is one operation of each worker, and not one for each of some hundred tensors.
Where the model computes in bf16 its parameters are views of a rounded copy; small updates add up in the float32
master and are not lost to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from math import hypot, isfinite
from typing import TypeVar

import torch
from torch import Tensor, nn

from mirada.layers.block import Block
from mirada.layers.convolution import CausalConvolution
from mirada.training.crew import Crew
from mirada.training.stretches import ALIGNMENT, AdamStretch, Layout, MuonStretch, Settings, Stretch, Vectors

R = TypeVar("R")


def matrices_of(model: nn.Module) -> set[str]:
    """The names of the matrices that blocks, and a convolution before them, multiply states with."""
    return {
        f"{prefix}.{name}"
        for prefix, block in model.named_modules()
        if isinstance(block, Block | CausalConvolution)
        for name, parameter in block.named_parameters()
        if name.endswith("_map.weight") and parameter.requires_grad
    }


class Optimizer:
    """Updates with clipping. It takes the model's parameters over: they become views of its vector."""

    @torch.no_grad()
    def __init__(self, model: nn.Module, settings: Settings, dtype: torch.dtype) -> None:
        self._model, self._settings = model, settings
        learnt = {name: one for name, one in model.named_parameters() if one.requires_grad}
        matrices = matrices_of(model) if settings.kind == "muon" else set()
        # What learns by Muon lies behind what learns by Adam.
        parameters = {name: learnt[name] for name in sorted(learnt, key=matrices.__contains__)}
        self._matrices = [name for name in parameters if name in matrices]
        # What is frozen is no part of the vector, and kept as it was beside what the model computes with.
        frozen = {name: one for name, one in model.named_parameters() if not one.requires_grad}
        self._frozen = {name: one.detach().float() for name, one in frozen.items()}
        for one in frozen.values():
            one.data = one.data.to(dtype)
        self._unlearnt = frozen
        self.parameters: tuple[nn.Parameter, ...] = tuple(parameters.values())
        self._layout = Layout({name: parameter.shape for name, parameter in parameters.items()})
        device = self.parameters[0].device if self.parameters else torch.device("cpu")
        self._vectors = Vectors.of(self._layout.length, dtype, device)
        for name, view in self._layout.views(self._vectors.master).items():
            view.copy_(parameters[name])
        self._round()
        # The buffers of batch norm stay as they are: they gather small changes.
        for name, view in self._layout.views(self._vectors.compute).items():
            parameters[name].data = view
        self._buffers = self._copied_buffers()
        self._gathered, self._updates = False, 0
        self._crew: Crew
        self._shares: list[list[Stretch]]  # of the workers
        self.divide(Crew(1, 1))

    def divide(self, crew: Crew) -> None:
        """From now on let each worker bring a stretch of the vector up to date.

        Operations that both cores share wait for the slower one at each of some hundred tensors, which makes a run five
        times as slow where other programs use a core too (docs/experiments.md). Workers wait for each other once for
        each gradient that is added, and twice for the update. `add` and `step` are for the thread that leads the crew.
        """
        self._crew = crew
        kinds = [self._by_adam(crew.count), self._by_muon(crew.count)]
        self._shares = [[stretch for stretch in share if stretch] for share in zip_longest(*kinds)]

    def _by_adam(self, workers: int) -> list[Stretch]:
        """Stretches of equal length."""
        length = self._layout.slice_of(self._matrices).start if self._matrices else self._layout.length
        each = -(-length // (workers * ALIGNMENT)) * ALIGNMENT
        starts = range(0, max(1, length), max(1, each))
        ends = (min(length, start + each) for start in starts)
        return [
            AdamStretch(slice(start, end), self._vectors, self._settings, self._updates)
            for start, end in zip(starts, ends, strict=True)
        ]

    def _by_muon(self, workers: int) -> list[Stretch]:
        """Stretches of about equally many numbers, each of whole matrices."""
        sizes = self._layout.sizes(self._matrices)
        total, before = sum(sizes), 0
        shares: list[list[str]] = [[] for _ in range(workers)]
        for name, size in zip(self._matrices, sizes, strict=True):
            shares[workers * before // total].append(name)
            before += size
        return [MuonStretch(names, self._layout, self._vectors, self._settings) for names in shares if names]

    def gradients(self, loss: Tensor) -> Tensor:
        """The gradient of a loss as one vector, for `add`. It is kept nowhere: several threads may ask at once."""
        found = torch.autograd.grad(loss, self.parameters, allow_unused=True, materialize_grads=True)
        return self._layout.vector(found)

    def add(self, gradient: Tensor) -> None:
        """Gather a part of the next step's gradient; parts add up in float32."""
        afresh = not self._gathered
        self._each(lambda stretch: stretch.add(gradient, afresh=afresh))
        self._gathered = True

    def step(self, rate: float, clip: float) -> float:
        """One update from what was gathered, which is then gone; the norm it had. A norm that is not finite: none."""
        norm = hypot(*self._each(Stretch.norm))
        if isfinite(norm):
            scale = clip / norm if norm > clip > 0 else 1.0
            self._each(lambda stretch: stretch.step(rate, scale))
            self._updates += 1
            self._buffers = self._copied_buffers()
        else:
            self._restore_buffers()  # the forward pass of a bad step has changed them already
        self._gathered = False
        return norm

    def _each(self, work: Callable[[Stretch], R]) -> list[R]:
        """What is done to every stretch, by the crew."""
        found = self._crew.map(lambda _, share: [work(stretch) for stretch in share], self._shares)
        return [one for share in found for one in share]

    def _round(self) -> None:
        """Bring what the model computes with up to the master."""
        if self._vectors.compute is not self._vectors.master:
            self._vectors.compute.copy_(self._vectors.master)

    def _copied_buffers(self) -> dict[str, Tensor]:
        return {name: buffer.detach().clone() for name, buffer in self._model.named_buffers()}

    def _restore_buffers(self) -> None:
        for name, buffer in self._model.named_buffers():
            buffer.copy_(self._buffers[name])

    def weights(self) -> dict[str, Tensor]:
        """The model's tensors in float32: masters, what is frozen, and buffers."""
        buffers = {name: tensor.float() for name, tensor in self._model.named_buffers()}
        return self._layout.views(self._vectors.master) | self._frozen | buffers

    def state(self) -> dict[str, Tensor]:
        """All that going on needs: weights and the two moments, by name."""
        kept = {f"weight.{name}": tensor for name, tensor in self.weights().items()}
        if self._updates:
            for kind, moments in self._moments.items():
                kept |= {f"{kind}.{name}": view for name, view in self._layout.views(moments).items()}
        return kept

    @property
    def _moments(self) -> dict[str, Tensor]:
        return {"first": self._vectors.first, "second": self._vectors.second}

    @torch.no_grad()
    def restore(self, state: Mapping[str, Tensor], updates: int) -> None:
        """Go back to a state that `state` gave after this many updates."""
        _fill(self._layout.views(self._vectors.master), state, "weight")
        _fill(self._frozen, state, "weight")
        _fill(self._unlearnt, state, "weight")
        learnt = any(name.startswith("first.") for name in state)
        for kind, moments in self._moments.items():
            moments.zero_()
            if learnt:
                _fill(self._layout.views(moments), state, kind)
        self._updates = updates if learnt else 0
        self.divide(self._crew)
        for name, buffer in self._model.named_buffers():
            buffer.copy_(state[f"weight.{name}"])
        self._buffers = self._copied_buffers()
        self._round()
        self._gathered = False


def _fill(views: Mapping[str, Tensor], state: Mapping[str, Tensor], kind: str) -> None:
    for name, view in views.items():
        view.copy_(state[f"{kind}.{name}"])
