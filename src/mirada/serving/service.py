"""A service: all that the routes of one server share."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from mirada.serving.batching import Batcher, Work
from mirada.serving.guard import Door
from mirada.serving.keys import Keys
from mirada.serving.languages import Guess, guess_among
from mirada.serving.limits import Limits
from mirada.serving.messages import AttentionRequest, ModelRequest
from mirada.serving.metrics import Metrics
from mirada.serving.models import AUTO, Models
from mirada.serving.problem import Problem
from mirada.serving.security import Neighbours
from mirada.serving.served import Served, ServedTranslator

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Options:
    """How a server is to be run."""

    limits: Limits = field(default_factory=Limits)
    keys: Keys = field(default_factory=Keys)
    neighbours: Neighbours = field(default_factory=Neighbours)
    beam: int = 5
    run: Path | None = None  # the folder of a training whose curves are shown


class Service:
    """Models, the queue before them, and what is allowed."""

    def __init__(self, models: Models, options: Options) -> None:
        self.models = models
        self.options = options
        self.limits = options.limits
        self.metrics = Metrics()
        self.door = Door()
        self.batcher = Batcher(self.limits.batch, self.limits.queue, self.metrics)

    def choose(self, asked: ModelRequest, text: str) -> tuple[ServedTranslator, Guess | None]:
        """The translator for a text, and its language where that was to be found out."""
        first = self.models.translator(asked.model)  # or nothing can be translated
        if asked.source != AUTO:
            return self.models.choose(asked.source, asked.target, asked.model), None
        if asked.model is not None:
            guess = guess_among(text, [first.source])
            return self.models.choose(guess.language, asked.target, asked.model), guess
        sources = self.models.sources_of(asked.target)
        if not sources:
            raise Problem.wrong(f"this language is not served; there is {self.models.told()}")
        guess = guess_among(text, sources)
        return self.models.choose(guess.language, asked.target), guess

    def choose_to_look(self, asked: AttentionRequest) -> Served:
        """The model that is to be looked into: by its name, by its languages, or the first that can be."""
        named = None if asked.model is None else self.models.named(asked.model)
        if named is not None and not isinstance(named, ServedTranslator):
            return named
        if asked.source is not None and asked.target is not None:
            languages = ModelRequest(source=asked.source, target=asked.target, model=asked.model)
            return self.choose(languages, asked.q)[0]
        if asked.source is not None or asked.target is not None:
            raise Problem.wrong("a translator has two languages; give source and target, or the name of a model")
        return named or next((one for one in self.models.served if one.attention), self.models.served[0])

    async def ask(self, work: Work[Item, Result], items: Sequence[Item]) -> list[Result]:
        """The results of items; what a model refuses is told to the client."""
        try:
            return await self.batcher.ask(work, items)
        except ValueError as error:
            raise Problem.wrong(str(error)) from None

    def require_key(self, request: Request, given: str | None = None) -> None:
        """Refuse who has no key, where one is needed."""
        self.options.keys.require(given, request.headers.get("authorization"))


def service_of(request: Request) -> Service:
    """The service of the application that a request came to."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]
