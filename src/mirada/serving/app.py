"""The application: routes, and around them what every request passes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from mirada import __version__
from mirada.serving.forms import FORM
from mirada.serving.guard import JSON, Guard
from mirada.serving.metrics import Metered
from mirada.serving.models import Models
from mirada.serving.problem import Problem, ProblemBody
from mirada.serving.routes import about, looking, pages, predicting, translating, writing
from mirada.serving.security import Secure
from mirada.serving.service import Options, Service

CLOSING_SECONDS = 30.0  # that a batch may still take when the server ends

REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": ProblemBody, "description": "The request cannot be followed."},
    403: {"model": ProblemBody, "description": "A key is needed, or the site is not allowed."},
    413: {"model": ProblemBody, "description": "More is asked for than a limit allows."},
    429: {"model": ProblemBody, "description": "Too many requests are waiting."},
    503: {"model": ProblemBody, "description": "The server is stopping, or there was no answer in time."},
    "default": {"model": ProblemBody, "description": "Any other refusal."},
}


def make_app(models: Models, options: Options) -> FastAPI:
    """The application that serves these models."""
    service = Service(models, options)
    app = FastAPI(
        title="Mirada",
        version=__version__,
        description="Translators behind LibreTranslate's API, models that write or label, and a look into them all.",
        docs_url=None,  # FastAPI's pages fetch their scripts from elsewhere
        redoc_url=None,
        lifespan=_working,
        responses=REFUSALS,
    )
    app.state.service = service
    for part in (translating, writing, predicting, looking, about, pages):
        app.include_router(part.router)
    _tell_of_forms(app)
    _add_handlers(app)
    _add_surroundings(app, service)
    return app


@asynccontextmanager
async def _working(app: FastAPI) -> AsyncIterator[None]:
    """The time that the application runs, with the thread that works."""
    service: Service = app.state.service
    service.batcher.start()
    yield
    service.batcher.close(CLOSING_SECONDS)


def _add_surroundings(app: FastAPI, service: Service) -> None:
    """What stands around the routes; the last one stands outside of all."""
    paths = ["/", *app.openapi()["paths"]]
    app.add_middleware(Guard, limits=service.limits, door=service.door)
    if origins := service.options.neighbours.origins:
        app.add_middleware(CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["*"])
    app.add_middleware(Secure, neighbours=service.options.neighbours)
    app.add_middleware(Metered, metrics=service.metrics, paths=paths)


def _add_handlers(app: FastAPI) -> None:
    """Every refusal in one form."""
    app.add_exception_handler(Problem, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _not_here)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    problem = error if isinstance(error, Problem) else Problem.wrong("the request cannot be followed")
    return JSONResponse({"error": problem.reason}, problem.status, problem.headers)


async def _not_understood(_: Request, error: Exception) -> JSONResponse:
    """All that is wrong with a body; never the body itself."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    told = [f"{_place(one['loc'])}: {one['msg']}" for one in found[:5]]
    return JSONResponse({"error": "; ".join(told)[:1_000] or "the request is not understood"}, 400)


def _place(steps: tuple[str | int, ...]) -> str:
    return ".".join(str(step)[:40] for step in steps if step != "body") or "body"


async def _not_here(_: Request, error: Exception) -> JSONResponse:
    status, headers = (error.status_code, error.headers) if isinstance(error, HTTPException) else (500, None)
    told = {404: "there is nothing at this address", 405: "this address is not asked in this way"}
    return JSONResponse({"error": told.get(status, "the request cannot be followed")}, status, headers)


def _tell_of_forms(app: FastAPI) -> None:
    """Let the OpenAPI description say that a body may be a form, too."""
    described = app.openapi()
    for path in described["paths"].values():
        content = path.get("post", {}).get("requestBody", {}).get("content", {})
        if JSON in content:
            content[FORM] = content[JSON]
