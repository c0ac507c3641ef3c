"""What a run is made of: data, model, training; each value from a preset, a file, or the command line."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from mirada.models.config import ModelConfig, Shape, Strict, TransformerConfig, unset, unused
from mirada.text.context import MOST
from mirada.training.forcing_config import ForcingConfig, TeacherConfig
from mirada.training.precision import PrecisionKind
from mirada.training.schedule import ScheduleKind
from mirada.training.stretches import OptimizerKind


class SyntheticConfig(Strict):
    """Pairs with a side that a model wrote: how they are made, and how they are mixed with real ones."""

    beam: int = Field(default=5, ge=1, le=100, description="candidates of the search that makes them; 1 is greedy")
    most: int = Field(default=1_000_000, ge=1, le=1_000_000_000, description="lines of monolingual text that are used")
    tag: bool = Field(default=True, description="whether a source that a model wrote is told from a real one")
    originals: int = Field(default=1, ge=0, le=1_000, description="how often each real pair is there; 0: not at all")


class DataConfig(Strict):
    """From files to tokens."""

    vocabulary: int | None = Field(default=None, ge=300, le=200_000, description="subwords; by the size of the data")
    variants: int | None = Field(default=None, ge=1, le=64, description="segmentations of each pair; by its size")
    longest: int = Field(default=256, ge=2, le=100_000, description="tokens; longer pairs are not trained on")
    dev_share: float | None = Field(default=None, ge=0, lt=0.5)
    test_share: float | None = Field(default=None, ge=0, lt=0.5)
    longest_characters: int = Field(default=2_000, ge=10, le=1_000_000)
    context: int = Field(
        default=0,
        ge=0,
        le=MOST,
        exclude_if=unused,
        description="sentences before it in its document that each source is read with",
    )
    synthetic: SyntheticConfig = SyntheticConfig()


class BudgetConfig(Strict):
    """How long to train: the one that is set counts; none means as many epochs as suit the data."""

    model_config = ConfigDict(allow_inf_nan=False)

    steps: int | None = Field(default=None, ge=1)
    epochs: float | None = Field(default=None, gt=0)
    minutes: float | None = Field(default=None, gt=0)


class LearningConfig(Strict):
    """How a model learns, whatever its task."""

    model_config = ConfigDict(allow_inf_nan=False)

    seed: int = Field(default=1, ge=0, lt=2**63)
    budget: BudgetConfig = BudgetConfig()
    batch_tokens: int = Field(default=2_000, ge=16, description="padded tokens of both sides in a batch")
    accumulate: int = Field(default=1, ge=1, description="batches that make one update")
    schedule: ScheduleKind = "linear"
    rate: float | None = Field(default=None, gt=0, description="the highest learning rate; by the width")
    warmup: int | None = Field(default=None, ge=1, description="updates until it is reached; by the budget")
    optimizer: OptimizerKind | None = Field(
        default=None,
        exclude_if=unset,
        description="adam, or muon for the matrices of blocks; by the task",
    )
    beta_first: float = Field(default=0.9, ge=0, lt=1)
    beta_second: float = Field(default=0.98, ge=0, lt=1)
    decay: float = Field(default=0.0, ge=0)
    clip: float = Field(default=1.0, ge=0, description="longest gradient; 0 for no limit")
    smoothing: float = Field(default=0.1, ge=0, lt=1)
    dropout: float | None = Field(default=None, ge=0, lt=1, description="by how often the data is passed over")
    precision: PrecisionKind = "auto"
    device: str = "auto"
    threads: int | None = Field(default=None, ge=1, le=1_024)
    validations: int = Field(default=20, ge=1, description="how often the run looks at the development set")
    select: str = Field(default="loss", description="the measure by which the best weights are chosen")
    patience: int = Field(
        default=8, ge=0, description="validations without a better one before the run stops; 0: never"
    )
    average: int = Field(default=4, ge=1, description="best checkpoints whose mean the model is")
    save_minutes: float = Field(default=5.0, gt=0)
    vectors: Path | None = Field(default=None, description="word vectors that the embedding begins with")


class TrainingConfig(LearningConfig):
    """How a translator learns."""

    forcing: ForcingConfig = TeacherConfig()
    validation_sentences: int = Field(default=500, ge=1, description="of the development set, translated each time")
    select: Literal["chrf", "bleu", "loss"] = "chrf"


class AnyRunConfig(Strict):
    """A whole run, whatever its task."""

    task: ClassVar[str]

    model: Shape
    training: LearningConfig

    @property
    def whole_batches(self) -> bool:
        """Whether a batch must be computed whole: the statistics of batch norm are those of all its rows."""
        return self.model.norm == "batch"

    @property
    def samples(self) -> bool:
        """Whether variants of the data were asked for: other segmentations of a text, other keys of a piece."""
        return False

    def passes_by_heart(self, passes: float, variants: int) -> float:
        """As how many passes over data that is shown as it is these count, when what is learnt by heart is feared."""
        return passes

    @property
    def optimizer(self) -> OptimizerKind:
        """What such a model learns by, if nothing was said."""
        return "adam"

    @property
    def rate_by_muon(self) -> float:
        """The rate of such a model by Muon, if nothing was said, as a multiple of the usual one."""
        return 1.0


class RunConfig(AnyRunConfig):
    """A whole run of translation."""

    task = "translation"

    data: DataConfig = DataConfig()
    model: ModelConfig = TransformerConfig()
    training: TrainingConfig = TrainingConfig()

    @property
    def whole_batches(self) -> bool:
        # Ways to train other than by the teacher change the model's mode on the way.
        return super().whole_batches or self.training.forcing.kind != "teacher"

    @property
    def samples(self) -> bool:
        return self.data.variants is not None
