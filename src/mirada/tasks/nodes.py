"""Node classification as a task: learn the labels of some nodes of a graph, score by those of others.

Legend: M nodes, Y labels.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from mirada.data.nodes import NodeBatch
from mirada.evaluation.nodes import NodeScore
from mirada.layers.noise import Noise
from mirada.models.nodes import GraphNetwork
from mirada.tasks.task import Score
from mirada.tasks.translation import evaluating


def scores_of(model: GraphNetwork, batch: NodeBatch) -> Float[Tensor, "M Y"]:
    """The log-probability of each label for each node of a batch."""
    with evaluating(model), torch.inference_mode():
        return model(batch.features, batch.hops).float().log_softmax(-1)


def judge(scores: Float[Tensor, "M Y"], batch: NodeBatch) -> NodeScore:
    """How many of the nodes whose label is known have it as their likeliest."""
    known = batch.expected >= 0
    right = (scores.argmax(-1) == batch.expected) & known
    return NodeScore(right=int(right.sum()), count=int(known.sum()))


class NodeTask:
    """A graph network that learns; a validation says the labels of the development nodes.

    `penalty` is that of large weights, λ/2 · Σ w² added to the loss: with Adam it is another thing than decay, and what
    keeps a network with few labels from knowing them by heart.
    """

    def __init__(
        self, model: GraphNetwork, development: NodeBatch, penalty: float, device: torch.device | None = None
    ) -> None:
        self._model, self._penalty = model, penalty
        self._device = torch.device("cpu") if device is None else device
        self._development = development.to(self._device)

    def loss(self, batch: NodeBatch, noise: Noise | None, smoothing: float) -> Tensor:
        batch = batch.to(self._device)
        scores = self._model(batch.features, batch.hops, noise).float()
        loss = functional.cross_entropy(scores, batch.expected, label_smoothing=smoothing)
        if not self._penalty:
            return loss
        squares = torch.stack([one.float().square().sum() for one in self._model.parameters()])
        return loss + self._penalty / 2 * squares.sum()

    def validate(self, step: int) -> Score:
        scores = scores_of(self._model, self._development)
        loss = float(functional.nll_loss(scores, self._development.expected, ignore_index=-1))
        return Score(step=step, loss=loss, values={"accuracy": judge(scores, self._development).accuracy})
