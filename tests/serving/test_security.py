"""Who may speak to a server."""

import pytest

from mirada.serving.problem import Problem
from mirada.serving.security import Neighbours, is_loopback

SITE = "https://translate.example.org"


@pytest.mark.parametrize(
    ("neighbours", "host", "origin"),
    [
        (Neighbours(), "127.0.0.1:8080", None),
        (Neighbours(), "localhost:8080", "http://localhost:8080"),
        (Neighbours("::1"), "[::1]:8080", "http://[::1]:8080"),
        (Neighbours(origins=(SITE,)), "127.0.0.1:8080", SITE),
        (Neighbours(origins=(SITE,)), "translate.example.org", SITE),
        (Neighbours("0.0.0.0"), "whatever.example", None),
    ],
)
def test_friends(neighbours: Neighbours, host: str, origin: str | None) -> None:
    neighbours.require(host, origin)


@pytest.mark.parametrize(
    ("neighbours", "host", "origin", "status"),
    [
        (Neighbours(), "evil.example:8080", None, 421),  # a name that was made to point at this machine
        (Neighbours(), "", None, 421),
        (Neighbours(), "[", None, 421),
        (Neighbours(), "127.0.0.1:8080", "https://evil.example", 403),
        (Neighbours(), "127.0.0.1:8080", "null", 403),
        (Neighbours(), "127.0.0.1:8080", "http://127.0.0.1:9090", 403),
        (Neighbours(origins=(SITE,)), "127.0.0.1:8080", f"{SITE}.evil.example", 403),
        (Neighbours("0.0.0.0"), "whatever.example", "https://evil.example", 403),
    ],
)
def test_strangers(neighbours: Neighbours, host: str, origin: str | None, status: int) -> None:
    with pytest.raises(Problem) as refused:
        neighbours.require(host, origin)
    assert refused.value.status == status


@pytest.mark.parametrize("origin", ["translate.example.org", f"{SITE}/", "*", "ftp://x", "https://", ""])
def test_what_is_no_origin(origin: str) -> None:
    with pytest.raises(ValueError, match="is no origin; use one such as"):
        Neighbours(origins=(origin,))


def test_loopback() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9")] == [True] * 4
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "192.168.1.2", "example.org")] == [False] * 4
