"""What the preparation of a run's data found and made, whatever the task."""

from __future__ import annotations

from abc import abstractmethod

from mirada.models.config import Strict


class PreparedFacts(Strict):
    """Facts that are kept beside the data, for when the run goes on and for people."""

    @abstractmethod
    def told(self) -> str:
        """What was trained on, looked at and tested with, in words."""
