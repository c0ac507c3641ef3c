"""The end of a server: whoever was let in is answered, newcomers hear that it stops."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx

from mirada.serving.server import make_server
from tests.serving.servers import MODEL, SECONDS, app_of, ask, running, shouting, wait_for


def test_running_requests_end_and_new_ones_are_refused() -> None:
    loud = shouting()
    app = app_of(loud)
    server = make_server(app)
    with running(app) as address, httpx.Client(base_url=address) as kept, ThreadPoolExecutor() as pool:
        assert kept.get("/health").status_code == 200
        loud.gate.clear()
        inside = pool.submit(ask, address, q="inside")
        assert loud.begun.wait(SECONDS)
        server.handle_exit(signal.SIGTERM, None)
        for refused in (ask(address, q="new"), kept.get("/health")):
            assert refused.status_code == 503
            assert refused.json() == {"error": "the server is stopping; try again in a moment"}
        assert not server.should_exit
        loud.gate.set()
        assert inside.result(SECONDS).json() == {"translatedText": "INSIDE"}
    server.handle_exit(signal.SIGTERM, None)
    assert server.should_exit, "a second signal ends it at once"


def test_a_signal_under_load() -> None:
    command = [sys.executable, "-m", "mirada", "serve", str(MODEL), "--port", "0", "--engine", "torch"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stderr is not None
        address = ""
        while not address:
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
            address = found[0] if found else ""
        wait_for(lambda: _is_up(address))
        seen: list[int | str] = []
        stop = threading.Event()
        with ThreadPoolExecutor(8) as pool:
            for _ in range(8):
                pool.submit(_load, address, seen, stop)
            wait_for(lambda: seen.count(200) >= 16)
            process.send_signal(signal.SIGTERM)
            begun = time.monotonic()
            assert process.wait(SECONDS) == 0
            stop.set()
        assert time.monotonic() - begun < 10
        assert set(seen) <= {200, 503, "refused"}
        assert process.stderr.read() == ""


def _is_up(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health").status_code == 200
    except httpx.TransportError:
        return False


def _load(address: str, seen: list[int | str], stop: threading.Event) -> None:
    """Ask until the server is gone; a connection that was open and got no answer is told as what it is."""
    while not stop.is_set():
        try:
            seen.append(ask(address, q="The black cat sleeps.").status_code)
        except (httpx.ConnectError, httpx.ReadError):  # nobody listens, or did not at the moment of connecting
            seen.append("refused")
            return
        except httpx.TransportError as error:
            seen.append(repr(error))
            return
