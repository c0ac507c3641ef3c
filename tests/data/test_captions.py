"""What happens to a picture is a function of (seed, epoch, row), and batches can be taken up anywhere."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mirada.corpora.pair import CorpusError
from mirada.corpora.pictures.picture import PictureShape
from mirada.corpora.pictures.store import PictureStore, PictureWriter
from mirada.corpora.store import Store, StoreWriter
from mirada.data.augment import Augmentation, default_shift
from mirada.data.captions import CaptionOrder, Captions
from mirada.data.position import Position
from mirada.text.subwords import END

SHAPE = PictureShape(height=4, width=6)


def test_a_shift_moves_and_repeats_the_edge() -> None:
    picture = np.arange(24, dtype=np.uint8).reshape(1, 1, 4, 6, 1)
    moved = Augmentation(1).apply(picture, np.array([[1, -1, 0]], dtype=np.int16))[0, 0, :, :, 0]
    wanted = picture[0, 0, :, :, 0]
    assert np.array_equal(moved[1:, :-1], wanted[:-1, 1:])
    assert np.array_equal(moved[0, :-1], wanted[0, 1:])
    assert np.array_equal(moved[1:, -1], wanted[:-1, -1])
    mirrored = Augmentation(0, flip=True).apply(picture, np.array([[0, 0, 1]], dtype=np.int16))
    assert np.array_equal(mirrored[0, 0, :, :, 0], wanted[:, ::-1])


def test_chances_are_a_function_of_seed_epoch_and_row() -> None:
    augmentation = Augmentation(2, flip=True)
    drawn = augmentation.chances(1, 3, 50)
    assert np.array_equal(drawn, augmentation.chances(1, 3, 50))
    assert not np.array_equal(drawn, augmentation.chances(1, 4, 50))
    assert (drawn[:, :2].min(), drawn[:, :2].max(), set(drawn[:, 2])) == (-2, 2, {0, 1})
    assert not Augmentation(2).chances(1, 3, 50)[:, 2].any()
    assert [default_shift(side, side) for side in (8, 28, 224)] == [0, 2, 16]


@pytest.fixture
def captions(tmp_path: Path) -> Captions:
    generator = np.random.default_rng(1)
    with PictureWriter(tmp_path / "pictures", "a test", SHAPE) as writer:
        for _ in range(5):
            writer.add(generator.integers(0, 256, SHAPE.array, dtype=np.uint8))
    lengths = generator.integers(2, 6, 10)
    with StoreWriter(tmp_path / "texts", "a test", 30) as texts:
        marks = np.arange(10, dtype=np.uint32) % 2 + 4, np.ones(10, dtype=np.int64)
        tokens = np.concatenate([[*range(10, 9 + length), END] for length in lengths]).astype(np.uint32)
        texts.add([marks], [(tokens, lengths)])
    pictures = PictureStore(tmp_path / "pictures")
    return Captions(pictures, Store.open(tmp_path / "texts"), np.arange(10) // 2, pictures.standard, 6)


def test_a_batch_begins_with_the_mark_of_its_language(captions: Captions) -> None:
    batch = captions.batch(np.array([3, 4]))
    assert batch.target[:, 0].tolist() == [5, 4]
    torch.testing.assert_close(batch.source, captions.entered(np.array([1, 2])))
    lengths = captions.lengths[[3, 4]]
    assert len(batch.expected) == lengths.sum()
    assert batch.expected.tolist().count(END) == 2
    assert batch.tokens == 2 * 6 + lengths.sum()
    together = captions.batch(np.array([3, 2, 5]))
    assert (len(together.source), together.of.tolist()) == (2, [0, 0, 1])  # a picture is read once


def test_every_caption_is_seen_once_in_an_epoch_and_batches_are_taken_up_anywhere(captions: Captions) -> None:
    order = CaptionOrder(captions, 32, 7, 6, Augmentation(1))
    count = order.batches_in(0)
    stream = order.from_position(Position())
    first = [next(stream) for _ in range(count + 2)]
    assert sum(len(batch.target) for batch, _ in first[:count]) == 10
    assert all(len(batch.source) * 6 + batch.target.numel() <= 40 for batch, _ in first)
    assert all(len(batch.target) == 2 * len(batch.source) for batch, _ in first)  # both captions of each picture
    again = CaptionOrder(captions, 32, 7, 6, Augmentation(1)).from_position(first[count - 1][1])
    for batch, position in first[count:]:
        other, place = next(again)
        assert torch.equal(batch.source, other.source)
        assert torch.equal(batch.target, other.target)
        assert place == position


def test_batches_that_hold_no_caption_are_told(captions: Captions) -> None:
    with pytest.raises(CorpusError, match="cannot hold 6 patches and the captions of one picture"):
        CaptionOrder(captions, 8, 7, 6, Augmentation())
    with pytest.raises(CorpusError, match="no caption has at most 1 tokens"):
        CaptionOrder(captions, 80, 7, 1, Augmentation())
    assert CaptionOrder(captions, 80, 7, 3, Augmentation()).remarks
