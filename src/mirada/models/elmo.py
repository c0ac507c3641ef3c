"""Two language models, one from each end, and the contextual embedding that is mixed from their layers (ELMo).

Peters et al. 2018: with h_0 the embedding and h_j the j-th layers of both, side by side, a place is

    γ · Σ_j s_j h_j,   s = softmax(w)

and what a task learns are γ and w alone: the two models are as they were trained.

Legend: B batch, N places, W width of one direction, M places that count, S width of the states.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention import Padding
from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise
from mirada.layers.output import OutputLayer
from mirada.layers.recurrent import Recurrence, RecurrentEncoder, hold, lengths_of, turn
from mirada.models.masked import head
from mirada.models.reading import Reader


class BothModels(nn.Module):
    """A forward and a backward stack over one embedding: separate recurrences, residual from the second layer on."""

    def __init__(self, embedding: Embedding, layers: int) -> None:
        super().__init__()
        self.width = embedding.width
        self.embedding = embedding
        self.forth = nn.ModuleList(Recurrence("lstm", self.width, self.width) for _ in range(layers))
        self.back = nn.ModuleList(Recurrence("lstm", self.width, self.width) for _ in range(layers))

    def layers(
        self, entered: Int[Tensor, "B N"], padding: Padding | None, noise: Noise | None = None
    ) -> Iterator[tuple[Float[Tensor, "B N W"], Float[Tensor, "B N W"]]]:
        """The states of both directions, layer by layer: first the embedding, twice."""
        forth = back = self.embedding(entered)
        yield forth, back
        lengths, places = lengths_of(forth, padding), torch.arange(forth.shape[1], device=forth.device)[None]
        turned = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
        for number, (onward, backward) in enumerate(zip(self.forth, self.back, strict=True)):
            ahead = onward(hold(noise, forth))
            behind = turn(backward(turn(hold(noise, back), turned)), turned)
            forth, back = (forth + ahead, back + behind) if number else (ahead, behind)
            yield forth, back


class ElmoReader(Reader):
    """A mix of the layers of two frozen language models, and the recurrence of the task over it, if it has one."""

    def __init__(self, models: BothModels, task: RecurrentEncoder | None) -> None:
        super().__init__()
        self.models = models.requires_grad_(False)
        self.mixture = nn.Parameter(torch.zeros(1 + len(models.forth)))
        self.scale = nn.Parameter(torch.ones(()))
        self.task = task
        self.width = 2 * models.width if task is None else task.width

    def forward(
        self, entered: Int[Tensor, "B N"], padding: Padding | None = None, noise: Noise | None = None
    ) -> Float[Tensor, "B N S"]:
        """The mixed states, read by the task's own recurrence."""
        with torch.no_grad():
            layers = [torch.cat(states, -1) for states in self.models.layers(entered, padding)]
        shares = self.mixture.softmax(0)
        mixed = self.scale * torch.stack([share * layer for share, layer in zip(shares, layers, strict=True)]).sum(0)
        return mixed if self.task is None else self.task(mixed, padding, noise)[0]


class StaticReader(Reader):
    """Frozen vectors of tokens without their context, and the recurrence of the task over them, if it has one."""

    def __init__(self, embedding: Embedding, task: RecurrentEncoder | None) -> None:
        super().__init__()
        self.embedding = embedding.requires_grad_(False)
        self.task = task
        self.width = embedding.width if task is None else task.width

    def forward(
        self, entered: Int[Tensor, "B N"], padding: Padding | None = None, noise: Noise | None = None
    ) -> Float[Tensor, "B N S"]:
        """The vectors, read by the task's own recurrence."""
        states = self.embedding(entered)
        return states if self.task is None else self.task(states, padding, noise)[0]


class BidirectionalModel(nn.Module):
    """The two language models as they learn: both say tokens through one readout and the tied embedding."""

    def __init__(self, reader: ElmoReader) -> None:
        super().__init__()
        reader.requires_grad_(False)  # a task learns the rest
        self.reader = reader
        self.models.requires_grad_(True)
        self.readout = head(self.models.width, self.models.width)
        self.output = OutputLayer(self.models.embedding.weight)

    @property
    def models(self) -> BothModels:
        """The two language models."""
        return self.reader.models

    def forward(
        self,
        entered: Int[Tensor, "B N"],
        padding: Padding | None,
        ahead: Int[Tensor, "M"],
        behind: Int[Tensor, "M"],
        noise: Noise | None = None,
    ) -> Float[Tensor, "2*M W"]:
        """The states that say what follows the places `ahead`, then those that say what is before `behind`."""
        *_, (forth, back) = self.models.layers(entered, padding, noise)
        chosen = [
            states.flatten(0, 1).index_select(0, places)
            for states, places in ((hold(noise, forth), ahead), (hold(noise, back), behind))
        ]
        return self.readout(torch.cat(chosen))
