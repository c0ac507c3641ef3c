"""What a run of a graph network is made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mirada.corpora.graph_joining import Scaling
from mirada.models.config import Strict
from mirada.models.nodes_config import GraphConfig
from mirada.training.config import AnyRunConfig, BudgetConfig, LearningConfig
from mirada.training.precision import PrecisionKind
from mirada.training.schedule import ScheduleKind


class GraphDataConfig(Strict):
    """From files to a graph."""

    both: bool = Field(default=True, description="whether an edge is looked along from both its ends")
    loops: bool = Field(default=True, description="whether a node looks at itself")
    scaling: Scaling | None = Field(default=None, description="rows of counts by their sums; by the features")
    inductive: bool = Field(default=False, description="whether only nodes that are learnt are seen while learning")
    fan_out: tuple[Annotated[int, Field(ge=0, le=100_000)], ...] | None = Field(
        default=None, description="neighbours that are drawn in each layer, 0 for all; by the size of the graph"
    )
    dev_share: float = Field(default=0.1, ge=0, lt=0.5, description="of the labels, where the file has no parts")
    test_share: float = Field(default=0.1, ge=0, lt=0.5)


class NodesTrainingConfig(LearningConfig):
    """How a graph network learns: as Veličković et al. 2018 did on citations, where nothing else is said."""

    budget: BudgetConfig = BudgetConfig(epochs=500)
    batch_tokens: int = Field(default=1_024, ge=1, description="nodes that are learnt at once, where some are drawn")
    schedule: ScheduleKind = "linear"
    rate: float | None = Field(default=0.005, gt=0)
    beta_second: float = Field(default=0.999, ge=0, lt=1)
    penalty: float = Field(default=5e-4, ge=0, description="of large weights: half of it times their squares")
    clip: float = Field(default=0.0, ge=0)
    smoothing: float = Field(default=0.0, ge=0, lt=1)
    dropout: float | None = Field(default=0.6, ge=0, lt=1)
    precision: PrecisionKind = "fp32"  # what is added up edge by edge gains nothing from bf16
    validations: int = Field(default=20, ge=1)
    patience: int = Field(default=0, ge=0)
    # Of few development nodes the accuracy jumps, and may be best at a moment when little is learnt.
    select: Literal["accuracy", "loss"] = "loss"


class NodesRunConfig(AnyRunConfig):
    """A whole run of a graph network."""

    task = "nodes"

    data: GraphDataConfig = GraphDataConfig()
    model: GraphConfig = GraphConfig()
    training: NodesTrainingConfig = NodesTrainingConfig()

    @property
    def whole_batches(self) -> bool:
        # All nodes are one batch; only drawn ones can be divided between workers.
        return self.data.fan_out is None or not any(self.data.fan_out)
