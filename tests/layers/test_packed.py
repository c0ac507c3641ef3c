"""A batch without its padding: what is taken out, and put back where it stood."""

import torch

from mirada.attention import Padding
from mirada.layers.packed import Packed

TOKENS = torch.tensor([[5, 6, 7, 0], [8, 0, 0, 0], [9, 10, 11, 12]])
PADDING = Padding.from_lengths([3, 1, 4], 4)


def test_tokens_and_where_they_stood() -> None:
    packed = Packed.of(TOKENS, PADDING)
    assert packed.tokens.tolist() == [[5, 6, 7, 8, 9, 10, 11, 12]]
    assert packed.places.tolist() == [0, 1, 2, 0, 0, 1, 2, 3]
    assert packed.looks_at(packed).queries.tolist() == [0, 3, 4, 8]


def test_states_come_back_to_their_places() -> None:
    packed = Packed.of(TOKENS, PADDING)
    assert packed.unpacked(packed.tokens[..., None].double())[..., 0].long().equal(TOKENS)
