"""What readers are made of: models that turn what they read into states, for a head to say something of.

A run that tags, classifies or fills in words has such a config as its `model`; what it says is its task's own. So a
reader that learnt one task can begin another.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from mirada.attention import Learned, Sinusoidal
from mirada.attention.heads import divide
from mirada.layers.block import NormOrder
from mirada.layers.feed_forward import Activation
from mirada.layers.norm import NormKind
from mirada.layers.recurrent import RecurrentNorm
from mirada.models.config import DEEPEST, WIDEST, RecurrentEncoderConfig, Shape, StackConfig, by_kind, check_heads
from mirada.models.perceptron import Step
from mirada.models.words import EnteredWord

SPELLING = Field(
    default=0,
    ge=0,
    le=10_000_000,
    description="rows of a table of affixes and shapes, with which whole words are read; 0: subwords, one by one",
)


class EncoderConfig(Shape):
    """The encoder alone: a stack in which every place may look at all (BERT, Devlin et al. 2019)."""

    kind: Literal["encoder"] = "encoder"
    width: int = Field(default=128, ge=2, le=WIDEST)
    feed_forward: int = Field(default=512, ge=1, le=8 * WIDEST)
    activation: Activation = "gelu"
    norm: NormKind = "layer"
    norm_order: NormOrder = "pre"
    position: EnteredWord = Sinusoidal()
    spelling: int = SPELLING
    segments: int = Field(default=0, ge=0, le=1_000, description="kinds of sentences that are told apart; 0: none")
    stack: StackConfig = StackConfig()

    @property
    def places(self) -> int | None:
        """How many places the model has vectors for; None where it knows every place."""
        return self.position.places if isinstance(self.position, Learned) else None

    @property
    def size(self) -> str:
        """The size of the model in words."""
        stack = self.stack
        return f"{stack.layers} layers, width {self.width}, feed-forward {self.feed_forward:,}, {stack.heads} heads"

    @model_validator(mode="after")
    def _heads_fit(self) -> EncoderConfig:
        check_heads(self.width, stack=self.stack)
        return self


class RecurrentReaderConfig(Shape):
    """The recurrent reader: an RNN, GRU or LSTM over the words, from one end or from both."""

    kind: Literal["recurrent_encoder"] = "recurrent_encoder"
    width: int = Field(default=128, ge=2, le=WIDEST, description="of the embedding")
    norm: RecurrentNorm = "none"
    spelling: int = SPELLING
    stack: RecurrentEncoderConfig = RecurrentEncoderConfig()

    @property
    def places(self) -> None:
        """How many places the model has vectors for: it reads any number."""
        return

    @property
    def size(self) -> str:
        """The size of the model in words."""
        stack = self.stack
        return f"{stack.layers} layers of {stack.cell} {stack.width}, {stack.directions} ways, embedding {self.width}"

    @model_validator(mode="after")
    def _directions_fit(self) -> RecurrentReaderConfig:
        if self.stack.directions == "both":
            divide(self.stack.width, 2, "model.stack.width", "the directions of model.stack")
        return self


class FrozenConfig(Shape):
    """Vectors that are not learnt any more, and the task's own recurrence over them."""

    width: int = Field(default=128, ge=2, le=WIDEST, description="of the embedding, and of each direction")
    norm: RecurrentNorm = "none"
    task_layers: int = Field(default=1, ge=0, le=DEEPEST, description="of the task's own LSTM, both ways; 0: none")
    task_width: int = Field(default=128, ge=2, le=WIDEST, description="of its states, both directions together")

    @property
    def places(self) -> None:
        """How many places the model has vectors for: it reads any number."""
        return

    @property
    def over(self) -> str:
        """What the task has of its own, in words."""
        return f"; over them {self.task_layers} layers of lstm {self.task_width}" if self.task_layers else ""

    @model_validator(mode="after")
    def _directions_fit(self) -> FrozenConfig:
        if self.task_layers:
            divide(self.task_width, 2, "model.task_width", "its two directions")
        return self


class ElmoConfig(FrozenConfig):
    """A mix of the layers of two frozen language models, one from each end (ELMo, Peters et al. 2018)."""

    kind: Literal["elmo"] = "elmo"
    layers: int = Field(default=2, ge=1, le=DEEPEST, description="of each of the two language models")

    @property
    def size(self) -> str:
        """The size of the model in words."""
        return f"{self.layers} layers of lstm {self.width} from each end{self.over}"


class StaticConfig(FrozenConfig):
    """Frozen vectors of tokens, the same in every context."""

    kind: Literal["static"] = "static"

    @property
    def size(self) -> str:
        """The size of the model in words."""
        return f"static vectors of width {self.width}{self.over}"


class PerceptronConfig(Shape):
    """The perceptron: numbers in, one state out."""

    kind: Literal["perceptron"] = "perceptron"
    width: int = Field(default=128, ge=1, le=WIDEST)
    norm: Literal["none"] = "none"
    layers: int = Field(default=2, ge=1, le=DEEPEST)
    activation: Step = "relu"

    @property
    def places(self) -> None:
        """How many places the model has vectors for: it has one, and no vector for it."""
        return

    @property
    def size(self) -> str:
        """The size of the model in words."""
        return f"{self.layers} layers, width {self.width}, {self.activation}"


ReadingConfig = Annotated[
    Annotated[EncoderConfig, Tag("encoder")]
    | Annotated[RecurrentReaderConfig, Tag("recurrent_encoder")]
    | Annotated[ElmoConfig, Tag("elmo")]
    | Annotated[StaticConfig, Tag("static")]
    | Annotated[PerceptronConfig, Tag("perceptron")],
    by_kind("encoder", "recurrent_encoder", "elmo", "static", "perceptron"),
]
AnyReadingConfig = EncoderConfig | RecurrentReaderConfig | ElmoConfig | StaticConfig | PerceptronConfig
