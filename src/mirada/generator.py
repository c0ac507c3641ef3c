"""The façade of language models: goes on with a text, and says how well it would have foretold one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from mirada.decoding.options import Search
from mirada.decoding.protocol import S, Steps
from mirada.decoding.sample import sample
from mirada.evaluation.language import TextScore
from mirada.models.language_folder import LoadedLanguage, load
from mirada.models.ngram import Ngram
from mirada.tasks.language import spans, total_loss
from mirada.text.subwords import SPECIAL
from mirada.text.units import Units, counted_in, encode_text

NOTHING = -1  # the id that ends a text: none, since a running text goes on
LONGEST = 100_000  # tokens that are written at once
LONGEST_PROMPT = 1_000_000  # characters


@dataclass(frozen=True, slots=True)
class Continuation:
    """A prompt with what the model wrote after it."""

    text: str
    tokens: int  # that were written
    log_probability: float  # of these

    def as_json(self) -> dict[str, object]:
        """The continuation for programs."""
        return {"text": self.text, "tokens": self.tokens, "log_probability": self.log_probability}


@dataclass(frozen=True, eq=False)
class Generator:
    """A language model that is ready to write."""

    loaded: LoadedLanguage

    @classmethod
    def load(cls, folder: Path | str) -> Generator:
        """The language model of a folder."""
        return cls(load(Path(folder)))

    def generate(
        self,
        prompt: str = "",
        length: int = 200,
        count: int = 1,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int = 0,
    ) -> list[Continuation]:
        """So many texts that begin with the prompt, each `length` tokens longer; the same for the same seed."""
        search = Search(n_best=count, sampling=True, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
        return self.write(prompt, [seed + number for number in range(count)], length, search)

    def write(self, prompt: str, seeds: Sequence[int], length: int, search: Search) -> list[Continuation]:
        """A text for each seed, drawn as the search says; what stands beside a seed does not change its text."""
        _require_within("length", length, LONGEST)
        _require_within("the prompt's characters", len(prompt) + 1, LONGEST_PROMPT)
        units = self.loaded.units
        entered = encode_text(units, prompt)
        known = torch.tensor([[units.line_end, *entered]])
        alike = torch.zeros(len(seeds), dtype=torch.long)  # the prompt is read once, and all go on from there
        model: Steps[Any] = Spoken(self.loaded.model, units)
        with torch.inference_mode():
            state = self.loaded.model.start(known[:, :-1]).select(alike)
            limits = torch.full((len(seeds),), length)
            drawing = search.temperature, search.top_k, search.top_p
            found = sample(model, state, known[alike, -1], NOTHING, limits, seeds, *drawing)
        return [
            Continuation(units.decode([*entered, *one.tokens]), len(one.tokens), one.log_probability) for one in found
        ]

    def score(self, lines: Sequence[str], stride: int | None = None) -> TextScore:
        """How well the model foretells lines of text; with a smaller stride each token sees more of what is before."""
        model, units = self.loaded.model, self.loaded.units
        text = units.encode(lines)
        if not len(text):
            raise ValueError("a text without a line cannot be scored; give one with some")
        characters = units.characters_in(lines)
        if isinstance(model, Ngram):  # every token sees all that the model looks back at
            loss = -float(model.log_probabilities(text).mean())
            return TextScore(loss, len(text), characters, model.context, 1, counted_in(units))
        step = model.context if stride is None else stride
        total, count = total_loss(model, text, units.line_end, spans(len(text), model.context, step))
        return TextScore(total / count, count, characters, model.context, step, counted_in(units))

    def unknown(self, lines: Sequence[str]) -> int:
        """How many characters of a text were never met in training, and have no unit that spells them."""
        return int(np.count_nonzero(self.loaded.units.encode(lines) < SPECIAL[-1]))


class Spoken(Generic[S]):
    """A language model that says text only: of the four special ids at most the end of a line."""

    def __init__(self, model: Steps[S], units: Units) -> None:
        self._model = model
        self._silent = torch.tensor([one for one in SPECIAL if one != units.line_end])

    def step(self, tokens: Int[Tensor, "R"], state: S) -> tuple[Float[Tensor, "R T"], S]:
        """The log-probabilities of the next token, and the state after these tokens."""
        scores, state = self._model.step(tokens, state)
        return scores.index_fill(1, self._silent, -torch.inf), state


def _require_within(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ValueError(f"{name} = {value:,}; use 1 to {most:,}")
