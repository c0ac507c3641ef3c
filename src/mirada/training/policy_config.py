"""What a run of a policy is made of."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mirada.models.config import Strict
from mirada.models.policy_config import PolicyConfig
from mirada.training.config import AnyRunConfig, BudgetConfig, LearningConfig


class EpisodesConfig(Strict):
    """The episodes that are played to learn from."""

    world: Literal["coins"] = "coins"
    episodes: int = Field(default=4_000, ge=20, le=1_000_000, description="of players of mixed skill")
    seed: int = Field(default=1, ge=0, lt=2**63, description="another number gives other episodes")
    dev_share: float = Field(default=0.1, gt=0, lt=0.5)


class PolicyTrainingConfig(LearningConfig):
    """How a policy learns."""

    budget: BudgetConfig = BudgetConfig(epochs=8)
    batch_tokens: int = Field(default=2_688, ge=1, description="returns, states and actions in a batch")
    rate: float | None = Field(default=2e-3, gt=0, description="the highest learning rate")
    dropout: float | None = Field(default=0.1, ge=0, lt=1)
    smoothing: float = Field(default=0.0, ge=0, lt=1)
    precision: Literal["fp32"] = "fp32"  # returns are numbers, which need their digits
    select: Literal["loss"] = "loss"


class PolicyRunConfig(AnyRunConfig):
    """A whole run of a policy."""

    task = "policy"

    data: EpisodesConfig = EpisodesConfig()
    model: PolicyConfig = PolicyConfig()
    training: PolicyTrainingConfig = PolicyTrainingConfig()
