"""The README's Python runs as it stands there."""

import re
import shutil
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
MODEL = Path(__file__).parent / "fixtures" / "models" / "schema-1"


def test_the_snippets_run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(MODEL, tmp_path / "my-model")
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(snippets) == 2
    for snippet in snippets:
        exec(compile(snippet, str(README), "exec"), {})
    printed = capsys.readouterr().out
    assert "torch.Size([1, 4, 12, 12])" in printed
    assert "GATHERED" in printed, "the long example is computed in tiles"
