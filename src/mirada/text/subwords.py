"""Subwords: the pieces that texts are cut into, learnt from the texts themselves, and joined again without loss.

A unigram model (Kudo 2018) of SentencePiece, one for both languages. Unigram and not BPE, because it gives a word its
likeliest segmentations with their probabilities, which `mirada.text.sampling` draws from. What no piece covers is
spelt in bytes, so there is no unknown text: `decode(encode(text)) == normalise(text)` for every text.

Four ids are the same in every model: 0 padding, 1 unknown (never produced), 2 begin, 3 end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from mirada.text.normalise import normalise
from mirada.text.slots import MARKS

PADDING, UNKNOWN, BEGIN, END = 0, 1, 2, 3
SPECIAL = (PADDING, UNKNOWN, BEGIN, END)
Flat = tuple[NDArray[np.uint32], NDArray[np.int64]]  # ids one text behind another, and how many each has

THREADS = 2
MANY = 64  # texts that are worth threads: to begin them costs as much as some texts
FEW = 8  # texts that are read one by one: SentencePiece begins a thread for every list, which takes as long as they do
LARGEST_MODEL = 64_000_000  # bytes; a vocabulary of a million pieces takes 20 million

SPACE = "\u2581"  # SentencePiece writes it for a space, so the real one needs another name inside
REAL_SPACE_MARK = "\ufdd0"  # a character that Unicode promises never to use; `normalise` has removed it


class Subwords:
    """A trained vocabulary: texts to ids and back."""

    def __init__(self, model: bytes) -> None:
        self._model = model
        self._processor = _processor(model)
        self.size = int(self._processor.get_piece_size())
        pieces = range(self.size)
        self.pieces: tuple[str, ...] = tuple(self._processor.id_to_piece(list(pieces)))
        self.scores = np.array(self._processor.get_score(list(pieces)), dtype=np.float64)
        self.is_byte = np.array(self._processor.is_byte(list(pieces)), dtype=np.bool_)
        # What is protected stands between the special ids and the 256 bytes: first the marks of slots, if it has any.
        self.protected: tuple[str, ...] = tuple(
            piece.replace(SPACE, " ") for piece in self.pieces[len(SPECIAL) : int(self.is_byte.argmax())]
        )
        self.slots = sum(piece in MARKS for piece in self.protected)

    def encode(self, text: str) -> list[int]:
        """The ids of one text, without marks of begin and end."""
        return self.encode_many([text])[0]

    def encode_many(self, texts: Sequence[str], end: bool = False) -> list[list[int]]:
        """The ids of many texts; `end` adds the end mark to each."""
        prepared = [_inside(normalise(text)) for text in texts]
        if len(prepared) <= FEW:
            return [self._processor.encode(text, return_type=int, add_eos=end) for text in prepared]
        return self._processor.encode(prepared, return_type=int, num_threads=_threads(prepared), add_eos=end)

    def encode_flat(self, texts: Sequence[str], end: bool = False) -> Flat:
        """The ids of many texts, one text behind another, and how many each has."""
        encoded = self.encode_many(texts, end)
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return np.fromiter(chain.from_iterable(encoded), dtype=np.uint32, count=int(lengths.sum())), lengths

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; the four special ones say nothing."""
        return self.decode_many([ids])[0]

    def decode_many(self, rows: Iterable[Sequence[int]]) -> list[str]:
        """The texts of many rows of ids."""
        said = [[one for one in row if one > END] for row in rows]
        self._require_known(said)
        if len(said) <= FEW:
            return [_outside(self._processor.decode(row, return_type=str)) for row in said]
        return [_outside(text) for text in self._processor.decode(said, return_type=str, num_threads=_threads(said))]

    def best(self, word: str, count: int) -> list[list[int]]:
        """The likeliest segmentations of a normalised text, the best first: at most `count`."""
        return self._processor.nbest_encode(_inside(word), nbest_size=count, return_type=int)

    def to_bytes(self) -> bytes:
        """The model as SentencePiece writes it; any SentencePiece reads it."""
        return self._model

    def save(self, path: Path) -> None:
        """Write the model to a file."""
        path.write_bytes(self._model)

    @classmethod
    def load(cls, path: Path) -> Subwords:
        """The vocabulary in a file that `save` wrote."""
        try:
            if path.stat().st_size > LARGEST_MODEL:
                raise ValueError(
                    f"{path} has {path.stat().st_size:,} bytes; a subword model has at most {LARGEST_MODEL:,}"
                )
            return cls(path.read_bytes())
        except FileNotFoundError:
            raise ValueError(
                f"{path} is missing; it holds the subwords, and a model is of no use without them"
            ) from None
        except ForeignModelError as error:
            raise ValueError(f"{path}: {error}") from error

    def _require_known(self, rows: list[list[int]]) -> None:
        largest = max((max(row) for row in rows if row), default=0)
        if largest >= self.size:
            raise ValueError(f"id {largest} is not in the vocabulary; its ids go from 0 to {self.size - 1}")


class ForeignModelError(ValueError):
    """A file that is no subword model of ours."""


def _processor(model: bytes) -> sentencepiece.SentencePieceProcessor:
    """The engine, if this is a model with our ids and byte fallback."""
    processor = sentencepiece.SentencePieceProcessor()
    try:
        loaded = bool(model) and processor.LoadFromSerializedProto(model)
    except (RuntimeError, ValueError):
        loaded = False
    if not loaded:
        raise ForeignModelError("this is no SentencePiece model, or a damaged one; take one that mirada trained")
    ids = (processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id())
    if ids != SPECIAL:
        raise ForeignModelError(f"padding, unknown, begin and end have the ids {ids}; {SPECIAL} are needed")
    if not any(processor.is_byte(list(range(min(processor.get_piece_size(), 300))))):
        raise ForeignModelError("this model cannot spell in bytes, so texts could get lost; take one that can")
    return processor


def _threads(rows: Sequence[object]) -> int:
    return THREADS if len(rows) >= MANY else 1


def _inside(text: str) -> str:
    """A normalised text as SentencePiece may read it."""
    return text.replace(SPACE, REAL_SPACE_MARK) if SPACE in text else text


def _outside(text: str) -> str:
    return text.replace(REAL_SPACE_MARK, SPACE) if REAL_SPACE_MARK in text else text
