"""The server: uvicorn with an ear for slow clients, and an end that leaves nobody without an answer."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import time
from collections.abc import Callable
from types import FrameType

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from mirada.serving.guard import Door
from mirada.serving.service import Service

KEPT_SECONDS = 5  # that a connection stays open without a request
CLOSING_SECONDS = 3  # for those that have connected and not yet asked, when no request is inside any more


class Server(uvicorn.Server):
    """A server that at a signal answers whom it has let in, tells newcomers that it stops (503), and then ends.

    A second signal ends it at once.
    """

    def __init__(self, config: uvicorn.Config, door: Door, grace: float) -> None:
        super().__init__(config)
        self._door = door
        self._grace = grace
        self._ends = float("inf")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._door.closed:
            self.should_exit = self.force_exit = True
        self._door.close()
        self._ends = min(self._ends, time.monotonic() + self._grace)

    async def on_tick(self, counter: int) -> bool:
        if self._door.closed and (not self._door.inside or time.monotonic() >= self._ends):
            self._ends = min(self._ends, time.monotonic() + CLOSING_SECONDS)
            return self._is_left() or time.monotonic() >= self._ends or await super().on_tick(counter)
        return await super().on_tick(counter)

    def _is_left(self) -> bool:
        """Let nobody connect any more; whether all who did have been answered."""
        for listener in self.servers:
            listener.close()
        return all(getattr(one, "cycle", None) is not None for one in self.server_state.connections)


def make_server(app: FastAPI) -> Server:
    """The server of an application."""
    service: Service = app.state.service
    limits = service.limits
    config = uvicorn.Config(
        app,
        http=patient(limits.patience),
        ws="none",
        lifespan="on",
        log_config=None,  # warnings and errors go to standard error
        access_log=False,  # what people translate is nobody's business
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=KEPT_SECONDS,
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    return Server(config, service.door, grace=float(limits.seconds))


def serve(app: FastAPI, host: str, port: int, listening: Callable[[str, int], None]) -> None:
    """Serve until a signal comes; `listening` is told where, port 0 being any that is free."""
    with listen(host, port) as found:
        listening(host, found.getsockname()[1])
        make_server(app).run(sockets=[found])


def listen(host: str, port: int) -> socket.socket:
    """A socket that clients can connect to."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2_048)
    except socket.gaierror:
        raise ValueError(f"{host!r} is no address of this machine; use 127.0.0.1, or 0.0.0.0 for all") from None
    except OSError as error:
        advice = "use another --port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "use another --host"
        why = os.strerror(error.errno or 0)
        raise ValueError(f"cannot listen at {host}, port {port}: {why}; {advice}") from None


class PatientProtocol(H11Protocol):
    """uvicorn's protocol, for clients that send the head of a request in time; others are cut off."""

    patience: int = 10  # seconds
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.patience, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def patient(seconds: int) -> type[PatientProtocol]:
    """The protocol with so much patience."""
    return type("PatientProtocol", (PatientProtocol,), {"patience": seconds})
