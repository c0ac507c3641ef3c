"""What was asked of a family of tasks, before its data is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mirada.training.preparing import Files
from mirada.training.settings import ConfigError, Tree


@dataclass(frozen=True, eq=False)
class Asked:
    """The files, where the run goes, and the settings; each family of tasks makes a config and data of them."""

    files: Files
    output: Path
    settings: Tree
    where: str  # the settings are, for errors
    start: Path | None  # the folder of a trained model to begin from

    def require_own_model(self, given: object, found: object) -> None:
        """Refuse settings that would make the model that the run begins from another one."""
        if given != found:
            raise ConfigError(
                f"--start {self.start} brings its own model; leave out --preset and the settings of [model], "
                "or train a new one without --start"
            )
