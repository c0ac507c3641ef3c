"""The output layer: from states to tokens, asked for a loss or for the next token's scores, never for all logits.

Legend: M places that count, W model width, T vocabulary.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from mirada.operations import loss

CHUNK = 512  # places whose logits are held at once


class OutputLayer(nn.Module):
    """Scores ⟨h, E_t⟩ + b_t for each token t; E is the embedding where the two are tied."""

    def __init__(self, weight: nn.Parameter) -> None:
        super().__init__()
        self.weight = weight
        self.bias = nn.Parameter(torch.zeros(len(weight)))

    @classmethod
    def of(cls, vocabulary: int, width: int) -> OutputLayer:
        """An output layer with a table of its own."""
        weight = nn.Parameter(torch.empty(vocabulary, width))
        nn.init.normal_(weight, std=width**-0.5)
        return cls(weight)

    def loss(
        self, states: Float[Tensor, "M W"], targets: Int[Tensor, "M"], smoothing: float = 0.0
    ) -> Float[Tensor, ""]:
        """The mean cross-entropy; `smoothing` of the target's weight goes to all tokens alike (Szegedy et al. 2016)."""
        if len(states) == 0:
            raise ValueError("a loss over no place; a batch holds one target token or more")
        if loss.serves(states, self.weight, self.bias):
            return loss.cross_entropy(states, self.weight, self.bias, targets, smoothing)
        arguments = states, self.weight, self.bias, targets, smoothing
        return _CrossEntropy.apply(*arguments)  # type: ignore[no-untyped-call]

    def scores(self, states: Float[Tensor, "M W"]) -> Float[Tensor, "M T"]:
        """The log-probability of each token as the next one, in float32 or better."""
        logits = functional.linear(states, self.weight, self.bias)
        wide = torch.promote_types(logits.dtype, torch.float32)
        return functional.log_softmax(logits, -1, dtype=wide)


class _CrossEntropy(torch.autograd.Function):
    """The loss and its own gradient, a chunk of places at a time: logits of all places never exist at once.

    With p_t the probability of the target, z the logits and s the smoothing, a place costs
    −(1 − s) log p_t − s · mean log p = s · (z_t − mean z) − log p_t.
    """

    @staticmethod
    def forward(
        ctx: Any,
        states: Float[Tensor, "M W"],
        weight: Float[Tensor, "T W"],
        bias: Float[Tensor, "T"],
        targets: Int[Tensor, "M"],
        smoothing: float,
    ) -> Float[Tensor, ""]:
        wide = torch.promote_types(states.dtype, torch.float32)
        learning = any(ctx.needs_input_grad)
        # Of the mean logit of every place: they are linear in the states, so no pass over them is needed.
        mean_logits = states.sum(0, dtype=wide) @ weight.mean(0, dtype=wide) + len(states) * bias.mean(dtype=wide)
        total = -smoothing * mean_logits
        to_states = torch.empty_like(states)
        to_weight, to_bias = weight.new_zeros(()), bias.new_zeros(())
        for start in range(0, len(states), CHUNK):
            inside, wanted = states[start : start + CHUNK], targets[start : start + CHUNK]
            said = torch.arange(len(wanted), device=wanted.device), wanted
            logits = functional.linear(inside, weight, bias)
            # The gradient is rounded to the states' precision anyway, so the probabilities may be from the start.
            probabilities = logits.softmax(-1) if learning else logits.softmax(-1, dtype=wide)
            likely = probabilities[said].to(wide)
            least = torch.finfo(likely.dtype).tiny  # what a probability may have been rounded to zero from
            total += (smoothing * logits[said].to(wide) - likely.clamp_min(least).log()).sum()
            if learning:
                # d loss / d logit = probability − what the target asks for; where the two nearly meet, in full width.
                uniform = smoothing / len(weight)
                slope = probabilities.sub_(uniform)
                slope[said] = (likely - (1 - smoothing) - uniform).to(slope.dtype)
                to_states[start : start + CHUNK] = slope @ weight
                to_weight = _grown(to_weight, slope.T @ inside, wide)
                to_bias = _grown(to_bias, slope.sum(0), wide)
        ctx.save_for_backward(to_states, to_weight.to(weight.dtype), to_bias.to(bias.dtype))
        ctx.count = len(states)
        return total / len(states)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        to_states, to_weight, to_bias = ctx.saved_tensors
        share = gradient / ctx.count
        return to_states * share.to(to_states.dtype), to_weight * share.to(to_weight.dtype), to_bias * share, None, None


def _grown(total: Tensor, part: Tensor, wide: torch.dtype) -> Tensor:
    """A sum of parts: the first as it is, several in full width."""
    return part if total.dim() == 0 else total.to(wide).add_(part)
