"""How good word vectors are: do they rank pairs of words as people do, do they complete analogies.

Sets are text. Similarity: two words and a number on each line, with tabs, commas or spaces between. Analogies: four
words on each line, and lines that begin with a colon name the sections. A line that begins with # is a remark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from mirada.corpora.lines import lines
from mirada.corpora.pair import CorpusError
from mirada.models.vectors import WordVectors

TOGETHER = 256  # questions that are answered at once


@dataclass(frozen=True, slots=True)
class Alike:
    """Two words, and how alike people find them."""

    one: str
    other: str
    score: float


@dataclass(frozen=True, slots=True)
class Question:
    """The first word is to the second as the third is to the fourth."""

    section: str
    words: tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class SimilarityScore:
    """How well the vectors rank pairs as people do; pairs with an unknown word are left out."""

    spearman: float
    pairs: int
    unknown: int

    @property
    def signature(self) -> str:
        """How it was computed."""
        return f"spearman|cosine|pairs:{self.pairs}|unknown:{self.unknown}"

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        return {
            "spearman": self.spearman,
            "pairs": self.pairs,
            "unknown": self.unknown,
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True)
class AnalogyScore:
    """How many analogies are completed with the very word; those with an unknown word are left out."""

    sections: dict[str, tuple[int, int]]  # right, and all that could be asked
    unknown: int

    @property
    def right(self) -> int:
        """How many were completed."""
        return sum(right for right, _ in self.sections.values())

    @property
    def asked(self) -> int:
        """How many could be asked."""
        return sum(asked for _, asked in self.sections.values())

    @property
    def accuracy(self) -> float:
        """right / asked."""
        return self.right / max(1, self.asked)

    @property
    def signature(self) -> str:
        """How it was computed."""
        return f"3cosadd|asked:{self.asked}|unknown:{self.unknown}"

    def as_json(self) -> dict[str, object]:
        """The score for programs."""
        sections = {name: {"right": right, "asked": asked} for name, (right, asked) in self.sections.items()}
        return {
            "accuracy": self.accuracy,
            "right": self.right,
            "asked": self.asked,
            "unknown": self.unknown,
            "sections": sections,
            "signature": self.signature,
        }


def read_set(path: Path) -> list[Alike] | list[Question]:
    """A set of similarities or of analogies, told by its lines."""
    alike: list[Alike] = []
    questions: list[Question] = []
    section = ""
    for number, line in enumerate(lines(path), 1):
        if not isinstance(line, str):
            raise CorpusError(f"{line.place}: {line.reason}")
        if line.startswith(":"):
            section = line[1:].strip()
        elif line.strip() and not line.startswith("#"):
            found = _read_line(line, section)
            if found is None or bool(alike if isinstance(found, Question) else questions):
                raise CorpusError(
                    f"{path}:{number} is neither two words and a number nor four words, as the lines before it; "
                    "write pairs.tsv as: word TAB word TAB number"
                )
            if isinstance(found, Alike):
                alike.append(found)
            else:
                questions.append(found)
    if not alike and not questions:
        raise CorpusError(f"{path} has no line that can be scored; write: word TAB word TAB number")
    return alike or questions


def _read_line(line: str, section: str) -> Alike | Question | None:
    fields = line.split("\t") if "\t" in line else line.split("," if "," in line else None)
    fields = [field.strip() for field in fields]
    if len(fields) == 4 and all(fields) and not _is_number(fields[2]):
        return Question(section, (fields[0], fields[1], fields[2], fields[3]))
    if len(fields) >= 3 and all(fields[:2]) and _is_number(fields[2]):
        return Alike(fields[0], fields[1], float(fields[2]))
    return None


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def score_similarity(vectors: WordVectors, pairs: Sequence[Alike]) -> SimilarityScore:
    """Spearman's ρ between the cosines of pairs and what people said."""
    known = [pair for pair in pairs if vectors.find(pair.one) is not None and vectors.find(pair.other) is not None]
    found = np.array([vectors.similarity(pair.one, pair.other) for pair in known])
    said = np.array([pair.score for pair in known])
    return SimilarityScore(spearman(found, said), len(known), len(pairs) - len(known))


def spearman(one: Float[NDArray[np.float64], "N"], other: Float[NDArray[np.float64], "N"]) -> float:
    """The correlation of the ranks of two lists; 0 where one of them has nothing to rank."""
    if len(one) < 2:
        return 0.0
    first, second = (ranks(values) - (len(values) - 1) / 2 for values in (one, other))
    size = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / size if size else 0.0


def ranks(values: Float[NDArray[np.float64], "N"]) -> Float[NDArray[np.float64], "N"]:
    """The rank of each value from 0; equals share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts) - 1
    return (last - (counts - 1) / 2)[inverse]


def score_analogies(vectors: WordVectors, questions: Iterable[Question]) -> AnalogyScore:
    """How many questions are answered with the fourth word, when the three others may not be the answer."""
    sections: dict[str, tuple[int, int]] = {}
    asked: list[tuple[str, tuple[int, ...]]] = []
    unknown = 0
    for question in questions:
        numbers = tuple(number for word in question.words if (number := vectors.words.find(word)) is not None)
        if len(numbers) < len(question.words):
            unknown += 1
        else:
            asked.append((question.section, numbers))
    for start in range(0, len(asked), TOGETHER):
        part = asked[start : start + TOGETHER]
        answers = _answers(vectors, np.array([numbers for _, numbers in part]))
        for (section, numbers), answer in zip(part, answers, strict=True):
            right, all_of_them = sections.get(section, (0, 0))
            sections[section] = right + int(answer == numbers[3]), all_of_them + 1
    return AnalogyScore(sections, unknown)


def _answers(vectors: WordVectors, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The word nearest to second − first + third, for each row of numbers."""
    directions = vectors.directions
    first, second, third = (directions[numbers[:, place]] for place in range(3))
    found = (second - first + third) @ directions.T
    found[np.arange(len(numbers))[:, None], numbers[:, :3]] = -np.inf
    return found.argmax(axis=1)
