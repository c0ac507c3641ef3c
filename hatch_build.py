"""Compiles the libraries of `mirada.native` when mirada is installed, where there is a compiler for them.

Without one mirada is whole, too: what they would compute is left to CTranslate2 or torch, and `mirada translate -v` and
`mirada train` say why.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("src", "mirada", "native")
COMMON = ("-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-Wall", "-Wextra")
WIDE = ("-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma", "-mf16c")
FLOAT32 = "-DMIRADA_FLOAT32"
# The libraries, and what each is made of with which flags. Of each, one file asks whether the processor knows the
# instructions that the others may use.
LIBRARIES: dict[str, dict[str, tuple[str, ...]]] = {
    "engine.so": {"supported.cpp": (), "engine.cpp": (*WIDE, "-mavx512vnni")},
    "products_bf16.so": {"learning/supported.cpp": (), "learning/learning.cpp": (*WIDE, "-mavx512bf16")},
    "products_float32.so": {"learning/supported.cpp": (FLOAT32,), "learning/learning.cpp": (*WIDE, FLOAT32)},
}
PATIENCE = 600  # seconds for a compiler


class EngineHook(BuildHookInterface[Any]):
    """Hatchling's hook: the library is part of the wheel, whose name then tells the platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell the builder; a failure is told and costs nothing else."""
        if self.target_name != "wheel":
            return
        made = []
        for name in LIBRARIES:
            why_not = compile_library(Path(self.root), name)
            if why_not is None:
                made.append(str(FOLDER / name))
            else:
                self.app.display_warning(f"{name} of mirada.native is left out: {why_not}")
        if made:
            build_data["artifacts"] += made
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def compile_library(root: Path, name: str) -> str | None:
    """Write a library; why it could not be written, if it could not."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        return "it is for x86-64 under Linux"
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX", ""), "g++", "clang++"))), None)
    if compiler is None:
        return "there is no C++ compiler"
    with tempfile.TemporaryDirectory(dir=root / FOLDER) as folder:
        made, objects, calls = Path(folder, name), [], []
        for number, (file, flags) in enumerate(LIBRARIES[name].items()):
            objects.append(str(Path(folder, f"{number}.o")))
            calls.append([compiler, *COMMON, *flags, "-c", str(root / FOLDER / "source" / file), "-o", objects[-1]])
        calls.append([compiler, "-shared", "-pthread", *objects, "-o", str(made)])
        try:
            for call in calls:
                subprocess.run(call, check=True, capture_output=True, text=True, timeout=PATIENCE)  # noqa: S603
        except subprocess.CalledProcessError as error:
            return f"{compiler} failed: {(error.stderr or '').strip()[-2_000:]}"
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{compiler} failed: {error}"
        made.replace(root / FOLDER / name)
    return None
