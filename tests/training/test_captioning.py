"""Runs of captioning: going on bit for bit, groups kept together, the same data used again."""

from pathlib import Path

import numpy as np
import pytest

from mirada.training.caption_preparing import parts_of
from mirada.training.preparing import Files
from mirada.training.result import CaptionResult
from mirada.training.run import Request
from mirada.training.settings import Tree, merge
from tests.training.small import run

STACK: Tree = {"layers": 1, "heads": 2}
SETTINGS: Tree = {
    "data": {"dev_share": 0.2, "test_share": 0.2},
    "model": {"width": 16, "feed_forward": 32, "encoder": STACK, "decoder": STACK, "cross": {"heads": 2}},
    "training": {"batch_tokens": 300, "dropout": 0.1, "budget": {"steps": 12}, "save_minutes": 0.001},
}


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clips of two frames: a line that moves down or to the right; four of each group."""
    folder = tmp_path_factory.mktemp("clips")
    generator = np.random.default_rng(3)
    rows = ["picture\ttext\tgroup"]
    from PIL import Image

    for number in range(40):
        first = generator.integers(0, 60, (8, 8), dtype=np.uint8)
        second = first.copy()
        down = number % 2
        first[2], second[4] = (255, 255) if down else (first[2], second[4])
        if not down:
            first[:, 2], second[:, 4] = 255, 255
        images = [Image.fromarray(frame) for frame in (first, second)]
        images[0].save(folder / f"{number}.png", save_all=True, append_images=images[1:], default_image=False)
        rows.append(f"{number}.png\t{'down' if down else 'to the right'}\tgroup {number // 4}")
    (folder / "clips.tsv").write_text("\n".join(rows) + "\n")
    return folder / "clips.tsv"


def request(table: Path, output: Path, **changes: object) -> Request:
    return Request(Files((table,)), output, None, merge(SETTINGS, changes), task="caption")


@pytest.fixture(scope="module")
def trained(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    outcome, listener = run(request(clips, folder))
    assert outcome.finished
    assert isinstance(outcome.result, CaptionResult)
    assert any("2 frames of 8 × 8 in gray" in said for said in listener.said)
    return folder


def test_a_stopped_run_goes_on_as_if_it_had_not_been(clips: Path, trained: Path, tmp_path: Path) -> None:
    asked = request(clips, tmp_path / "model")
    assert run(asked, stop_at=7)[0].step == 7
    outcome, listener = run(asked)
    assert outcome.finished
    assert any("was prepared before" in said for said in listener.said)
    one, other = ((folder / "model.safetensors").read_bytes() for folder in (tmp_path / "model", trained))
    assert one == other


def test_pictures_of_one_group_are_never_divided(trained: Path) -> None:
    parts = parts_of(trained)
    sizes = {name: len(part.pictures) for name, part in parts.items()}
    assert sum(sizes.values()) == 40
    assert all(size % 4 == 0 for size in sizes.values())
    assert sizes["test"] > 0
    texts = [one.text for one in parts["train"].captions()]
    assert len(texts) == sizes["train"]
    assert {one.language for one in parts["train"].captions()} == {""}


def test_a_given_test_set_is_not_trained_on(clips: Path, tmp_path: Path) -> None:
    asked = Request(Files((clips,), test=(clips,)), tmp_path / "model", None, SETTINGS, task="caption")
    with pytest.raises(ValueError, match="none is left to train on"):
        run(asked)
