"""The result of a finished run, as it is recorded and as programs are told."""

from __future__ import annotations

from typing import Literal

from mirada.evaluation.captions import LanguageScore
from mirada.evaluation.forecasting import ForecastScores
from mirada.evaluation.language import TextScore
from mirada.evaluation.nodes import NodeScore
from mirada.evaluation.policy import PolicyScore
from mirada.evaluation.reading import BothScore, MaskedScore
from mirada.evaluation.translation import Scores
from mirada.models.config import Strict
from mirada.tasks.task import Score


class Reached(Strict):
    """What a finished run has reached, whatever its task."""

    development: Score
    parameters: int
    steps: tuple[int, ...]  # whose weights were averaged

    def as_json(self) -> dict[str, object]:
        """The result for programs."""
        development = {"loss": self.development.loss, **self.development.values}
        return {"parameters": self.parameters, "development": development}


class Result(Reached):
    """What a finished translator has reached."""

    test: Scores | None
    test_sentences: int

    def as_json(self) -> dict[str, object]:
        test = None if self.test is None else self.test.as_json() | {"sentences": self.test_sentences}
        return super().as_json() | {"test": test}


class LanguageResult(Reached):
    """What a finished language model has reached."""

    test: TextScore | None

    def as_json(self) -> dict[str, object]:
        return super().as_json() | {"test": None if self.test is None else self.test.as_json()}


class VectorsResult(Reached):
    """What finished word vectors are; the loss is that of the text they were trained on."""

    words: int
    words_per_second: float

    def as_json(self) -> dict[str, object]:
        return {
            "parameters": self.parameters,
            "training": {"loss": self.development.loss},
            "words": self.words,
            "words_per_second": self.words_per_second,
        }


class ReadTextResult(Reached):
    """What a finished masked model, or two language models, have reached."""

    task: Literal["mlm", "elmo"]
    test: MaskedScore | BothScore | None

    def as_json(self) -> dict[str, object]:
        return super().as_json() | {"test": None if self.test is None else self.test.as_json()}


class LabelMeasures(Strict):
    """The scores of a test set, in shares of one."""

    accuracy: float
    macro_f1: float
    weighted_f1: float
    count: int
    unmet: int  # with a label that was never met in training
    signature: str


class LabelResult(Reached):
    """What a finished tagger or classifier has reached."""

    labels: int
    test: LabelMeasures | None

    def as_json(self) -> dict[str, object]:
        test = None if self.test is None else self.test.model_dump()
        return super().as_json() | {"labels": self.labels, "test": test}


class ForecastResult(Reached):
    """What a finished forecaster has reached, beside what it must beat."""

    test: ForecastScores

    def as_json(self) -> dict[str, object]:
        return super().as_json() | {"test": self.test.as_json()}


class NodesResult(Reached):
    """What a finished graph network has reached."""

    task: Literal["nodes"] = "nodes"
    test: NodeScore | None

    def as_json(self) -> dict[str, object]:
        return super().as_json() | {"test": None if self.test is None else self.test.as_json()}


class CaptionResult(Reached):
    """What a finished captioner has reached."""

    languages: tuple[LanguageScore, ...]  # on the test pictures
    test_pictures: int

    def as_json(self) -> dict[str, object]:
        test = {one.language or "all": one.model_dump(exclude={"language"}) for one in self.languages}
        return super().as_json() | {"test": test or None, "test_pictures": self.test_pictures}


class PolicyResult(Reached):
    """What a finished policy has reached for each return that it was asked for."""

    test: PolicyScore

    def as_json(self) -> dict[str, object]:
        return super().as_json() | {"test": self.test.as_json()}


# What a finished run has reached, by its task; a record holds one of these.
Finished = (
    Result
    | LanguageResult
    | ReadTextResult
    | VectorsResult
    | LabelResult
    | ForecastResult
    | NodesResult
    | CaptionResult
    | PolicyResult
)
