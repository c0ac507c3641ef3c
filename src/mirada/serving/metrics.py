"""Metrics: what a server has done, in the form that Prometheus reads."""

from __future__ import annotations

import time
from collections.abc import Collection

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
OTHER = "other"  # paths that are not served: whatever clients invent is counted as one


class Metrics:
    """Counters of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)  # memory, seconds of the processor, open files
        where = self._registry
        self._requests = Counter("mirada_requests", "Requests that were answered.", ["path", "status"], registry=where)
        self._seconds = Histogram(
            "mirada_request_seconds", "Time to the end of an answer.", ["path"], registry=where, buckets=SECONDS
        )
        self._waiting = Gauge("mirada_queue_requests", "Requests that wait for results.", registry=where)
        self._batches = Histogram("mirada_batch_texts", "Texts of a batch.", registry=where, buckets=SIZES)
        self._working = Histogram("mirada_batch_seconds", "Time of a batch.", registry=where, buckets=SECONDS)
        self._characters = Counter("mirada_characters", "Characters that a model was given.", ["model"], registry=where)

    def request(self, path: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def waiting(self, count: int) -> None:
        """So many requests wait."""
        self._waiting.set(count)

    def batch(self, size: int, seconds: float) -> None:
        """A batch was computed."""
        self._batches.observe(size)
        self._working.observe(seconds)

    def characters(self, model: str, count: int) -> None:
        """So many characters are given to a model."""
        self._characters.labels(model).inc(count)

    def as_text(self) -> str:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry).decode()


class Metered:
    """An ASGI application around another, whose requests are counted."""

    def __init__(self, app: ASGIApp, metrics: Metrics, paths: Collection[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noting)
        finally:  # a status of 0: the client left before it was answered
            path = scope["path"] if scope["path"] in self._paths else OTHER
            self._metrics.request(path, status, time.perf_counter() - begun)
