"""What a run of word vectors is made of."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from mirada.models.config import Strict
from mirada.models.vectors_config import VectorsConfig
from mirada.text.word_list import MOST_WORDS, WordKind
from mirada.training.config import BudgetConfig


class WordsConfig(Strict):
    """From text files to words."""

    words: WordKind = Field(default="letters", description="what stands between spaces, or letters and digits alone")
    lower: bool = Field(default=True, description="whether capitals are read as small letters")
    least: int = Field(default=5, ge=1, le=1_000_000, description="times that a word must be met")
    vocabulary: int = Field(default=1_000_000, ge=1, le=MOST_WORDS, description="words, the most frequent, at most")


class VectorsTrainingConfig(Strict):
    """How vectors learn."""

    model_config = ConfigDict(allow_inf_nan=False)

    seed: int = Field(default=1, ge=0, lt=2**63)
    budget: BudgetConfig = BudgetConfig()
    rate: float = Field(default=0.1, gt=0, description="the first; it falls evenly to nothing")
    sample: float = Field(default=1e-3, ge=0, lt=1, description="share of the text above which words are thinned")
    threads: int | None = Field(default=None, ge=1, le=1_024)
    save_minutes: float = Field(default=5.0, gt=0)


class VectorsRunConfig(Strict):
    """A whole run of word vectors."""

    data: WordsConfig = WordsConfig()
    model: VectorsConfig = VectorsConfig()
    training: VectorsTrainingConfig = VectorsTrainingConfig()
