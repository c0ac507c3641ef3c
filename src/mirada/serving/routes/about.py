"""What a server is: its languages, its models, its health, its numbers."""

from http import HTTPStatus

from fastapi import APIRouter, Request, Response

from mirada.serving.curves import read_curves
from mirada.serving.languages import all_languages, name_of
from mirada.serving.messages import Curves, Health, Language, ModelReply, Named, Preferred, Settings
from mirada.serving.problem import Problem
from mirada.serving.service import TheService

router = APIRouter()


@router.get("/languages")
async def languages(service: TheService) -> list[Language]:
    """The languages that are read or written."""
    found = all_languages(service.models)
    return [Language(code=tag, name=name_of(tag), targets=targets) for tag, targets in found.items()]


@router.get("/models")
async def models(service: TheService) -> list[ModelReply]:
    """The models, the one first that is taken where several serve."""
    return [
        ModelReply(
            name=one.name,
            task=one.task,
            source=one.source,
            target=one.target,
            engine=one.engine,
            attention=one.attention,
        )
        for one in service.models.served
    ]


@router.get("/frontend/settings")
async def settings(service: TheService) -> Settings:
    """What LibreTranslate's pages ask for."""
    keys, language = bool(service.options.keys), None
    for first in service.models.translators[:1]:
        source, target = (Named(code=tag, name=name_of(tag)) for tag in (first.source, first.target))
        language = Preferred(source=source, target=target)
    return Settings(apiKeys=keys, charLimit=service.limits.characters, keyRequired=keys, language=language)


@router.get("/health")
async def health() -> Health:
    """Whether the server answers; while it stops it does not."""
    return Health()


@router.get("/run")
async def run(request: Request, service: TheService) -> Curves:
    """The curves of the training that the server was told to show."""
    service.require_key(request)
    if service.options.run is None:
        raise Problem(HTTPStatus.NOT_FOUND, "no training is shown here; start the server with --run FOLDER")
    return read_curves(service.options.run)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request, service: TheService) -> Response:
    """What the server has done, in the form that Prometheus reads."""
    service.require_key(request)
    return Response(service.metrics.as_text(), media_type="text/plain; version=0.0.4")
