"""The façade of models that learnt from text alone: fills the gaps of a text, and says how well it is known.

A gap is written [MASK] or ___, and stands for one subword. At the beginning of a word only pieces that begin one are
said, so that a gap between spaces gets a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from mirada.data.both_ways import both_ways
from mirada.data.masking import Masker
from mirada.data.rows import ALONE, Gathered
from mirada.evaluation.reading import BothScore, MaskedScore
from mirada.models.elmo import BidirectionalModel
from mirada.models.folder import FolderError
from mirada.models.masked import MaskedModel
from mirada.models.text_folders import MaskedFolderConfig, load
from mirada.tasks.elmo import score_both
from mirada.tasks.masked import score_rows
from mirada.text.marks import CLASS, FIRST_WORD, MASK, SEPARATOR, word_beginnings
from mirada.text.slots import MARKS, without_marks
from mirada.text.subwords import PADDING, SPACE, Subwords

GAP = re.compile(r"\[MASK\]|_{3,}")
HIDDEN = MARKS[0]  # stands for a gap while a text is cut into subwords
MOST_CANDIDATES = 1_000
LONGEST_TEXT = 100_000  # characters
AT_ONCE = 8_192  # tokens that are read together


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may stand in a gap, and how likely it is."""

    text: str
    probability: float

    def as_json(self) -> dict[str, object]:
        """The candidate for programs."""
        return {"text": self.text, "probability": self.probability}


@dataclass(frozen=True, slots=True)
class Filled:
    """A text with the likeliest piece in each gap, and the candidates of each gap, the likeliest first."""

    text: str
    gaps: tuple[tuple[Candidate, ...], ...]

    def as_json(self) -> dict[str, object]:
        """The text for programs."""
        return {"text": self.text, "gaps": [[one.as_json() for one in gap] for gap in self.gaps]}


@dataclass(frozen=True, eq=False)
class Filler:
    """A masked model that is ready to be asked."""

    config: MaskedFolderConfig
    model: MaskedModel
    subwords: Subwords
    begins: NDArray[np.bool_]  # of each id, whether it begins a word

    @classmethod
    def load(cls, folder: Path | str) -> Filler:
        """The masked model of a folder."""
        found = load(Path(folder))
        if not isinstance(found.config, MaskedFolderConfig) or not isinstance(found.model, MaskedModel):
            raise FolderError(f"{folder} holds the language models of ELMo; gaps are filled by --task mlm")
        return cls(found.config, found.model, found.subwords, word_beginnings(found.subwords))

    def fill(self, text: str, count: int = 5) -> Filled:
        """A text with its gaps filled; `count` candidates are told for each. All gaps are filled independently."""
        if not 1 <= count <= MOST_CANDIDATES:
            raise ValueError(f"count = {count:,}; use 1 to {MOST_CANDIDATES:,}")
        ids, heads = self.encoded(text)
        row = torch.tensor([[CLASS, *ids, SEPARATOR]])
        places = torch.tensor(list(heads)) + 1
        if not heads:
            return Filled(text, ())
        with torch.inference_mode():
            scores = self.model.output.scores(self.model.words(self.model(row), places))
        begins = torch.from_numpy(self.begins)
        allowed = torch.stack([begins if head else ~begins for head in heads.values()])
        allowed[:, :FIRST_WORD] = False
        likely, found = scores.masked_fill(~allowed, -torch.inf).topk(min(count, int(allowed.sum(1).min())))
        said = dict(zip(heads, found[:, 0].tolist(), strict=True))
        whole = self.subwords.decode([said.get(place, one) for place, one in enumerate(ids)])
        return Filled(whole, tuple(map(self._candidates, found.tolist(), likely.exp().tolist())))

    def _candidates(self, ids: Sequence[int], probabilities: Sequence[float]) -> tuple[Candidate, ...]:
        texts = [self.subwords.pieces[one].replace(SPACE, " ").strip() for one in ids]
        return tuple(map(Candidate, texts, probabilities))

    def encoded(self, text: str) -> tuple[list[int], dict[int, bool]]:
        """The ids of a text with gaps, and of the place of each gap whether it begins a word."""
        if len(text) > LONGEST_TEXT:
            raise ValueError(f"the text has {len(text):,} characters; use {LONGEST_TEXT:,} at most")
        # A character that no text has is spelt in bytes, and found again by its bytes.
        spelt = [one for one in self.subwords.encode(HIDDEN) if self.subwords.pieces[one] != SPACE]
        entered = self.subwords.encode(GAP.sub(HIDDEN, without_marks(text)))
        ids: list[int] = []
        heads: dict[int, bool] = {}
        place = 0
        while place < len(entered):
            if entered[place : place + len(spelt)] != spelt:
                ids.append(entered[place])
                place += 1
                continue
            begins = bool(ids) and self.subwords.pieces[ids[-1]] == SPACE
            if begins:  # the space is part of the word that is said
                ids.pop()
            heads[len(ids)] = begins or not ids
            ids.append(MASK)
            place += len(spelt)
        if len(ids) + 2 > self.config.longest:
            raise ValueError(
                f"the text has {len(ids):,} subwords, more than the {self.config.longest - 2} it can be read with"
            )
        return ids, heads


def gaps_in(text: str) -> int:
    """How many gaps a text has."""
    return len(GAP.findall(without_marks(text)))


def score_text(folder: Path, lines: Sequence[str]) -> MaskedScore | BothScore:
    """How well the model of a folder tells the tokens of lines, each line by itself."""
    found = load(folder)
    encoded = found.subwords.encode_many([without_marks(line) for line in lines], end=True)
    rows = _gathered([[CLASS, *row][: found.config.longest] for row in encoded if len(row) > 1])
    if isinstance(found.model, MaskedModel) and isinstance(found.config, MaskedFolderConfig):
        masking = found.config.masking
        masker = Masker(word_beginnings(found.subwords), masking.share, whole_words=masking.whole_words)
        return score_rows(found.model, masker, rows)
    if isinstance(found.model, BidirectionalModel):
        return score_both(found.model, map(both_ways, rows))
    raise FolderError(f"{folder}: the model does not fit its config; copy the whole folder again")


def _gathered(rows: Sequence[Sequence[int]]) -> list[Gathered]:
    """Rows of ids in batches, alike ones together."""
    if not rows:
        raise ValueError("a text without a word cannot be scored; give one with some")
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    batches: list[list[int]] = [[]]
    for number in order:
        if batches[-1] and (len(batches[-1]) + 1) * len(rows[number]) > AT_ONCE:
            batches.append([])
        batches[-1].append(number)
    return [_padded([rows[number] for number in batch], batch) for batch in batches]


def _padded(rows: Sequence[Sequence[int]], names: Sequence[int]) -> Gathered:
    lengths = np.array([len(row) for row in rows])
    ids = np.full((len(rows), int(lengths.max())), PADDING, dtype=np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
    return Gathered(ids, lengths, np.zeros_like(ids), np.array(names), np.full(len(rows), ALONE))
