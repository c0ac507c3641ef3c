"""Filled: what became of the units of a file that was translated."""

from __future__ import annotations

from dataclasses import dataclass, field

from mirada.corpora.lines import shown
from mirada.corpora.pair import Fault, Place
from mirada.text.placeholders import compare


@dataclass(slots=True)
class Filled:
    """How many units were translated and how many left as they were, and those that somebody should look at."""

    translated: int = 0
    kept: int = 0
    review: list[Fault] = field(default_factory=list)

    def judge(self, source: str, target: str, place: Place, tags_kept: bool = True) -> bool:
        """Count a translation; whether it carried over every protected symbol. If not, it is listed."""
        self.translated += 1
        difference = compare(source, target)
        if not difference and tags_kept:
            return True
        self.review.append(
            Fault(
                place, str(difference) if difference else "tags or directives of a format do not match", shown(target)
            )
        )
        return False
