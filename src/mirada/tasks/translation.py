"""Translation as a task: learn target tokens from source tokens, score by loss, chrF and BLEU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from mirada.corpora.store import Store
from mirada.data.batch import Batch, make_batch
from mirada.data.order import cut
from mirada.decoding.search import Search, decode_many
from mirada.evaluation.translation import score, tokenizer_for
from mirada.layers.noise import Noise
from mirada.models.transformer import Transformer
from mirada.tasks.task import Score
from mirada.text.subwords import END, Subwords

VALIDATION_TOKENS = 8_000  # padded, in a batch


@dataclass(frozen=True, eq=False)
class Development:
    """The pairs that a run looks at to know how it does: as ids, and the references as text."""

    store: Store
    references: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.references)


def loss_of(model: Transformer, batch: Batch, noise: Noise | None, smoothing: float) -> Tensor:
    """The mean cross-entropy of a batch under teacher forcing; padding never enters the output layer."""
    states = model(batch.source, batch.source_padding, batch.target, batch.target_padding, noise)
    return model.output.loss(states.flatten(0, 1).index_select(0, batch.places), batch.expected, smoothing)


class TranslationTask:
    """A translator that learns."""

    def __init__(
        self,
        model: Transformer,
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
        longest = int(np.max(development.store.target_lengths, initial=0))
        self._search = Search(beam=1, longest=longest + longest // 4 + 5)

    def loss(self, batch: Batch, noise: Noise | None, smoothing: float) -> Tensor:
        return loss_of(self._model, batch.to(self._device), noise, smoothing)

    def validate(self, step: int) -> Score:
        with evaluating(self._model), torch.inference_mode():
            loss = self._mean_loss()
            values = self._scores()
        return Score(step=step, loss=loss, values=values)

    def _mean_loss(self) -> float:
        total, count = 0.0, 0
        for batch in batches_of(self._development.store):
            total += float(self.loss(batch, None, 0.0)) * len(batch.expected)
            count += len(batch.expected)
        return total / max(1, count)

    def _scores(self) -> dict[str, float]:
        store = self._development.store
        found = decode_many(
            self._model, [store.source(row).tolist() for row in range(len(store))], self._search, self._device
        )
        said = self._subwords.decode_many([best[0].tokens for best in found])
        scores = score(said, list(self._development.references), self._tokenizer)
        return {"chrf": scores.chrf.score, "bleu": scores.bleu.score}


def batches_of(store: Store, budget: int = VALIDATION_TOKENS) -> Sequence[Batch]:
    """All pairs of a store once, in their best segmentation, alike ones together."""
    source, target = (side.reshape(len(store), -1)[:, 0] for side in (store.source_lengths, store.target_lengths))
    order = np.lexsort((source, target))
    pieces = cut(source[order].astype(np.int64), target[order].astype(np.int64), budget)
    return [make_batch(store, order[first:last]) for first, last in pieces]


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
    model: Transformer, subwords: Subwords, texts: Sequence[str], search: Search, longest: int
) -> list[str]:
    """Texts translated as they are, each cut to the longest length that the model knows."""
    sources = [[*ids[: longest - 1], END] for ids in subwords.encode_many(texts)]
    with evaluating(model):
        found = decode_many(model, sources, search)
    return subwords.decode_many([best[0].tokens for best in found])
