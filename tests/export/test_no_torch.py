"""An exported model is translated with, evaluated and told about without importing torch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mirada.export.ctranslate2 import write
from tests.export.models import ROUNDED_ENGINE, random_model, shape
from tests.translators import TEXTS

SCRIPT = """
import sys
from mirada.cli.app import app
heavy, words = set(sys.argv[1].split()), sys.argv[2:]
try:
    app(words, prog_name="mirada")
except SystemExit as end:
    assert not end.code, end.code
found = {name.partition(".")[0] for name in sys.modules} & heavy
assert not found, found
"""
HEAVY = "torch matplotlib lxml sacrebleu"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    write(random_model(shape()), folder, "int8")
    return folder


def run(heavy: str, *words: object, lines: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, heavy, *map(str, words)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_translate(exported: Path) -> None:
    done = run(HEAVY, "translate", exported, "-v", "--align", "--beam", "2", lines="Go home.\n")
    assert len(done.stdout.splitlines()) == 1
    assert f"engine: {ROUNDED_ENGINE} (the fastest for " in done.stderr


def test_evaluate(exported: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(TEXTS) + "\n")
    done = run("torch matplotlib", "evaluate", exported, "--input", text, "--reference", text, "--beam", "1", "--json")
    told = json.loads(done.stdout)
    assert (told["sentences"], told["engine"]) == (len(TEXTS), ROUNDED_ENGINE)
    assert 0 <= told["bleu"]["score"] <= 100


def test_info(exported: Path) -> None:
    told = json.loads(run(HEAVY, "info", exported, "--json").stdout)
    assert (told["from"], told["to"], told["engine"], told["quantization"]) == ("en", "es", "ctranslate2", "int8")
    assert told["bytes"] == sum(path.stat().st_size for path in exported.iterdir())
