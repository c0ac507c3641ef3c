"""How well the labels of nodes are told: the share of right ones."""

from __future__ import annotations

from mirada.models.config import Strict


class NodeScore(Strict):
    """What was right among the nodes whose label is known."""

    right: int
    count: int

    @property
    def accuracy(self) -> float:
        """The share of right ones, of 100."""
        return 100 * self.right / max(1, self.count)

    @property
    def signature(self) -> str:
        """How it was counted."""
        return f"accuracy|nodes:{self.count}"

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        return {"accuracy": self.accuracy, "right": self.right, "nodes": self.count, "signature": self.signature}
