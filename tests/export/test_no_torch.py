"""Translating with an exported model imports no torch."""

import os
import subprocess
import sys

from mirada.export.ctranslate2 import write
from tests.export.models import random_model, shape

SCRIPT = """
import sys
from mirada.cli.app import app
try:
    app(["translate", sys.argv[1], "-v", "--align", "--beam", "2"], prog_name="mirada")
except SystemExit as end:
    assert not end.code, end.code
heavy = {name.partition(".")[0] for name in sys.modules} & {"torch", "matplotlib", "lxml", "sacrebleu"}
assert not heavy, heavy
"""


def test_no_torch(tmp_path) -> None:
    write(random_model(shape()), tmp_path)
    run = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    done = subprocess.run(run, input="Go home.\n", capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert "engine: ctranslate2 (an exported model)" in done.stderr
