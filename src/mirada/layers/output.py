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
        arguments = states, self.weight, self.bias, targets, smoothing
        return _CrossEntropy.apply(*arguments)  # type: ignore[no-untyped-call]

    def scores(self, states: Float[Tensor, "M W"]) -> Float[Tensor, "M T"]:
        """The log-probability of each token as the next one, in float32 or better."""
        logits = functional.linear(states, self.weight, self.bias)
        wide = torch.promote_types(logits.dtype, torch.float32)
        return functional.log_softmax(logits, -1, dtype=wide)


class _CrossEntropy(torch.autograd.Function):
    """The loss and its own gradient, a chunk of places at a time: logits of all places never exist at once."""

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
        total = torch.zeros((), dtype=wide, device=states.device)
        to_states = torch.empty_like(states)
        to_weight, to_bias = torch.zeros_like(weight, dtype=wide), torch.zeros_like(bias, dtype=wide)
        for start in range(0, len(states), CHUNK):
            chunk = slice(start, start + CHUNK)
            logits, wanted = functional.linear(states[chunk], weight, bias), targets[chunk, None]
            # The gradient is rounded to the states' precision anyway, so the probabilities may be from the start.
            probabilities = logits.softmax(-1) if learning else logits.softmax(-1, dtype=wide)
            log_sum = _log_sum(logits, probabilities, wide)
            said = logits.gather(1, wanted)[:, 0].to(wide)
            total += (log_sum - (1 - smoothing) * said - smoothing * logits.mean(-1, dtype=wide)).sum()
            if learning:
                # d loss / d logit = probability − what the target asks for; where the two nearly meet, in full width.
                uniform = smoothing / len(weight)
                slope = probabilities.sub_(uniform)
                exact = (said - log_sum).exp() - (1 - smoothing) - uniform
                slope.scatter_(1, wanted, exact[:, None].to(slope.dtype))
                to_bias += slope.sum(0, dtype=wide)
                to_states[chunk] = slope @ weight
                to_weight += slope.T @ states[chunk]
        ctx.save_for_backward(to_states, to_weight.to(weight.dtype), to_bias.to(bias.dtype))
        ctx.count = len(states)
        return total / len(states)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        to_states, to_weight, to_bias = ctx.saved_tensors
        share = gradient / ctx.count
        return to_states * share.to(to_states.dtype), to_weight * share.to(to_weight.dtype), to_bias * share, None, None


def _log_sum(
    logits: Float[Tensor, "M T"], probabilities: Float[Tensor, "M T"], wide: torch.dtype
) -> Float[Tensor, "M"]:
    """log Σ exp(logit), read off the likeliest token: its logit minus the logarithm of its probability."""
    best, place = probabilities.max(-1)
    return logits.gather(1, place[:, None])[:, 0].to(wide) - best.to(wide).log()
