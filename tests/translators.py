"""Tiny translators: one with random weights in a folder, and one that copies what it reads."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from mirada.attention import Padding, Sinusoidal
from mirada.models.build import build
from mirada.models.config import LookConfig, StackConfig, TransformerConfig
from mirada.models.folder import FolderConfig, Loaded, save, tensors_of
from mirada.models.transformer import Transformer, TransformerState
from mirada.text.slots import MARKS
from mirada.text.subwords import END, PADDING, Subwords
from mirada.text.vocabulary import learn
from mirada.translator import Translator

TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "Open the file, then save it.",
    "He said: no, not today!",
    "One two three four five six seven.",
    "Wait for me, and then go home.",
]


@cache
def subwords() -> Subwords:
    return learn(TEXTS, 420).subwords


@cache
def slotted_subwords() -> Subwords:
    """Subwords that have slots."""
    return learn([*TEXTS, f"Open {MARKS[0]}."], 440).subwords


def config(
    longest: int = 40, layers: int = 1, position: object = Sinusoidal(), known: Subwords | None = None
) -> FolderConfig:
    known = known or subwords()
    stack = StackConfig(heads=2, layers=layers)
    return FolderConfig(
        source="en",
        target="es",
        vocabulary=known.size,
        slots=known.slots,
        longest=longest,
        model=TransformerConfig(
            width=8, feed_forward=16, encoder=stack, decoder=stack, cross=LookConfig(heads=2), position=position
        ),
    )


def random_folder(folder: Path) -> Path:
    """A folder of a model that has learnt nothing."""
    made = config()
    save(folder, made, tensors_of(build(made.model, made.vocabulary, seed=3)), subwords(), "A model for tests.\n")
    return folder


@dataclass(frozen=True, eq=False)
class CopyState(TransformerState):
    """What is still to be copied, beside the state of a Transformer."""

    words: list[list[int]]

    def select(self, rows: Tensor) -> "CopyState":
        inner = super().select(rows)
        return CopyState(inner.sources, inner.past, inner.length, [self.words[row] for row in rows.tolist()])


class Copier(Transformer):
    """A Transformer that pays no heed to its weights and says what `speech` makes of its source."""

    speech: Callable[[list[int]], list[int]]
    sure: float

    def start(self, source: Tensor, padding: Padding | None) -> CopyState:
        inner = super().start(source, padding)
        rows = [[one for one in row if one not in (END, PADDING)] for row in source.tolist()]
        return CopyState(inner.sources, inner.past, 0, [self.speech(row) for row in rows])

    def step(self, tokens: Tensor, state: CopyState) -> tuple[Tensor, CopyState]:
        size = len(self.embedding.weight)
        scores = torch.full((len(tokens), size), (1 - self.sure) / size)
        scores[:, END] /= 2  # all else being equal it goes on, whichever of equals a search takes first
        for row, words in enumerate(state.words):
            scores[row, words[state.length] if state.length < len(words) else END] += self.sure
        return scores.log().log_softmax(-1), replace(state, length=state.length + 1)


def copier(
    speech: Callable[[list[int]], list[int]] = lambda words: words,
    longest: int = 40,
    sure: float = 0.999,
    known: Subwords | None = None,
) -> Translator:
    """A translator of English into itself."""
    known = known or subwords()
    made = config(longest, known=known)
    base = build(made.model, made.vocabulary, seed=3).eval()
    model = Copier(base.embedding, base.encoder, base.decoder).eval()
    model.speech, model.sure = speech, sure
    return Translator.of(Loaded(made, model, known))
