"""The vocabulary: how many pieces suit a corpus, and learning them from a sample of it.

The size follows the running words of both sides: 8,000 pieces for a million words, growing with the power 0.4, so that
rare pieces are still seen often enough to be learnt (Gowda and May 2020 ask for a hundred times; Ding et al. 2019 find
far fewer than 32,000 best for small corpora).
"""

from __future__ import annotations

import io
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import sentencepiece

from mirada.text.hashes import hash_text, hash_texts
from mirada.text.normalise import normalise
from mirada.text.placeholders import symbols
from mirada.text.slots import MARKS, holds_marks, without_marks
from mirada.text.subwords import BEGIN, END, PADDING, SPACE, SPECIAL, THREADS, UNKNOWN, Subwords

SMALLEST, LARGEST = 1_000, 32_000
STEP = 1_000
PIECES_AT_A_MILLION_WORDS = 8_000
GROWTH = 0.4
BYTES = 256
ROOM = 500  # pieces beyond single characters that the smallest vocabulary has
COVERAGE = 0.9995  # share of characters that get a piece; the rest is spelt in bytes

SAMPLE = 8_000_000  # characters to learn from: 15 s and 400 MB, and more change little
SECONDS_FOR_A_CHARACTER = 1e-6  # of one core; measured with 22,000 pieces
CHUNK = 4_096  # texts that are looked at together
PROTECTED = 200  # placeholders that become pieces
PROTECTED_OFTEN = 5  # times in the sample that a placeholder must stand to be worth a piece
PROTECTED_LENGTH = 40
RESERVED = frozenset({"<pad>", "<unk>", "<s>", "</s>"})


@dataclass(frozen=True, slots=True)
class Learnt:
    """A vocabulary, and what can be told about how it came to be."""

    subwords: Subwords
    texts: int  # in the sample
    characters: int

    def __str__(self) -> str:
        return (
            f"{self.subwords.size:,} subwords learnt from {self.texts:,} texts ({self.characters:,} characters), "
            f"{len(self.subwords.protected) - self.subwords.slots} placeholders protected, {self.subwords.slots} slots"
        )


def choose_size(words: int, alphabet: int = 0) -> int:
    """How many pieces suit a corpus with this many running words, both sides together, and different characters."""
    fitting = PIECES_AT_A_MILLION_WORDS * (max(words, 1) / 1_000_000) ** GROWTH
    rounded = STEP * max(1, round(fitting / STEP))
    needed = -(-(alphabet + BYTES + len(SPECIAL) + ROOM) // STEP) * STEP
    return max(min(max(rounded, SMALLEST), LARGEST), needed)


class Sample:
    """The texts with the smallest hashes, within a number of characters: the same whatever order they come in."""

    def __init__(self, characters: int = SAMPLE) -> None:
        self._limit = characters
        self._texts: dict[int, str] = {}
        self._below = 1 << 64
        self.characters = 0

    def add(self, text: str) -> None:
        """Consider one text; a repeated one counts once."""
        self._consider(hash_text(text), text)

    def add_all(self, texts: Sequence[str]) -> None:
        """Consider many texts; most have too large a hash to be looked at."""
        keys = hash_texts(texts)
        for place in np.flatnonzero(keys <= np.uint64(self._below - 1)).tolist():
            self._consider(int(keys[place]), texts[place])

    def _consider(self, key: int, text: str) -> None:
        if key < self._below and text and key not in self._texts:
            self._texts[key] = text
            self.characters += len(text)
            if self.characters > 2 * self._limit:  # seldom, so that each text is sorted only a few times
                self._cut()

    def texts(self) -> list[str]:
        """The chosen texts, in the order of their hashes."""
        self._cut()
        return [self._texts[key] for key in sorted(self._texts)]

    def _cut(self) -> None:
        kept = 0
        for key in sorted(self._texts):
            kept += len(self._texts[key])
            if kept > self._limit and key != min(self._texts):
                self._below = min(self._below, key)
                break
        self._texts = {key: text for key, text in self._texts.items() if key < self._below}
        self.characters = sum(map(len, self._texts.values()))


@dataclass(frozen=True, slots=True)
class Collected:
    """What subwords are learnt from: a sample of texts, the words of all of them, and whether one has a slot."""

    sample: Sample
    words: int
    slotted: bool

    @property
    def seconds(self) -> float:
        """About how long it takes to learn from them."""
        return 1.0 + SECONDS_FOR_A_CHARACTER * min(self.sample.characters, SAMPLE)


def learn(texts: Iterable[str], size: int | None = None, words: int | None = None, sample: int = SAMPLE) -> Learnt:
    """The vocabulary of these texts: of both languages, in any order.

    `size` pieces, or as many as suit `words`, the running words of the whole corpus; without either, the words of
    these texts are counted. Where a text has the mark of a slot, all marks become pieces. The same texts give the same
    bytes on every run.
    """
    return learn_from(collect(texts, sample), size, words)


def collect(texts: Iterable[str], sample: int = SAMPLE) -> Collected:
    """The texts that a vocabulary is learnt from: at most `sample` characters."""
    chosen, counted, slotted, waiting = Sample(sample), 0, False, iter(texts)
    while some := list(islice(waiting, CHUNK)):
        clean = [normalise(text) for text in some]
        counted += len(clean) + sum(text.count(" ") for text in clean)
        slotted = slotted or any(map(holds_marks, clean))
        chosen.add_all(clean)
    return Collected(chosen, counted, slotted)


def learn_from(
    collected: Collected, size: int | None = None, words: int | None = None, marks: tuple[str, ...] = ()
) -> Learnt:
    """The vocabulary of the texts that were collected, with a piece for each mark of one's own; see `learn`."""
    return _learn(collected.sample, size, words or collected.words, (MARKS if collected.slotted else ()) + marks)


def _learn(sample: Sample, size: int | None, words: int, marks: tuple[str, ...]) -> Learnt:
    texts = sample.texts()
    if not texts:
        raise ValueError("there is no text to learn subwords from; check that the corpus has pairs that are kept")
    protected = [*marks, *frequent_symbols(texts)]
    alphabet = _alphabet(texts)
    least = alphabet + len(protected)
    if size is not None and size < least + BYTES + len(SPECIAL):
        raise ValueError(
            f"vocabulary = {size} is too small: {least} characters and placeholders, {BYTES} bytes and {len(SPECIAL)} "
            f"marks need {least + BYTES + len(SPECIAL)}; use {choose_size(words, least)}"
        )
    model = _train(texts, size if size is not None else choose_size(words, least), protected)
    return Learnt(Subwords(model), len(texts), sample.characters)


def frequent_symbols(texts: Iterable[str]) -> list[str]:
    """The placeholders that stand often in these texts, the most frequent first: at most 200."""
    counts = Counter[str]()
    for text in texts:
        if any(sign in text for sign in "%{<&$"):
            counts.update(symbols(text))
    often = [symbol for symbol, count in counts.items() if count >= PROTECTED_OFTEN and _can_be_piece(symbol)]
    return sorted(often, key=lambda symbol: (-counts[symbol], symbol))[:PROTECTED]


def _can_be_piece(symbol: str) -> bool:
    return len(symbol) <= PROTECTED_LENGTH and symbol not in RESERVED and SPACE not in symbol


def _alphabet(texts: Iterable[str]) -> int:
    """How many different characters get a piece of their own: the frequent ones, and all of ASCII."""
    counts = Counter[str]()
    for text in texts:
        counts.update(without_marks(text))
    wanted, passed, needed = COVERAGE * counts.total(), 0, set(string.printable)
    for character, count in counts.most_common():
        if passed >= wanted:
            break
        passed += count
        needed.add(character)
    return len(needed)


def _train(texts: Sequence[str], size: int, protected: Sequence[str]) -> bytes:
    """The model as bytes. SentencePiece adds up in the order of its threads, so their number is part of the result."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        model_type="unigram",
        vocab_size=size,
        hard_vocab_limit=False,  # a small corpus may not have so many pieces
        byte_fallback=True,
        character_coverage=COVERAGE,
        required_chars="".join(sorted(set(string.printable) - set(string.whitespace))),
        split_digits=True,  # a number is copied digit by digit
        user_defined_symbols=[symbol.replace(" ", SPACE) for symbol in protected],
        normalization_rule_name="identity",  # `normalise` has done it, and what it left must come back
        remove_extra_whitespaces=False,
        pad_id=PADDING,
        unk_id=UNKNOWN,
        bos_id=BEGIN,
        eos_id=END,
        unk_surface="\ufffd",
        max_sentence_length=1_000_000,
        num_threads=THREADS,
        minloglevel=2,
    )
    return model.getvalue()
