"""The engine is called only where it can be, and a model that cannot be is refused."""

import numpy as np
import pytest

from mirada.native import library
from mirada.native.library import Shape, why_not
from mirada.native.loading import NativeError
from mirada.native.model import NativeModel, _plain
from tests.native.loading import Loading


class TestLoading(Loading):
    module = library
    processor = "AVX-512 VNNI"


def shape(**changes: float) -> Shape:
    usual = {
        "width": 8, "feed_forward": 12, "vocabulary": 20, "encoder_layers": 1, "encoder_heads": 2,
        "decoder_layers": 1, "decoder_heads": 2, "pre_norm": 1, "begin": 2, "end": 3,
    }  # fmt: skip
    return Shape(**(usual | changes))


def test_numbers_are_given_where_c_may_read_them() -> None:
    mapped = np.frombuffer(bytes(range(33)), np.float32, 8, 1)
    given = _plain(mapped, np.float32)
    assert (mapped.flags.aligned, given.flags.aligned) == (False, True)
    assert given.tobytes() == mapped.tobytes()
    turned = np.arange(6, dtype=np.int8).reshape(2, 3).T
    assert _plain(turned, np.int8).tobytes() == bytes([0, 3, 1, 4, 2, 5])


@pytest.mark.skipif(why_not() is not None, reason=f"no compiled engine: {why_not()}")
class TestBadModels:
    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"encoder_heads": 3}, "heads do not divide the width"),
            ({"decoder_heads": 0}, "heads do not divide the width"),
            ({"vocabulary": 0}, "a size below 1"),
            ({"decoder_layers": 0}, "no layers"),
            ({"activation": 3}, "an unknown activation"),
            ({"end": 20}, "a mark that is no token"),
        ],
    )
    def test_a_shape_that_cannot_be(self, changes, why) -> None:
        with pytest.raises(NativeError, match=why):
            NativeModel(shape(**changes))

    def test_numbers_that_are_missing(self) -> None:
        model = NativeModel(shape())
        with pytest.raises(NativeError, match="is missing"):
            model.require_whole()
        with pytest.raises(NativeError, match="not whole"):
            model.search([[4, 3]], [5], 1, 0, 1)
