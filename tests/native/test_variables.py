"""CTranslate2's file is read name by name, and a damaged one is refused wherever it ends."""

from pathlib import Path

import numpy as np
import pytest

from mirada.export.ctranslate2 import write
from mirada.export.folder import MODEL
from mirada.export.variables import read
from mirada.native.loading import NativeError
from tests.export.models import random_model, shape


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    write(random_model(shape()), folder, "int8")
    return folder / MODEL


def test_numbers_by_name(file) -> None:
    found = read(file)
    weights, scales = found["decoder/layer_0/ffn/linear_0/weight"], found["decoder/layer_0/ffn/linear_0/weight_scale"]
    assert (weights.dtype, weights.shape, scales.dtype, scales.shape) == (np.int8, (12, 8), np.float32, (12,))
    assert (found.layers("encoder"), found.layers("decoder")) == (2, 2)
    assert found.number("encoder/num_heads") == 2
    assert found.number("no such setting", 7.0) == 7
    whole = random_model(shape()).model.state_dict()
    assert any(np.allclose(weights / scales[:, None], one.numpy(), atol=np.abs(one.numpy()).max() / 127)
               for one in whole.values() if one.shape == (12, 8))  # fmt: skip
    with pytest.raises(NativeError, match="it has no such name"):
        found["such name"]


def test_a_file_that_ends_too_early(file, tmp_path) -> None:
    whole, part = file.read_bytes(), tmp_path / MODEL
    for length in [0, 1, 4, 7, 40, len(whole) // 2, len(whole) - 1]:
        part.write_bytes(whole[:length])
        with pytest.raises(NativeError, match=r"is empty|is damaged|of another kind"):
            read(part)


def test_a_file_of_another_version(file, tmp_path) -> None:
    other = tmp_path / MODEL
    other.write_bytes(b"\x63" + file.read_bytes()[1:])
    with pytest.raises(NativeError, match="version 99"):
        read(other)
