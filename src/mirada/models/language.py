"""Language models: what training and generating see of them, and the causal stack (GPT, Radford et al. 2018).

Legend: B batch, N places, R rows, W model width, T vocabulary.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention import Facts, Memory, Padding
from mirada.decoding.protocol import S
from mirada.layers.convolution import CausalConvolution
from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise
from mirada.layers.output import OutputLayer
from mirada.layers.stack import Stack


class LanguageModel(nn.Module, ABC, Generic[S]):
    """p(token | those before it): a model that goes on with a text.

    With a `later_map` its states also foretell the token after the next, while it learns (Gloeckle et al. 2024).
    """

    embedding: Embedding
    output: OutputLayer
    context: int  # tokens that it is trained on at once
    later_map: nn.Linear | None  # from states that say what follows to those that say what comes after that

    @abstractmethod
    def forward(self, tokens: Int[Tensor, "B N"], noise: Noise | None = None) -> Float[Tensor, "B N W"]:
        """The states that say what follows each place."""

    @abstractmethod
    def start(self, source: Int[Tensor, "B N"], padding: Padding | None = None) -> S:
        """The state after a text, which may be empty; of one longer than the context the end may be enough."""

    @abstractmethod
    def step(self, tokens: Int[Tensor, "R"], state: S) -> tuple[Float[Tensor, "R T"], S]:
        """The log-probabilities of the next token, and the state after these tokens."""


AnyLanguageModel = LanguageModel[Any]  # whatever it remembers between two steps


def make_later_map(width: int) -> nn.Linear:
    """A map that begins as none: what follows is the first guess at what comes after that."""
    later_map = nn.Linear(width, width)
    nn.init.eye_(later_map.weight)
    nn.init.zeros_(later_map.bias)
    return later_map


def require_no_padding(padding: Padding | None) -> None:
    """Refuse rows of different lengths."""
    if padding is not None and not padding.none:
        raise ValueError("a language model goes on from rows of one length; give the others by themselves")


@dataclass(frozen=True, eq=False)
class CausalState:
    """What the model remembers between two steps: each block's memory of what a later place can still look at.

    `tokens` are the last ones: those that would have to be read again at the end of the context, or that a convolution
    sees together with the next.
    """

    tokens: Int[Tensor, "R N"]
    past: list[Memory]
    length: int  # places that were read: the next token stands at this one

    @property
    def kept(self) -> int:
        """How many keys the blocks remember, those of the block that remembers most."""
        return max(map(len, self.past))

    def select(self, rows: Int[Tensor, "R2"]) -> CausalState:
        """The state of these rows, in this order."""
        past = [memory.select(rows) for memory in self.past]
        return CausalState(self.tokens.index_select(0, rows), past, self.length)


class CausalTransformer(LanguageModel[CausalState]):
    """A causal stack over one tied embedding; at most `context` tokens are looked at.

    With a convolution, a token enters the stack together with those just before it.
    """

    def __init__(
        self,
        embedding: Embedding,
        stack: Stack,
        context: int,
        convolution: CausalConvolution | None = None,
        *,
        after_next: bool = False,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.convolution = convolution
        self.stack = stack
        self.context = context
        self.output = OutputLayer(embedding.weight)
        self.later_map = make_later_map(embedding.width) if after_next else None
        # With a window that moves along and no place that counts from the beginning, every place is like every other.
        self.endless = embedding.places is None and all(
            pattern.relative and pattern.band.left is not None and pattern.band.left < context
            for pattern in (attention.pattern for attention in stack.looks_at_itself())
        )
        self.before = 0 if convolution is None else convolution.before  # tokens that enter with one
        self.read_again = 0 if self.endless else context // 2  # tokens, at the end of the context

    def forward(self, tokens: Int[Tensor, "B N"], noise: Noise | None = None) -> Float[Tensor, "B N W"]:
        return self.stack(self._enter(tokens, noise=noise), Facts(), noise=noise)

    def start(self, source: Int[Tensor, "B N"], padding: Padding | None = None) -> CausalState:
        require_no_padding(padding)
        nothing = source[:, :0]
        state = CausalState(nothing, self.stack.start(self.embedding(nothing)), 0)
        read = source[:, max(0, source.shape[1] - self.context + 1) :]  # room for the token of the first step
        return state if read.shape[1] == 0 else self._advance(read, state)[1]

    def step(self, tokens: Int[Tensor, "R"], state: CausalState) -> tuple[Float[Tensor, "R T"], CausalState]:
        """The log-probabilities of the next token, and the state after these tokens.

        When all places are used, the later half of the tokens is read again from the first place on: that serves every
        kind of position, and a token costs two at most. Where only relative places count and all blocks look through a
        window, nothing ends, and nothing is read again.
        """
        if state.length >= self.context and not self.endless:
            state = self.start(state.tokens[:, -self.read_again :])
        states, state = self._advance(tokens[:, None], state)
        return self.output.scores(states[:, -1]), state

    def _advance(self, tokens: Int[Tensor, "R N"], state: CausalState) -> tuple[Float[Tensor, "R N W"], CausalState]:
        offset, new = state.length, tokens.shape[1]
        known = torch.cat([state.tokens, tokens], 1)
        seen = known[:, max(0, known.shape[1] - new - self.before) :]
        entered = self._enter(seen, offset + new - seen.shape[1])[:, -new:]
        states, past = self.stack.step(entered, state.past, offset)
        last = known[:, max(0, known.shape[1] - max(self.read_again, self.before)) :]
        return states, CausalState(last, past, offset + new)

    def _enter(self, tokens: Int[Tensor, "B N"], offset: int = 0, noise: Noise | None = None) -> Float[Tensor, "B N W"]:
        """The states that enter the stack."""
        states = self.embedding(tokens, offset, noise)
        return states if self.convolution is None else self.convolution(states)
