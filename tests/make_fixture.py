"""Make the model folders that later versions must load: run once for each schema, and never again for an old one.

python -m tests.make_fixture schema-1
python -m tests.make_fixture schema-1-recurrent
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import torch

from mirada.training.preparing import Files
from mirada.training.run import Request
from mirada.training.settings import merge
from mirada.translator import Translator
from tests.training.small import SETTINGS, run, write_corpus
from tests.training.test_resume import RECURRENT

SENTENCES = ["The black cat sleeps.", "Where is the house?", "We don't see them.", "The animal was too tired."]


def main(name: str) -> None:
    folder = Path(__file__).parent / "fixtures" / "models" / name
    if folder.exists():
        sys.exit(f"{folder} is there; an old fixture is never made again")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "model"
        files = Files((write_corpus(Path(scratch), 1_500),), source="en", target="es")
        run(Request(files, made, None, _settings(name)))
        folder.mkdir(parents=True)
        for file in ("config.json", "model.safetensors", "subwords.model", "card.md"):
            shutil.copy(made / file, folder / file)
    said = Translator.load(folder).translate(SENTENCES, beam=3, align=True)
    expected = [
        {"source": one.source, "text": one.text, "score": one.score, "alignment": one.alignment} for one in said
    ]
    (folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _settings(name: str) -> dict[str, object]:
    if name.endswith("-recurrent"):
        return merge(RECURRENT, {"training": {"budget": {"steps": 200}}})
    return merge(SETTINGS, {"model": {"width": 32, "feed_forward": 64}, "training": {"budget": {"steps": 900}}})


if __name__ == "__main__":
    main(sys.argv[1])
