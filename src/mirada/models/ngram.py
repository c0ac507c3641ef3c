"""The n-gram model: a Markov chain of tokens, smoothed as by Kneser and Ney (1995), interpolated (Chen, Goodman 1999).

    p_k(w | h) = (max(c(h w) − D, 0) + D · N(h ·) · p_{k−1}(w | h′)) / Σ_v c(h v)

h are the k − 1 tokens before w, h′ is h without its first, N(h ·) counts the different tokens that follow h, and p_0 is
uniform. c counts how often h w stands in the text for the highest order, and for the lower ones how many different
tokens stand before it: what comes only after one word should not be expected after others. D = n₁ / (n₁ + 2 n₂), with
the n-grams of this order that count 1 and 2. A history that was never met leaves the question to the next order.

Legend: N tokens of a text, K n-grams of an order, H their histories, R rows, T vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from mirada.attention import Padding

USUAL_DISCOUNT = 0.75  # where too few n-grams are met once or twice to tell


@dataclass(frozen=True, eq=False)
class Level:
    """The n-grams of one order, sorted by (history, token): a history is the number of an n-gram of the order below."""

    keys: NDArray[np.int64]  # K: history · T + token
    counts: NDArray[np.int64]  # K
    totals: NDArray[np.int64]  # H: of all tokens after a history
    followers: NDArray[np.int64]  # H: how many different ones

    @classmethod
    def of(cls, keys: NDArray[np.int64], counts: NDArray[np.int64], vocabulary: int, histories: int) -> Level:
        """A level from its n-grams and their counts."""
        history = keys // vocabulary
        totals = np.bincount(history, weights=counts, minlength=histories).astype(np.int64)
        return cls(keys, counts, totals, np.bincount(history[counts > 0], minlength=histories))

    @property
    def discount(self) -> float:
        """D, what each count gives away to tokens that were not met."""
        once, twice = (int(np.count_nonzero(self.counts == count)) for count in (1, 2))
        return once / (once + 2 * twice) if once and twice else USUAL_DISCOUNT

    def find(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of n-grams, −1 for one that is not there."""
        places = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, -1)


@dataclass(frozen=True, eq=False)
class NgramState:
    """The last tokens of each row, as many as the model looks back."""

    tokens: Int[Tensor, "R K"]

    def select(self, rows: Int[Tensor, "R2"]) -> NgramState:
        """The state of these rows, in this order."""
        return NgramState(self.tokens.index_select(0, rows))


class Ngram:
    """p(token | the `order` − 1 before it), from counts."""

    def __init__(self, levels: Sequence[Level], vocabulary: int, before: int) -> None:
        self.levels, self.vocabulary, self.before = tuple(levels), vocabulary, before
        self._discounts = [level.discount for level in self.levels]

    @classmethod
    def count(cls, text: NDArray[Any], order: int, vocabulary: int, before: int) -> Ngram:
        """The model of a text; `before` stands as often as needed before it."""
        padded = np.concatenate([np.full(order - 1, before), text]).astype(np.int64)
        found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        numbers = np.zeros(len(padded) + 1, dtype=np.int64)  # of the n-gram of the order below that ends at each place
        for length in range(1, order + 1):
            keys, inverse, counts = np.unique(
                numbers[:-1] * vocabulary + padded[length - 1 :], return_inverse=True, return_counts=True
            )
            if found:  # the order below counts what stands before, each once
                ending = np.empty(len(keys), dtype=np.int64)
                ending[inverse] = numbers[1:]
                found[-1] = found[-1][0], np.bincount(ending, minlength=len(found[-1][0]))
            found.append((keys, counts.astype(np.int64)))
            numbers = inverse.astype(np.int64)
        return cls.of(found, vocabulary, before)

    @classmethod
    def of(cls, counted: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], vocabulary: int, before: int) -> Ngram:
        """A model from the n-grams of each order, the lowest first, and their counts."""
        sizes = [1, *(len(keys) for keys, _ in counted)]
        levels = [Level.of(*one, vocabulary, size) for one, size in zip(counted, sizes, strict=False)]
        return cls(levels, vocabulary, before)

    @property
    def order(self) -> int:
        """How many tokens an n-gram has at most."""
        return len(self.levels)

    @property
    def context(self) -> int:
        """How many tokens it looks back."""
        return self.order - 1

    @property
    def size(self) -> int:
        """How many n-grams it has counted, of all orders together."""
        return sum(len(level.keys) for level in self.levels)

    def log_probabilities(self, text: NDArray[Any]) -> NDArray[np.float64]:
        """log p of every token of a text."""
        padded = np.concatenate([np.full(self.order - 1, self.before), text]).astype(np.int64)
        probabilities = np.full(len(padded), 1 / self.vocabulary)
        history = np.zeros(len(padded), dtype=np.int64)
        for level, discount in zip(self.levels, self._discounts, strict=True):
            met = history >= 0
            grams = np.where(met, level.find(np.where(met, history * self.vocabulary + padded, 0)), -1)
            counts = np.where(grams >= 0, level.counts[grams], 0)
            totals, followers = (np.where(met, of[history], 0) for of in (level.totals, level.followers))
            mixed = np.maximum(counts - discount, 0) + discount * followers * probabilities
            probabilities = np.where(totals > 0, mixed / np.maximum(totals, 1), probabilities)
            history = np.concatenate([[-1], grams[:-1]])  # what ends before a token is its history one order up
        return np.log(probabilities[self.order - 1 :])

    def distribution(self, history: Sequence[int]) -> NDArray[np.float64]:
        """p of every token after these."""
        probabilities = np.full(self.vocabulary, 1 / self.vocabulary)
        for length, (level, discount) in enumerate(zip(self.levels, self._discounts, strict=True)):
            number = self._number(history[len(history) - length :])
            if number < 0 or level.totals[number] == 0:
                break
            first, last = np.searchsorted(level.keys, (number * self.vocabulary, (number + 1) * self.vocabulary))
            counts = np.zeros(self.vocabulary)
            counts[level.keys[first:last] % self.vocabulary] = level.counts[first:last]
            mixed = np.maximum(counts - discount, 0) + discount * level.followers[number] * probabilities
            probabilities = mixed / level.totals[number]
        return probabilities

    def _number(self, tokens: Sequence[int]) -> int:
        """The number of an n-gram within its order, −1 where it was never met."""
        number = 0
        for token, level in zip(tokens, self.levels, strict=False):
            number = int(level.find(np.array([number * self.vocabulary + token]))[0])
            if number < 0:
                break
        return number

    def start(self, source: Int[Tensor, "B N"], padding: Padding | None = None) -> NgramState:
        """The state after a text."""
        begun = torch.full((len(source), self.context), self.before)
        return NgramState(torch.cat([begun, source], 1)[:, source.shape[1] :])

    def step(self, tokens: Int[Tensor, "R"], state: NgramState) -> tuple[Float[Tensor, "R T"], NgramState]:
        """The log-probabilities of the next token, and the state after these tokens."""
        seen = torch.cat([state.tokens, tokens[:, None]], 1)[:, -self.context :] if self.context else state.tokens
        found = np.stack([self.distribution(row) for row in seen.tolist()])
        return torch.from_numpy(np.log(found)), NgramState(seen)

    def tensors(self) -> dict[str, NDArray[np.int64]]:
        """What is written to a file."""
        keys = {f"keys.{number}": level.keys for number, level in enumerate(self.levels, 1)}
        return keys | {f"counts.{number}": level.counts for number, level in enumerate(self.levels, 1)}

    @classmethod
    def of_tensors(cls, tensors: Mapping[str, Tensor], order: int, vocabulary: int, before: int) -> Ngram:
        """The model in a file that holds what `tensors` gave."""
        wanted = {f"{part}.{number}" for part in ("keys", "counts") for number in range(1, order + 1)}
        if set(tensors) != wanted or any(one.dtype != torch.int64 or one.dim() != 1 for one in tensors.values()):
            raise ValueError(f"its tensors are not the n-grams of the orders 1 to {order}; copy the folder again")
        counted = [
            (tensors[f"keys.{number}"].numpy(), tensors[f"counts.{number}"].numpy()) for number in range(1, order + 1)
        ]
        below = 1
        for keys, counts in counted:
            possible = len(keys) == len(counts) > 0 and keys[0] >= 0 and keys[-1] < below * vocabulary
            if not (possible and (np.diff(keys) > 0).all() and counts.min() >= 0):
                raise ValueError("its n-grams are not sorted, or impossible; copy the folder again")
            below = len(keys)
        return cls.of(counted, vocabulary, before)
