"""What `mirada predict` writes of pictures, whatever is said of them: a line for each."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from mirada.cli.failure import fail
from mirada.cli.predicting import Asked, Remarks
from mirada.cli.saying import print_json


@runtime_checkable
class Answer(Protocol):
    """What is said of one picture, or why nothing can be."""

    @property
    def picture(self) -> str:
        """Its name."""

    @property
    def fault(self) -> str | None:
        """Why it could not be read."""

    def as_json(self) -> dict[str, object]:
        """The same for programs."""


A = TypeVar("A", bound=Answer)


def require_pictures(asked: Asked) -> None:
    """Refuse to go on where no picture was named."""
    if not asked.pictures:
        fail(f"no picture was named; write mirada predict {asked.model} picture.png")


def write_answers(
    asked: Asked, answers: Iterable[A], line: Callable[[A], str], what: str, about: Mapping[str, object]
) -> None:
    """Write the line of every picture, after its name where there are several; `what` a picture at fault lacks."""
    remarks = Remarks()
    single = len(asked.pictures) == 1 and _is_one(asked.pictures[0])
    told: list[dict[str, object]] = []
    with asked.written() as out:
        for one in answers:
            if one.fault is not None:
                remarks.add(f"{one.picture}: {one.fault}; its {what} is empty")
            if out is not None:
                name = "" if single else f"{one.picture}\t"
                out.write(f"{name}{line(one)}\n".encode())
            if asked.as_json:
                told.append(one.as_json())
    if asked.as_json:
        print_json({"model": str(asked.model), **about, "predictions": told, "remarks": remarks.count})


def _is_one(path: Path) -> bool:
    """Whether a path is a picture by itself."""
    from mirada.corpora.pictures.decoding import is_picture

    return path.is_file() and is_picture(path)
