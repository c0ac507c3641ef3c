"""A problem: a request that is refused, with its status and the reason, in the form that LibreTranslate answers."""

from http import HTTPStatus

from pydantic import BaseModel, Field

RETRY_SECONDS = 1  # what a client is told to wait, where waiting helps


class ProblemBody(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="What was found, what is allowed, and what to do.")


class Problem(Exception):  # noqa: N818 the request has the error, not the server
    """A request that is refused: its status, and a sentence for whoever sent it."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason

    @property
    def headers(self) -> dict[str, str]:
        """What the answer says beside its body."""
        waits = self.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
        return {"retry-after": str(RETRY_SECONDS)} if waits else {}

    @classmethod
    def wrong(cls, reason: str) -> "Problem":
        """A request that cannot be followed as it stands."""
        return cls(HTTPStatus.BAD_REQUEST, reason)

    @classmethod
    def too_large(cls, what: str, found: int, most: int) -> "Problem":
        """A request that asks for more than a limit allows."""
        shown = f"{found:,}" if found < 10**12 else "a number of more than twelve digits"
        return cls(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{what}: {shown} were asked for, at most {most:,} are allowed")

    @classmethod
    def full(cls, reason: str) -> "Problem":
        """A request that finds too many others before it."""
        return cls(HTTPStatus.TOO_MANY_REQUESTS, reason)

    @classmethod
    def unavailable(cls, reason: str) -> "Problem":
        """A request that this server cannot answer now."""
        return cls(HTTPStatus.SERVICE_UNAVAILABLE, reason)
