"""The decision transformer: what to do next, given what is to be reached (Chen et al. 2021).

Legend: B episodes, T steps, F features of a state, A actions, W width.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from mirada.attention import Facts, Memory
from mirada.layers.noise import Noise, drop
from mirada.layers.stack import Stack
from mirada.models.blocks import make_block
from mirada.models.drawn import drawn_from
from mirada.models.policy_config import PolicyConfig

KINDS = 3  # of tokens at each step: return-to-go, state, action


@dataclass(frozen=True, eq=False)
class Game:
    """What is remembered between two steps of episodes: how many there were, and each block's memory."""

    steps: int
    past: list[Memory]


class DecisionTransformer(nn.Module):
    """p(a_t | R_1, s_1, a_1, …, R_t, s_t): a causal stack over the returns still to come, the states and the actions.

    All three tokens of a step have the same place vector. What is said at a state is the action of its step, so the
    action itself, which stands behind it, is not seen.
    """

    def __init__(self, config: PolicyConfig, features: int, actions: int, steps: int, most: float) -> None:
        super().__init__()
        self.config, self.steps, self.most = config, steps, most
        width = config.width
        self.wanted = nn.Linear(1, width)
        self.seen = nn.Linear(features, width)
        self.done = nn.Parameter(torch.empty(actions, width))
        self.places = nn.Parameter(torch.empty(steps, width))
        for table in (self.done, self.places):
            nn.init.normal_(table, std=0.1)
        blocks = [make_block(config, config.stack, None, causal=True) for _ in range(config.stack.layers)]
        self.stack = Stack(blocks, config.norm)
        self.head = nn.Linear(width, actions)

    def forward(
        self,
        returns: Float[Tensor, "B T"],
        states: Float[Tensor, "B T F"],
        actions: Int[Tensor, "B T"],
        noise: Noise | None = None,
    ) -> Float[Tensor, "B T A"]:
        """The scores of the actions at each step; the action of the last step may be any, since none looks at it."""
        batch, steps = actions.shape
        tokens = torch.stack([self._wanted(returns), self.seen(states), functional.embedding(actions, self.done)], 2)
        entered = (tokens + self.places[:steps, None]).view(batch, KINDS * steps, -1)
        read = self.stack(drop(noise, entered), Facts(), noise=noise)
        return self.head(read.view(batch, steps, KINDS, -1)[:, :, 1])

    def step(
        self, returns: Float[Tensor, "B"], states: Float[Tensor, "B F"], game: Game | None, actions: Int[Tensor, "B"]
    ) -> tuple[Float[Tensor, "B A"], Game]:
        """The scores of the next actions, and what is remembered; `actions` are those of the step before, if any."""
        tokens = torch.stack([self._wanted(returns), self.seen(states)], 1)
        number = 0 if game is None else game.steps
        entered = tokens + self.places[number]
        if game is None:
            past = self.stack.start(entered)
        else:
            past = game.past
            before = functional.embedding(actions, self.done)[:, None] + self.places[number - 1]
            entered = torch.cat([before, entered], 1)
        read, past = self.stack.step(entered, past, max(0, KINDS * number - 1))
        return self.head(read[:, -1]), Game(number + 1, past)

    def _wanted(self, returns: Float[Tensor, "..."]) -> Float[Tensor, "... W"]:
        """Returns as tokens, in units of the most that can be reached: small numbers are learnt as fast as others."""
        return self.wanted(returns[..., None] / self.most)


def build_policy(
    config: PolicyConfig, features: int, actions: int, steps: int, most: float, seed: int | None = None
) -> DecisionTransformer:
    """A fresh policy. With a seed, the same numbers on every call."""
    with drawn_from(seed):
        return DecisionTransformer(config, features, actions, steps, most)
