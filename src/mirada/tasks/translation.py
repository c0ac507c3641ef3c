"""Translation as a task: learn target tokens from source tokens, score by loss, chrF and BLEU."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mirada.corpora.pair import CorpusError
from mirada.corpora.store import Store
from mirada.data.batch import Batch, make_batch
from mirada.data.order import alike, cut
from mirada.decoding.options import Search
from mirada.decoding.search import decode_many
from mirada.evaluation.translation import score, tokenizer_for
from mirada.layers.noise import Noise
from mirada.models.encoder_decoder import TranslationModel
from mirada.tasks.task import Score
from mirada.text.coding import Coded, decode, encode, preceded
from mirada.text.context import Context
from mirada.text.subwords import END, Subwords

VALIDATION_TOKENS = 8_000  # padded, in a batch


class Development:
    """The pairs that a run looks at to know how it does: as ids, and as text.

    Pairs with a side of more than `longest` tokens are left out: the model may have no places for them.
    """

    def __init__(self, store: Store, pairs: Sequence[tuple[str, str, Context]], longest: int) -> None:
        sides = (store.source_lengths, store.target_lengths)
        fitting = np.max([side.reshape(len(store), -1)[:, 0] for side in sides], axis=0) <= longest
        self.store = store
        self.rows = np.flatnonzero(fitting)
        if not len(self.rows):
            raise CorpusError(f"no development pair has at most {longest} tokens on each side; raise data.longest")
        self.sources = [pairs[row][0] for row in self.rows.tolist()]
        self.references = [pairs[row][1] for row in self.rows.tolist()]
        self.contexts = [pairs[row][2] for row in self.rows.tolist()]
        self.longest = int(store.target_lengths.reshape(len(store), -1)[self.rows, 0].max())
        self.longest_source = longest


def loss_of(model: TranslationModel, batch: Batch, noise: Noise | None, smoothing: float) -> Tensor:
    """The mean cross-entropy of a batch under teacher forcing; padding never enters the output layer."""
    states = model(batch.source, batch.source_padding, batch.target, batch.target_padding, noise)
    return model.output.loss(states.flatten(0, 1).index_select(0, batch.places), batch.expected, smoothing)


class TranslationTask:
    """A translator that learns."""

    def __init__(
        self,
        model: TranslationModel,
        development: Development,
        subwords: Subwords,
        target: str,
        device: torch.device | None = None,
    ) -> None:
        self._model = model
        self._development = development
        self._subwords = subwords
        self._tokenizer = tokenizer_for(target)
        self._device = torch.device("cpu") if device is None else device
        # A model that has learnt little repeats itself up to the limit, which costs time and tells nothing.
        self._search = Search(beam=1, longest=development.longest)

    def loss(self, batch: Batch, noise: Noise | None, smoothing: float) -> Tensor:
        return loss_of(self._model, batch.to(self._device), noise, smoothing)

    def validate(self, step: int) -> Score:
        with evaluating(self._model), torch.inference_mode():
            loss = self._mean_loss()
            values = self._scores()
        return Score(step=step, loss=loss, values=values)

    def _mean_loss(self) -> float:
        total, count = 0.0, 0
        for batch in batches_of(self._development.store, self._development.rows):
            total += float(self.loss(batch, None, 0.0)) * len(batch.expected)
            count += len(batch.expected)
        return total / max(1, count)

    def _scores(self) -> dict[str, float]:
        looked_at = self._development
        said = translate_texts(
            self._model,
            self._subwords,
            looked_at.sources,
            self._search,
            looked_at.longest_source,
            looked_at.contexts,
            self._device,
        )
        scores = score(said, looked_at.references, self._tokenizer)
        return {"chrf": scores.chrf.score, "bleu": scores.bleu.score}


def batches_of(store: Store, rows: NDArray[np.int64], budget: int = VALIDATION_TOKENS) -> Sequence[Batch]:
    """These rows of a store once, in their best segmentation, alike ones together."""
    sides = (store.source_lengths, store.target_lengths)
    source, target = (side.reshape(len(store), -1)[rows, 0].astype(np.int64) for side in sides)
    order = alike(source, target)
    ends = cut(source[order], target[order], budget).tolist()
    return [make_batch(store, rows[order[first:last]]) for first, last in pairwise([0, *ends])]


class evaluating:  # noqa: N801 used as a context, like torch's no_grad
    """A model in its state of use, and afterwards back in the state it was in."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._before = model.training

    def __enter__(self) -> None:
        self._model.eval()

    def __exit__(self, *problem: object) -> None:
        self._model.train(self._before)


def translate_texts(
    model: TranslationModel,
    subwords: Subwords,
    texts: Sequence[str],
    search: Search,
    longest: int,
    contexts: Sequence[Context],
    device: torch.device | str = "cpu",
) -> list[str]:
    """Texts translated as they are, each cut to the longest length that the model knows, with what stands before."""
    coded = [
        one if len(one.ids) <= longest else Coded([*one.ids[: longest - 1], END], one.symbols)
        for one in encode(subwords, texts)
    ]
    sources = [one.ids for one in preceded(subwords, coded, contexts, longest)]
    with evaluating(model):
        found = decode_many(model, sources, search, device)
    return decode(subwords, [best[0].tokens for best in found], [one.symbols for one in coded])
