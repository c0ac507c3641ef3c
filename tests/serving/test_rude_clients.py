"""Clients that are slow, leave, send too much or nonsense: each has its answer, and the others do not notice."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from mirada.serving.limits import Limits
from mirada.translator import Translator
from tests.serving.servers import MODEL, SECONDS, Shouting, app_of, ask, limited, running, shouting, wait_for


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(MODEL)


@pytest.fixture
def loud(translator: Translator) -> Shouting:
    return shouting(translator)


def connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=SECONDS)


def head(length: int, *lines: str) -> bytes:
    given = ["POST /translate HTTP/1.1", "host: 127.0.0.1", "content-type: application/json"]
    return "\r\n".join([*given, f"content-length: {length}", *lines, "", ""]).encode()


def read_all(client: socket.socket) -> bytes:
    found = b""
    while part := client.recv(65_536):
        found += part
    return found


def test_a_body_that_comes_too_slowly(loud: Shouting) -> None:
    with running(app_of(loud, options=limited(patience=1))) as address, connect(address) as client:
        client.sendall(head(100) + b'{"q": "x"')
        answer = read_all(client)
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"not sent within 1 seconds" in answer
        assert ask(address, q="x").json() == {"translatedText": "X"}


def test_a_head_that_comes_too_slowly(loud: Shouting) -> None:
    with running(app_of(loud, options=limited(patience=1))) as address, connect(address) as client:
        begun = time.monotonic()
        client.sendall(b"POST /translate HTTP/1.1\r\nhost: ")
        assert read_all(client) == b"", "the connection is closed"
        assert 0.5 < time.monotonic() - begun < SECONDS


def test_a_client_that_leaves_is_not_worked_for(loud: Shouting) -> None:
    with running(app_of(loud)) as address:
        loud.gate.clear()
        with ThreadPoolExecutor() as pool:
            first = pool.submit(ask, address, q="first")
            assert loud.begun.wait(SECONDS)
            body = json.dumps({"q": "leaves", "source": "en", "target": "es"}).encode()
            with connect(address) as client:
                client.sendall(head(len(body)) + body)
                wait_for(lambda: "mirada_queue_requests 2.0" in httpx.get(f"{address}/metrics").text)
            wait_for(lambda: 'path="/translate",status="0"} 1.0' in httpx.get(f"{address}/metrics").text)
            loud.gate.set()
            assert first.result(SECONDS).json() == {"translatedText": "FIRST"}
        assert ask(address, q="last").status_code == 200
    assert loud.calls == [["first"], ["last"]]


def test_a_body_of_ten_million_bytes(loud: Shouting) -> None:
    with running(app_of(loud)) as address:
        answer = ask(address, q="x" * 10_000_000)
        assert answer.status_code == 413
        assert "bytes of a body" in answer.json()["error"]
        chunks = (b"x" * 100_000 for _ in range(100))
        streamed = httpx.post(f"{address}/translate", content=chunks, headers={"content-type": "application/json"})
        assert streamed.status_code == 413
        with connect(address) as client:  # as curl asks before it sends much
            client.sendall(head(10_000_000, "expect: 100-continue"))
            assert read_all(client).startswith(b"HTTP/1.1 413")
    assert loud.calls == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"q": "x", "alternatives": 10_000}, "alternatives: 10,000 were asked for, at most 9 are allowed"),
        ({"q": "x", "alternatives": 10**30}, "alternatives: a number of more than twelve digits"),
        ({"q": "x", "beam": 11}, "beam: 11 were asked for, at most 10 are allowed"),
        ({"q": ["x"] * 129}, "texts: 129 were asked for, at most 128 are allowed"),
        ({"q": "x" * 20_001}, "characters: 20,001 were asked for, at most 20,000 are allowed"),
        ({"q": "\U0001f600" * 3_000}, "tokens: 12,0"),
    ],
)
def test_too_much(shouted: str, body: dict[str, object], told: str) -> None:
    answer = ask(shouted, **body)
    assert answer.status_code == 413
    assert told in answer.json()["error"]


@pytest.fixture(scope="module")
def shouted(translator: Translator):
    with running(app_of(shouting(translator))) as address:
        yield address


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"q"',
        b"[" * 100_000,
        b'{"q": "\xff"}',
        b'{"q": NaN}',
        b'{"q": "\\ud800"}',
        b"1" * 9_999,
    ],
)
def test_bodies_that_are_no_request(shouted: str, content: bytes) -> None:
    answer = httpx.post(f"{shouted}/translate", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_bodies_of_another_kind(shouted: str) -> None:
    for kind in ("text/plain", "multipart/form-data; boundary=x", ""):
        answer = httpx.post(f"{shouted}/translate", content=b"{}", headers={"content-type": kind})
        assert answer.status_code == 415
    for form in (b"q=%FF&source=en&target=es", b"q=\xff", b"a&" * 2_000):
        answer = httpx.post(
            f"{shouted}/translate", content=form, headers={"content-type": "application/x-www-form-urlencoded"}
        )
        assert answer.status_code == 400


def test_a_full_queue(loud: Shouting) -> None:
    with running(app_of(loud, options=limited(queue=2))) as address:
        loud.gate.clear()
        with ThreadPoolExecutor() as pool:
            asked = [pool.submit(ask, address, q=f"text {number}") for number in range(5)]
            wait_for(lambda: sum(one.done() for one in asked) == 3)
            loud.gate.set()
            answers = [one.result(SECONDS) for one in asked]
    assert sorted(one.status_code for one in answers) == [200, 200, 429, 429, 429]
    refused = next(one for one in answers if one.status_code == 429)
    assert refused.headers["retry-after"] == "1"
    assert refused.json() == {"error": "2 requests are waiting already; try again in a moment"}


def test_an_answer_that_does_not_come_in_time(loud: Shouting) -> None:
    with running(app_of(loud, options=limited(seconds=1))) as address:
        loud.gate.clear()
        answer = ask(address, q="x")
        loud.gate.set()
        assert (answer.status_code, answer.json()) == (
            503,
            {"error": "there was no answer within 1 seconds; ask for less"},
        )
        assert ask(address, q="y").json() == {"translatedText": "Y"}


def test_a_fault_is_told_to_its_client_alone_and_without_details(loud: Shouting, capfd) -> None:
    with running(app_of(loud)) as address:
        loud.gate.clear()
        with ThreadPoolExecutor() as pool:
            pool.submit(ask, address, q="first")
            assert loud.begun.wait(SECONDS)
            asked = {text: pool.submit(ask, address, q=text) for text in ("one", "fault", "two")}
            wait_for(lambda: "mirada_queue_requests 4.0" in httpx.get(f"{address}/metrics").text)
            loud.gate.set()
            answers = {text: one.result(SECONDS) for text, one in asked.items()}
    assert [answers["one"].json(), answers["two"].json()] == [{"translatedText": "ONE"}, {"translatedText": "TWO"}]
    assert answers["fault"].status_code == 500
    assert answers["fault"].json() == {"error": "the server made a mistake; its log says more"}


def test_many_clients_at_once_share_batches(loud: Shouting) -> None:
    before = threading.active_count()  # tests before this one may have left idle workers of their own
    with running(app_of(loud)) as address, httpx.Client() as client, ThreadPoolExecutor(16) as pool:
        loud.gate.clear()

        def one(number: int) -> str:
            body = {"q": f"text {number}", "source": "en", "target": "es"}
            return client.post(f"{address}/translate", json=body, timeout=SECONDS).json()["translatedText"]

        asked = [pool.submit(one, number) for number in range(16)]
        wait_for(lambda: "mirada_queue_requests 16.0" in httpx.get(f"{address}/metrics").text)
        loud.gate.set()
        assert [future.result(SECONDS) for future in asked] == [f"TEXT {number}" for number in range(16)]
    assert len(loud.calls) == 2
    assert threading.active_count() < before + 9
    assert Limits().batch >= 16
