"""The guard: what every request passes before it is read, and what it may cost.

It turns away who comes while the server stops, who sends too much or too slowly, and ends the work for a client that
has left. So behind it a body is whole and small, and an answer is bounded in time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mirada.serving.batching import stopping
from mirada.serving.forms import FORM, as_json
from mirada.serving.limits import Limits
from mirada.serving.problem import Problem

LOG = logging.getLogger(__name__)
BROKEN = "the server made a mistake; its log says more"
JSON = "application/json"
DRAINED = 32_000_000  # bytes of a body that is too large are read and dropped, so that its sender hears the answer


class Door:
    """How many requests are inside, and whether more are let in."""

    def __init__(self) -> None:
        self.inside = 0
        self.closed = False

    def close(self) -> None:
        """Let nobody in any more."""
        self.closed = True

    @contextmanager
    def entered(self) -> Iterator[None]:
        """The time that a request is inside."""
        if self.closed:
            raise stopping()
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, limits: Limits, door: Door) -> None:
        self._app = app
        self._limits = limits
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send, self._limits.patience)
        try:
            with self._door.entered():
                await self._answered(scope, receive, answer)
        except Problem as problem:
            if not answer.begun:
                await refuse(problem, scope, receive, answer.send)
        except _LeftError:
            return
        except Exception:
            LOG.exception("a request to %s failed", scope["path"])
            if not answer.begun:
                await refuse(Problem(HTTPStatus.INTERNAL_SERVER_ERROR, BROKEN), scope, receive, answer.send)

    async def _answered(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        scope, body = _as_json(scope, await self._body(scope, receive))
        working = asyncio.ensure_future(self._app(scope, _Given(body), answer.send))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait({working, leaving}, timeout=self._limits.seconds, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                await working
            elif not leaving.done():
                raise Problem.unavailable(f"there was no answer within {self._limits.seconds} seconds; ask for less")
        finally:
            for task in (working, leaving):
                task.cancel()
            await asyncio.gather(working, leaving, return_exceptions=True)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body, if it is small enough and comes in time."""
        headers = Headers(scope=scope)
        told = headers.get("content-length", "0")
        if "expect" in headers and told.isdecimal() and int(told[:20]) > self._limits.bytes:
            raise Problem.too_large("bytes of a body", int(told[:20]), self._limits.bytes)
        try:
            async with asyncio.timeout(self._limits.patience):
                return await self._read(receive)
        except TimeoutError:
            patience = self._limits.patience
            raise Problem(
                HTTPStatus.REQUEST_TIMEOUT, f"the request was not sent within {patience} seconds; send it faster"
            ) from None

    async def _read(self, receive: Receive) -> bytes:
        body, size, more = bytearray(), 0, True
        while more and size <= DRAINED:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _LeftError
            part = message.get("body", b"")
            size += len(part)
            if size <= self._limits.bytes:
                body += part
            more = message.get("more_body", False)
        if size > self._limits.bytes:
            raise Problem.too_large("bytes of a body", size, self._limits.bytes)
        return bytes(body)


async def refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a problem, and end the connection, on which the rest of a body may still come."""
    headers = {**problem.headers, "connection": "close"}
    await JSONResponse({"error": problem.reason}, problem.status, headers)(scope, receive, send)


class _LeftError(Exception):
    """The client has left; nobody waits for an answer."""


class _Answer:
    """An answer on its way to a client that must take it in time."""

    def __init__(self, send: Send, patience: int) -> None:
        self._send = send
        self._patience = patience
        self.begun = False

    async def send(self, message: Message) -> None:
        """Send the next part."""
        self.begun = True
        try:
            async with asyncio.timeout(self._patience):
                await self._send(message)
        except TimeoutError:
            raise _LeftError from None


class _Given:
    """A body that was read before, for the application behind."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body

    async def __call__(self) -> Message:
        """The body, and then nothing more."""
        if self._body is None:
            await asyncio.Event().wait()  # until the request is done with
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _left(receive: Receive) -> None:
    """End when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _as_json(scope: Scope, body: bytes) -> tuple[Scope, bytes]:
    """The request with a JSON body, whichever of the two forms it has."""
    if scope["method"] != "POST":
        return scope, body
    kind = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
    if kind == JSON:
        return scope, body
    if kind != FORM:
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send the body as {JSON} or as {FORM}")
    body = as_json(body)
    scope = {**scope, "headers": list(scope["headers"])}
    headers = MutableHeaders(scope=scope)
    headers["content-type"] = JSON
    headers["content-length"] = str(len(body))
    return scope, body
