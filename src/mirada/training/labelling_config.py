"""What runs of taggers and classifiers are made of."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from mirada.corpora.conllu import column_of
from mirada.models.config import Strict
from mirada.models.labelling import WordGraph
from mirada.models.labelling_config import ClassifierHeadConfig, TaggerHeadConfig
from mirada.models.reading_config import ReadingConfig, RecurrentReaderConfig
from mirada.training.config import AnyRunConfig, LearningConfig


class LabelDataConfig(Strict):
    """From files to labelled rows."""

    vocabulary: int | None = Field(default=None, ge=300, le=200_000, description="subwords; by the size of the text")
    longest: int = Field(default=256, ge=2, le=100_000, description="words or subwords that are read at once")
    dev_share: float | None = Field(default=None, ge=0, lt=0.5, description="by the size of the data")
    test_share: float | None = Field(default=None, ge=0, lt=0.5)


class TagDataConfig(LabelDataConfig):
    """From treebanks to labelled words."""

    column: str = Field(default="upos", description="of CoNLL-U: upos, xpos, feats, deprel, …, or its number from 1")
    graph: WordGraph = Field(default="complete", description="whom a word looks at: all, or its neighbours in the tree")

    @field_validator("column")
    @classmethod
    def _is_a_column(cls, value: str) -> str:
        column_of(value)
        return value


class ClassifyDataConfig(LabelDataConfig):
    """From tables to labelled texts or rows of numbers."""

    text: str | None = Field(default=None, max_length=500, description="the name of the column of texts")
    label: str | None = Field(default=None, max_length=500, description="the name of the column of labels")
    balance: bool = Field(default=False, description="whether every label is to be seen equally often")


class LabelTrainingConfig(LearningConfig):
    """How a model that labels learns."""

    smoothing: float = Field(default=0.05, ge=0, lt=1)
    select: Literal["accuracy", "macro_f1", "loss"] = "accuracy"


class LabelRunConfig(AnyRunConfig):
    """A whole run of a model that labels."""

    data: LabelDataConfig
    model: ReadingConfig = RecurrentReaderConfig()
    head: TaggerHeadConfig | ClassifierHeadConfig
    training: LabelTrainingConfig = LabelTrainingConfig()


class TagRunConfig(LabelRunConfig):
    """A whole run of a tagger."""

    task = "tag"

    data: TagDataConfig = TagDataConfig()
    head: TaggerHeadConfig = TaggerHeadConfig()

    @model_validator(mode="after")
    def _can_look(self) -> TagRunConfig:
        if self.data.graph == "tree" and self.model.kind != "encoder":
            raise ValueError(
                f"data.graph = tree needs words that look, not model.kind = {self.model.kind}; use encoder"
            )
        return self


class ClassifyRunConfig(LabelRunConfig):
    """A whole run of a classifier."""

    task = "classify"

    data: ClassifyDataConfig = ClassifyDataConfig()
    head: ClassifierHeadConfig = ClassifierHeadConfig()
