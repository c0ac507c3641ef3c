"""Compiles the engine of `mirada.native` when mirada is installed, where there is a compiler for it.

Without one mirada is whole, too: what the engine would compute is left to CTranslate2 or torch, and
`mirada translate -v` says why.
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
LIBRARY = FOLDER / "engine.so"
COMMON = ("-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-Wall", "-Wextra")
# One file asks whether the processor knows the instructions that the other may use.
FILES = {
    "supported.cpp": (),
    "engine.cpp": tuple(
        f"-m{one}" for one in ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vnni", "fma", "f16c")
    ),
}
PATIENCE = 600  # seconds for a compiler


class EngineHook(BuildHookInterface[Any]):
    """Hatchling's hook: the library is part of the wheel, whose name then tells the platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell the builder; a failure is told and costs nothing else."""
        if self.target_name != "wheel":
            return
        why_not = compile_engine(Path(self.root))
        if why_not is not None:
            self.app.display_warning(f"mirada.native is left out: {why_not}")
            return
        build_data["artifacts"].append(str(LIBRARY))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def compile_engine(root: Path) -> str | None:
    """Write the library; why it could not be written, if it could not."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        return "it is for x86-64 under Linux"
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX", ""), "g++", "clang++"))), None)
    if compiler is None:
        return "there is no C++ compiler"
    with tempfile.TemporaryDirectory(dir=root / FOLDER) as folder:
        objects = [Path(folder, name).with_suffix(".o") for name in FILES]
        calls = [
            [compiler, *COMMON, *flags, "-c", str(root / FOLDER / "source" / name), "-o", str(one)]
            for (name, flags), one in zip(FILES.items(), objects, strict=True)
        ]
        made = Path(folder, LIBRARY.name)
        calls.append([compiler, "-shared", "-pthread", *map(str, objects), "-o", str(made)])
        try:
            for call in calls:
                subprocess.run(call, check=True, capture_output=True, text=True, timeout=PATIENCE)  # noqa: S603
        except subprocess.CalledProcessError as error:
            return f"{compiler} failed: {(error.stderr or '').strip()[-2_000:]}"
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{compiler} failed: {error}"
        made.replace(root / LIBRARY)
    return None
