"""Security: which sites may speak to a server, and what browsers may do with its answers."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mirada.serving.guard import refuse
from mirada.serving.problem import Problem

POLICY = "content-security-policy"
HEADERS = {
    POLICY: "default-src 'none'; frame-ancestors 'none'",  # of answers that are no pages
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at this address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Who may speak to a server: the sites that are named, and on a loopback address this machine alone.

    Every page that a browser shows can send requests to the loopback address, and a page whose name is made to point
    there can read the answers. So there the name that a request calls the server by must be one of this machine's.
    """

    host: str = "127.0.0.1"
    origins: tuple[str, ...] = ()  # such as https://translate.example.org
    _hosts: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        for origin in self.origins:
            parts = urlsplit(origin)
            if (
                parts.scheme not in ("http", "https")
                or not parts.hostname
                or f"{parts.scheme}://{parts.netloc}" != origin
            ):
                raise ValueError(f"{origin!r} is no origin; use one such as https://translate.example.org")
        named = (urlsplit(origin).hostname or "" for origin in self.origins)
        object.__setattr__(self, "_hosts", frozenset({"localhost", "127.0.0.1", "::1", self.host, *named}))

    def require(self, host: str, origin: str | None) -> None:
        """Refuse a request by the name it calls the server, and by the site that sent it."""
        if is_loopback(self.host) and _hostname(host) not in self._hosts:
            raise Problem(
                HTTPStatus.MISDIRECTED_REQUEST,
                "this server is not called by that name; behind a proxy, name its site with --allow-origin",
            )
        if origin is not None and origin not in self.origins and urlsplit(origin).netloc != host:
            raise Problem(HTTPStatus.FORBIDDEN, "that site may not use this server; --allow-origin allows it")


def _hostname(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


class Secure:
    """An ASGI application around another: refuses strangers, and adds the headers that browsers obey."""

    def __init__(self, app: ASGIApp, neighbours: Neighbours) -> None:
        self._app = app
        self._neighbours = neighbours

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add(MutableHeaders(scope=message), HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        try:
            self._neighbours.require(headers.get("host", ""), headers.get("origin"))
        except Problem as problem:
            await refuse(problem, scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)


def _add(headers: MutableHeaders, wanted: dict[str, str]) -> None:
    for name, value in wanted.items():
        headers.setdefault(name, value)
