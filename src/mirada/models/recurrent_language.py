"""The recurrent language model: an LSTM, GRU or RNN that says which token comes next (Mikolov et al. 2010).

Legend: B batch, N places, R rows, E embedding width, W width of the states, T vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor, nn

from mirada.attention import Padding
from mirada.layers.embedding import Embedding
from mirada.layers.noise import Noise
from mirada.layers.output import OutputLayer
from mirada.layers.recurrent import CellState, RecurrentStack, hold
from mirada.models.language import LanguageModel, make_later_map, require_no_padding


@dataclass(frozen=True, eq=False)
class RecurrentLanguageState:
    """The states of all layers after the last token."""

    layers: list[CellState]

    def select(self, rows: Int[Tensor, "R2"]) -> RecurrentLanguageState:
        """The state of these rows, in this order."""
        return RecurrentLanguageState([tuple(part.index_select(0, rows) for part in layer) for layer in self.layers])


class RecurrentLanguageModel(LanguageModel[RecurrentLanguageState]):
    """A stack of recurrences over one tied embedding; its states are mapped to the embedding's width to say a token.

    It forgets nothing by rule: a text is read from its beginning, whatever its length, and what is trained on at once
    is only how far a gradient reaches.
    """

    def __init__(self, embedding: Embedding, stack: RecurrentStack, context: int, *, after_next: bool = False) -> None:
        super().__init__()
        self.embedding = embedding
        self.stack = stack
        self.context = context
        self.readout = nn.Linear(stack.width, embedding.width)
        nn.init.xavier_uniform_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)
        self.output = OutputLayer(embedding.weight)
        self.later_map = make_later_map(embedding.width) if after_next else None

    def forward(self, tokens: Int[Tensor, "B N"], noise: Noise | None = None) -> Float[Tensor, "B N E"]:
        entered = self.embedding(tokens)
        states = self.stack(entered, self._zeros(entered), None, noise)
        return self.readout(hold(noise, states))

    def start(self, source: Int[Tensor, "B N"], padding: Padding | None = None) -> RecurrentLanguageState:
        require_no_padding(padding)
        entered = self.embedding(source)
        layers = self._zeros(entered)
        for place in self.stack.project(entered).unbind(0):
            layers = self.stack.step(place, layers)[1]
        return RecurrentLanguageState(layers)

    def step(
        self, tokens: Int[Tensor, "R"], state: RecurrentLanguageState
    ) -> tuple[Float[Tensor, "R T"], RecurrentLanguageState]:
        entered = self.embedding(tokens[:, None])
        said, layers = self.stack.step(self.stack.project(entered)[0], state.layers)
        return self.output.scores(self.readout(said)), RecurrentLanguageState(layers)

    def _zeros(self, like: Float[Tensor, "B N E"]) -> list[CellState]:
        """The states before the first token."""
        nothing = like.new_zeros(len(like), self.stack.width)
        return [(nothing,) * cell.parts for cell in self.stack.cells]
