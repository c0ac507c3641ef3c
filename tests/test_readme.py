"""The README's Python runs as it stands there."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_snippets_run(capsys) -> None:
    snippets = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, str(README), "exec"), {})
    printed = capsys.readouterr().out
    assert "torch.Size([1, 4, 12, 12])" in printed
    assert "GATHERED" in printed, "the long example is computed in tiles"
