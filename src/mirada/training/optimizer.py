"""The optimizer: Adam on one long float32 vector, whatever the model computes in.

All parameters lie in one vector, each parameter of the model being a view of its part: what is done to every number
(the norm, clipping, Adam, rounding) is one operation and not one for each of some hundred tensors. Where the model
computes in bf16 its parameters are views of a rounded copy; small updates add up in the float32 master and are not lost
to rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import torch
from torch import Tensor, nn

MOMENTS = {"first": "exp_avg", "second": "exp_avg_sq"}  # our names, and torch's
ALIGNMENT = 32  # numbers: each parameter begins at a cache line, in bf16 as in float32


@dataclass(frozen=True, slots=True)
class AdamSettings:
    """β₁, β₂, ε of Kingma and Ba (2015) and the decoupled decay of Loshchilov and Hutter (2019)."""

    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-9
    decay: float = 0.0


class Layout:
    """Where each parameter of a model lies in one long vector."""

    def __init__(self, shapes: Mapping[str, torch.Size]) -> None:
        self._shapes = shapes
        self._starts: dict[str, int] = {}
        self.length = 0
        for name, shape in shapes.items():
            self._starts[name] = self.length
            self.length += -(-shape.numel() // ALIGNMENT) * ALIGNMENT

    def views(self, vector: Tensor) -> dict[str, Tensor]:
        """The parts of a vector, by name and in their shapes."""
        return {
            name: vector[start : start + self._shapes[name].numel()].view(self._shapes[name])
            for name, start in self._starts.items()
        }


class Optimizer:
    """Adam with clipping. It takes the model's parameters over: they become views of its vector."""

    @torch.no_grad()
    def __init__(self, model: nn.Module, settings: AdamSettings, dtype: torch.dtype) -> None:
        self._model = model
        parameters = {name: one for name, one in model.named_parameters() if one.requires_grad}
        # What is frozen is no part of the vector, and kept as it was beside what the model computes with.
        frozen = {name: one for name, one in model.named_parameters() if not one.requires_grad}
        self._frozen = {name: one.detach().float() for name, one in frozen.items()}
        for one in frozen.values():
            one.data = one.data.to(dtype)
        self._unlearnt = frozen
        self.parameters: tuple[nn.Parameter, ...] = tuple(parameters.values())
        self._layout = Layout({name: parameter.shape for name, parameter in parameters.items()})
        device = self.parameters[0].device if self.parameters else torch.device("cpu")
        self._master = torch.zeros(self._layout.length, device=device)
        for name, view in self._layout.views(self._master).items():
            view.copy_(parameters[name])
        # The buffers of batch norm stay as they are: they gather small changes.
        self._compute = self._master if dtype == torch.float32 else self._master.to(dtype)
        for name, view in self._layout.views(self._compute).items():
            parameters[name].data = view
        self._gradient = torch.zeros_like(self._master)
        self._gathered = False
        self._buffers = self._copied_buffers()
        self._adam = torch.optim.AdamW(
            [self._master],
            lr=0.0,
            betas=settings.betas,
            eps=settings.epsilon,
            weight_decay=settings.decay,
            fused=True,
        )

    def gradients(self, loss: Tensor) -> tuple[Tensor, ...]:
        """The gradient of a loss, for `add`. It is kept nowhere, so that several threads may ask at once."""
        return torch.autograd.grad(loss, self.parameters, allow_unused=True, materialize_grads=True)

    @torch.no_grad()
    def add(self, gradients: tuple[Tensor, ...]) -> None:
        """Gather a part of the next step's gradient, in the order of `parameters`; parts add up in float32."""
        places = list(self._layout.views(self._gradient).values())
        if self._gathered:
            torch._foreach_add_(places, gradients)
        else:
            torch._foreach_copy_(places, gradients)
        self._gathered = True

    @torch.no_grad()
    def step(self, rate: float, clip: float) -> float:
        """One update from what was gathered, which is then gone; the norm it had. A norm that is not finite: none."""
        norm = float(torch.linalg.vector_norm(self._gradient))
        if isfinite(norm):
            if norm > clip > 0:
                self._gradient.mul_(clip / norm)
            self._master.grad = self._gradient
            for group in self._adam.param_groups:
                group["lr"] = rate
            self._adam.step()
            self._round()
            self._buffers = self._copied_buffers()
        else:
            self._restore_buffers()  # the forward pass of a bad step has changed them already
        self._gathered = False
        return norm

    def _round(self) -> None:
        """Bring what the model computes with up to the master."""
        if self._compute is not self._master:
            self._compute.copy_(self._master)

    def _copied_buffers(self) -> dict[str, Tensor]:
        return {name: buffer.detach().clone() for name, buffer in self._model.named_buffers()}

    def _restore_buffers(self) -> None:
        for name, buffer in self._model.named_buffers():
            buffer.copy_(self._buffers[name])

    def weights(self) -> dict[str, Tensor]:
        """The model's tensors in float32: masters, what is frozen, and buffers."""
        buffers = {name: tensor.float() for name, tensor in self._model.named_buffers()}
        return self._layout.views(self._master) | self._frozen | buffers

    def state(self) -> dict[str, Tensor]:
        """All that going on needs: weights and the two moments, by name."""
        kept = {f"weight.{name}": tensor for name, tensor in self.weights().items()}
        state = self._adam.state.get(self._master, {})
        for ours, theirs in MOMENTS.items():
            if theirs in state:
                kept |= {f"{ours}.{name}": view for name, view in self._layout.views(state[theirs]).items()}
        return kept

    @torch.no_grad()
    def restore(self, state: Mapping[str, Tensor], updates: int) -> None:
        """Go back to a state that `state` gave after this many updates."""
        _fill(self._layout.views(self._master), state, "weight")
        _fill(self._frozen, state, "weight")
        _fill(self._unlearnt, state, "weight")
        if any(name.startswith("first.") for name in state):
            moments = {theirs: torch.zeros_like(self._master) for theirs in MOMENTS.values()}
            for ours, theirs in MOMENTS.items():
                _fill(self._layout.views(moments[theirs]), state, ours)
            steps = torch.tensor(float(updates), dtype=torch.float32, device=self._master.device)
            self._adam.state[self._master] = {"step": steps, **moments}
        for name, buffer in self._model.named_buffers():
            buffer.copy_(state[f"weight.{name}"])
        self._buffers = self._copied_buffers()
        self._round()
        self._gathered = False


def _fill(views: Mapping[str, Tensor], state: Mapping[str, Tensor], kind: str) -> None:
    for name, view in views.items():
        view.copy_(state[f"{kind}.{name}"])
