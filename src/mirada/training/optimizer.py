"""The optimizer: Adam on float32 masters, whatever the model computes in.

Where the model computes in bf16, each of its parameters is a rounded copy of a float32 master; small updates add up in
the master and are not lost to rounding. In float32 the master is the parameter itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import torch
from torch import Tensor, nn

MOMENTS = {"first": "exp_avg", "second": "exp_avg_sq"}  # our names, and torch's


@dataclass(frozen=True, slots=True)
class AdamSettings:
    """β₁, β₂, ε of Kingma and Ba (2015) and the decoupled decay of Loshchilov and Hutter (2019)."""

    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-9
    decay: float = 0.0


class Optimizer:
    """Adam with clipping, over the masters of a model's parameters."""

    def __init__(self, model: nn.Module, settings: AdamSettings, dtype: torch.dtype) -> None:
        self._model = model
        names = [name for name, _ in model.named_parameters()]
        self._masters: list[Tensor] = list(model.parameters())
        if dtype != torch.float32:
            self._masters = [parameter.detach().clone() for parameter in model.parameters()]
            for parameter in model.parameters():  # the buffers of batch norm stay exact: they gather small changes
                parameter.data = parameter.data.to(dtype)
        self._names = names
        self._compute = list(model.parameters())
        self._buffers = self._copied_buffers()
        self._adam = torch.optim.AdamW(
            self._masters,
            lr=0.0,
            betas=settings.betas,
            eps=settings.epsilon,
            weight_decay=settings.decay,
            fused=True,
        )

    @property
    def _apart(self) -> bool:
        """Whether the masters are not the parameters themselves."""
        return bool(self._masters) and self._masters[0] is not self._compute[0]

    def step(self, rate: float, clip: float) -> float:
        """One update from the gradients, which are then gone; the norm they had. A norm that is not finite: none."""
        gradients = [parameter.grad for parameter in self._compute]
        found = [gradient for gradient in gradients if gradient is not None]
        norm = float(torch.nn.utils.get_total_norm(found))
        if isfinite(norm):
            if norm > clip > 0:
                torch._foreach_mul_(found, clip / norm)
            if self._apart:
                for master, gradient in zip(self._masters, gradients, strict=True):
                    master.grad = None if gradient is None else gradient.float()
            for group in self._adam.param_groups:
                group["lr"] = rate
            self._adam.step()
            if self._apart:
                torch._foreach_copy_(self._compute_data(), self._masters)
            self._buffers = self._copied_buffers()
        else:
            self._restore_buffers()  # the forward pass of a bad step has changed them already
        self.forget_gradients()
        return norm

    def _copied_buffers(self) -> dict[str, Tensor]:
        return {name: buffer.detach().clone() for name, buffer in self._model.named_buffers()}

    @torch.no_grad()
    def _restore_buffers(self) -> None:
        for name, buffer in self._model.named_buffers():
            buffer.copy_(self._buffers[name])

    def _compute_data(self) -> list[Tensor]:
        return [parameter.detach() for parameter in self._compute]

    def forget_gradients(self) -> None:
        """Start the next update from nothing."""
        for parameter in (*self._compute, *self._masters):
            parameter.grad = None

    def weights(self) -> dict[str, Tensor]:
        """The model's tensors in float32: masters, and buffers."""
        masters = dict(zip(self._names, (master.detach() for master in self._masters), strict=True))
        buffers = {name: tensor.float() for name, tensor in self._model.named_buffers()}
        return masters | buffers

    def state(self) -> dict[str, Tensor]:
        """All that going on needs: weights and the two moments, by name."""
        kept = {f"weight.{name}": tensor for name, tensor in self.weights().items()}
        for name, master in zip(self._names, self._masters, strict=True):
            state = self._adam.state.get(master, {})
            kept |= {f"{ours}.{name}": state[theirs] for ours, theirs in MOMENTS.items() if theirs in state}
        return kept

    @torch.no_grad()
    def restore(self, state: Mapping[str, Tensor], updates: int) -> None:
        """Go back to a state that `state` gave after this many updates."""
        weights = {name.removeprefix("weight."): tensor for name, tensor in state.items() if name.startswith("weight.")}
        for name, master in zip(self._names, self._masters, strict=True):
            master.copy_(weights[name])
            if f"first.{name}" in state:
                self._adam.state[master] = {
                    "step": torch.tensor(float(updates), dtype=torch.float32, device=master.device),
                    **{theirs: state[f"{ours}.{name}"].to(master.device) for ours, theirs in MOMENTS.items()},
                }
        for name, buffer in self._model.named_buffers():
            buffer.copy_(weights[name])
        self._buffers = self._copied_buffers()
        if self._apart:
            torch._foreach_copy_(self._compute_data(), self._masters)
        self.forget_gradients()
