"""The libraries are compiled where that is possible; where it is not, the reason is told and nothing else is lost."""

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """hatch_build.py, with a stand-in for hatchling, which only installers have."""
    for name in ("hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = dict  # any class that takes a type in brackets
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def sources(building, tmp_path: Path) -> Path:
    """A copy of the sources in a place of their own."""
    shutil.copytree(ROOT / building.FOLDER / "source", tmp_path / building.FOLDER / "source")
    return tmp_path


def test_another_system(building, sources, monkeypatch) -> None:
    monkeypatch.setattr(building.sys, "platform", "darwin")
    assert building.compile_library(sources, "engine.so") == "it is for x86-64 under Linux"


@pytest.mark.skipif(sys.platform != "linux", reason="it is for Linux")
class TestUnderLinux:
    @pytest.fixture(autouse=True)
    def on_this_kind(self, building, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(building.platform, "machine", lambda: "x86_64")

    def test_no_compiler(self, building, sources, monkeypatch) -> None:
        monkeypatch.setattr(building.shutil, "which", lambda name: None)
        assert building.compile_library(sources, "products_bf16.so") == "there is no C++ compiler"
        assert not (sources / building.FOLDER / "products_bf16.so").exists()

    @pytest.mark.skipif(shutil.which("g++") is None, reason="there is no compiler here")
    def test_sources_that_are_wrong(self, building, sources) -> None:
        (sources / building.FOLDER / "source" / "engine.cpp").write_text("no C++", encoding="utf-8")
        assert "g++ failed: " in building.compile_library(sources, "engine.so")
        assert sorted(path.name for path in (sources / building.FOLDER).iterdir()) == ["source"]
