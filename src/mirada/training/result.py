"""The result of a finished run, as it is recorded and as programs are told."""

from __future__ import annotations

from mirada.evaluation.translation import Scores
from mirada.models.config import Strict
from mirada.tasks.task import Score


class Result(Strict):
    """What a finished run has reached."""

    development: Score
    test: Scores | None
    test_sentences: int
    parameters: int
    steps: tuple[int, ...]  # whose weights were averaged

    def as_json(self) -> dict[str, object]:
        """The result for programs."""
        test = None if self.test is None else self.test.as_json() | {"sentences": self.test_sentences}
        development = {"loss": self.development.loss, **self.development.values}
        return {"parameters": self.parameters, "development": development, "test": test}
