"""API keys: who may use a server, where it is not for everyone."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

from mirada.serving.problem import Problem

SHORTEST = 16  # characters of a key: fewer can be guessed
LARGEST_FILE = 1_000_000  # bytes
BEARER = "Bearer "


class Keys:
    """The keys that open a server; without any it is open."""

    def __init__(self, keys: Sequence[str] = ()) -> None:
        for number, key in enumerate(keys, start=1):
            if len(key) < SHORTEST:
                raise ValueError(f"key {number} has {len(key)} characters; use {SHORTEST} or more, by chance")
        # Digests have one length, so that the time of a comparison tells nothing about a key, nor its length.
        self._digests = [_digest(key) for key in keys]

    @classmethod
    def read(cls, path: Path) -> Keys:
        """The keys of a file, one on each line; empty lines and those that begin with # are passed over."""
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"{path} has {path.stat().st_size:,} bytes; at most {LARGEST_FILE:,} are read")
        try:
            lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        except UnicodeDecodeError:
            raise ValueError(f"{path} is no text in UTF-8; write one key on each line") from None
        keys = [line for line in lines if line and not line.startswith("#")]
        if not keys:
            raise ValueError(f"{path} holds no key; write one on each line, or leave --keys out")
        return cls(keys)

    def __bool__(self) -> bool:
        return bool(self._digests)

    def require(self, given: str | None, authorization: str | None = None) -> None:
        """Refuse who has no key: neither in the body (`api_key`) nor in the header `Authorization: Bearer …`."""
        if not self:
            return
        if not given and authorization is not None and authorization.startswith(BEARER):
            given = authorization.removeprefix(BEARER)
        if not given:
            raise Problem(HTTPStatus.FORBIDDEN, "this server asks for a key; send it as api_key, or as a bearer token")
        if not self._knows(given):
            raise Problem(HTTPStatus.FORBIDDEN, "this key is not known here; ask whoever runs this server for one")

    def _knows(self, given: str) -> bool:
        found = _digest(given)
        matches = [hmac.compare_digest(found, one) for one in self._digests]  # all of them, whichever it is
        return any(matches)


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogatepass")).digest()
