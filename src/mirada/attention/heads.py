"""Heads: how many parallel attentions there are, and how they are joined."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Heads:
    """`count` attentions side by side; `groups` of them share one key and value head.

    groups = count is multi-head attention (Vaswani et al. 2017, 3.2.2), groups = 1 multi-query (Shazeer 2019), a
    divisor of count in between grouped-query attention (Ainslie et al. 2023). `width` is that of one head's queries
    and keys; it follows from the model's width where it is not given.
    """

    count: int = 8
    groups: int | None = None
    width: int | None = None

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"heads.count = {self.count}; use 1 or more")
        if self.width is not None and self.width < 1:
            raise ValueError(f"heads.width = {self.width}; use 1 or more")
        if self.groups is not None and (self.groups < 1 or self.count % self.groups):
            raise ValueError(
                f"heads.groups = {self.groups} does not divide heads.count = {self.count}; "
                f"use {_or(_divisors(self.count))}"
            )

    @property
    def shared(self) -> int:
        """How many key and value heads there are."""
        return self.count if self.groups is None else self.groups

    def width_in(self, width: int) -> int:
        """The width of one head in a model of this width."""
        if self.width is not None:
            return self.width
        return divide(width, self.count, "model.width", "heads.count")


def divide(width: int, parts: int, name: str, parts_name: str) -> int:
    """Split a width into equal parts, or say which numbers of parts would do."""
    if width % parts:
        near = sorted(sorted(_divisors(width), key=lambda divisor: abs(divisor - parts))[:2])
        raise ValueError(f"{parts_name} = {parts} does not divide {name} = {width}; use {_or(near)}")
    return width // parts


def _divisors(number: int) -> list[int]:
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


def _or(numbers: list[int]) -> str:
    return " or ".join(map(str, numbers))
