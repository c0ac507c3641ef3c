"""Stretches of the vector in which all parameters lie, each brought up to date by one worker: by Adam, or by Muon."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from mirada.training import muon

ALIGNMENT = 32  # numbers: each parameter begins at a cache line, in bf16 as in float32
# Numbers that are added at once: torch makes a copy in float32 of what it adds to float32, which stays in the cache.
WIDENED = 2**16

OptimizerKind = Literal["adam", "muon"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How weights learn.

    β₁, β₂, ε are those of Adam (Kingma and Ba 2015), with the decoupled decay of Loshchilov and Hutter (2019). By Muon
    (Jordan et al. 2024) the matrices of blocks learn: momentum, and then all singular values of a step made alike, and
    its rows. Its steps are scaled as in Liu et al. 2025, so that one rate serves both. All else learns by Adam, and
    then only the matrices decay: embeddings, norms and biases do worse with it.
    """

    kind: OptimizerKind = "adam"
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-9
    decay: float = 0.0
    momentum: float = 0.95  # of Muon


class Layout:
    """Where each parameter of a model lies in one long vector."""

    def __init__(self, shapes: Mapping[str, torch.Size]) -> None:
        self._shapes = shapes
        self._starts: dict[str, int] = {}
        self.length = 0
        for name, shape in shapes.items():
            self._starts[name] = self.length
            self.length += _aligned(shape)

    def slice_of(self, names: Sequence[str]) -> slice:
        """Where parameters lie that stand one behind the other, at least one."""
        return slice(self._starts[names[0]], self._starts[names[-1]] + _aligned(self._shapes[names[-1]]))

    def sizes(self, names: Sequence[str]) -> list[int]:
        """How many numbers parameters have."""
        return [self._shapes[name].numel() for name in names]

    def views(self, vector: Tensor) -> dict[str, Tensor]:
        """The parts of a vector, by name and in their shapes."""
        return {
            name: vector[start : start + self._shapes[name].numel()].view(self._shapes[name])
            for name, start in self._starts.items()
        }

    def vector(self, tensors: Sequence[Tensor]) -> Tensor:
        """Tensors of these shapes, in their order, as one vector."""
        pieces = []
        for tensor in tensors:
            gap = -tensor.numel() % ALIGNMENT
            pieces += [tensor.reshape(-1), *([tensor.new_zeros(gap)] if gap else [])]
        return torch.cat(pieces)


def _aligned(shape: torch.Size) -> int:
    """The places of a parameter of this shape."""
    return -(-shape.numel() // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True, eq=False)
class Vectors:
    """All that there is of every parameter: float32, and what the model computes with."""

    master: Tensor
    compute: Tensor  # the master itself where the model computes in float32
    gradient: Tensor
    first: Tensor  # moments
    second: Tensor

    @classmethod
    def of(cls, length: int, dtype: torch.dtype, device: torch.device) -> Vectors:
        """Zeros."""
        master, gradient, first, second = (torch.zeros(length, device=device) for _ in range(4))
        return cls(master, master if dtype == torch.float32 else master.to(dtype), gradient, first, second)


class Stretch(ABC):
    """A part of the vector, which one worker brings up to date."""

    def __init__(self, where: slice, vectors: Vectors) -> None:
        self._where = where
        self._master, self._gradient, self._compute = (
            vector[where] for vector in (vectors.master, vectors.gradient, vectors.compute)
        )

    @torch.no_grad()
    def add(self, gradient: Tensor, *, afresh: bool) -> None:
        """Add its part of a gradient, afresh in the place of what was there."""
        part = gradient[self._where]
        if afresh:
            self._gradient.copy_(part)
            return
        for whole, one in zip(self._gradient.split(WIDENED), part.split(WIDENED), strict=True):
            whole.add_(one)

    @torch.no_grad()
    def norm(self) -> float:
        """The norm of its part."""
        return float(torch.linalg.vector_norm(self._gradient))

    @torch.no_grad()
    def step(self, rate: float, scale: float) -> None:
        """An update by the scaled gradient; then what the model computes with is brought up to the master."""
        if scale != 1:
            self._gradient.mul_(scale)
        self._update(rate)
        if self._compute.dtype != self._master.dtype:
            self._compute.copy_(self._master)

    @abstractmethod
    def _update(self, rate: float) -> None:
        """Bring the master up to date by the gradient."""


class AdamStretch(Stretch):
    """Numbers, whatever they belong to."""

    def __init__(self, where: slice, vectors: Vectors, settings: Settings, updates: int) -> None:
        super().__init__(where, vectors)
        self._adam = torch.optim.AdamW(
            [self._master],
            lr=0.0,
            betas=settings.betas,
            eps=settings.epsilon,
            weight_decay=settings.decay if settings.kind == "adam" else 0.0,
            fused=True,
        )
        self._adam.state[self._master] = {
            "step": torch.tensor(float(updates), dtype=torch.float32, device=self._master.device),
            "exp_avg": vectors.first[where],
            "exp_avg_sq": vectors.second[where],
        }

    def _update(self, rate: float) -> None:
        self._master.grad = self._gradient
        _step(self._adam, rate)


class MuonStretch(Stretch):
    """Matrices, each of them whole.

    The means of their gradients are kept where Adam keeps its first moments; those of their rows' squares in the first
    column of where it keeps its second.
    """

    def __init__(self, names: Sequence[str], layout: Layout, vectors: Vectors, settings: Settings) -> None:
        super().__init__(layout.slice_of(names), vectors)
        views = [layout.views(one) for one in (vectors.master, vectors.gradient, vectors.first)]
        second = layout.views(vectors.second)
        self._matrices = [(*(view[name] for view in views), second[name][:, :1]) for name in names]
        self._settings = settings

    def _update(self, rate: float) -> None:
        momentum, decay, kind = self._settings.momentum, self._settings.decay, self._compute.dtype
        for matrix, gradient, mean, rows in self._matrices:
            muon.move(matrix, gradient, mean, rows, rate=rate, momentum=momentum, decay=decay, kind=kind)


def _step(optimizer: torch.optim.Optimizer, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
