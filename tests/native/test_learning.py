"""What models learn with, compiled: called only where it can be, and both sides mean the same by what is passed."""

import ctypes
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from mirada.native import learning
from mirada.native.loading import FOLDER, NativeError
from tests.native.loading import Loading

SOURCE = FOLDER / "source" / "learning"
BF16 = learning.Numbers.BF16


class LearningLoading(Loading):
    module = learning
    numbers: learning.Numbers

    @property
    def asked(self) -> tuple[learning.Numbers]:
        return (self.numbers,)

    def put(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(learning, "library", lambda _: path)


class TestLoadingForBf16(LearningLoading):
    numbers, processor = learning.Numbers.BF16, "AVX-512 BF16"


class TestLoadingForFloat32(LearningLoading):
    numbers, processor = learning.Numbers.FLOAT32, "AVX-512"


def test_each_kind_of_numbers_has_a_library_of_its_own() -> None:
    assert len({learning.library(numbers) for numbers in learning.Numbers}) == len(learning.Numbers)


def test_a_failure_is_raised_with_its_reason(monkeypatch) -> None:
    library = SimpleNamespace(mirada_drop=lambda *_: -1, mirada_reason=lambda: b"std::bad_alloc")
    monkeypatch.setattr(learning, "load", lambda _: library)
    with pytest.raises(NativeError, match="mirada_drop: std::bad_alloc"):
        learning.call("mirada_drop", BF16, 1, 2, 3)
    library.mirada_reason = lambda: None
    with pytest.raises(NativeError, match="mirada_drop: "):
        learning.call("mirada_drop", BF16)


def test_what_goes_well_passes_its_arguments_on(monkeypatch) -> None:
    given = []
    monkeypatch.setattr(learning, "load", lambda _: SimpleNamespace(mirada_drop=lambda *all_: given.append(all_) or 0))
    learning.call("mirada_drop", BF16, 1, None, 3)
    assert given == [(1, None, 3)]


class TestBothSides:
    """Numbers and shapes that stand in C++ and in Python are the same."""

    def test_the_version_and_the_functions(self) -> None:
        source = (SOURCE / "learning.cpp").read_text(encoding="utf-8")
        assert re.findall(r"mirada_version\(\) { return (\d+); }", source) == [str(learning.VERSION)]
        names = set(re.findall(r"^(?:int|const char\*) (mirada_\w+)\(", source, re.MULTILINE))
        assert names == set(learning._FUNCTIONS)

    def test_how_many_arguments_each_function_takes(self) -> None:
        source = (SOURCE / "learning.cpp").read_text(encoding="utf-8")
        for name, (takes, _) in learning._FUNCTIONS.items():
            (inside,) = re.findall(rf"\b{name}\(([^)]*)\)", source)
            assert len([one for one in inside.split(",") if one.strip()]) == len(takes), name

    def test_maps_and_activations(self) -> None:
        source = (SOURCE / "maps.hpp").read_text(encoding="utf-8")
        assert f"MOST_MAPS = {learning.MOST_MAPS};" in source
        (names,) = re.findall(r"enum class Activation : std::int32_t { ([^}]*) }", source)
        assert [getattr(learning, name) for name in names.split(", ")] == [0, 1, 2]

    def test_the_sizes_of_a_look(self) -> None:
        source = (SOURCE / "looks.hpp").read_text(encoding="utf-8")
        (look,) = re.findall(r"struct Look {\n(.*?)\n\n", source, re.DOTALL)
        declared = re.findall(r"^ *(?:std::)?(int32_t|int64_t|float|Strides) ([^;]*);", look, re.MULTILINE)
        names = {"int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "float": ctypes.c_float}
        kinds = names | {"Strides": learning.Strides}
        assert [(name, kinds[kind]) for kind, all_ in declared for name in all_.split(", ")] == [
            *learning.Look._fields_
        ]
        assert "std::int64_t row, head, place;" in source
        assert ctypes.sizeof(learning.Strides) == 24
        assert ctypes.sizeof(learning.Look) == 8 * 4 + 2 * 8 + 4 * 24
