"""The heat map for the terminal."""

import io

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from mirada.viewing.heat import Chosen, choose, heat_map, title
from mirada.viewing.packing import pack
from tests.viewing.views import synthetic


def printed(view, chosen, width: int = 80, **settings: bool) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width).print(heat_map(view, chosen, width, **settings), end="")
    return out.getvalue().splitlines()


def known():
    """A view whose first cross map has weights that are known: head 0 looks straight, head 1 everywhere alike."""
    view = synthetic(["▁The", "▁cat", "s"], ["▁El", "▁gato"], layers=1, heads=2)
    weights = np.stack([np.eye(3, 4), np.full((3, 4), 0.25)]).astype(np.float32)
    packed = pack(weights, np.ones((3, 4), dtype=np.bool_))
    source = view.sequences["source"].model_copy(update={"words": (0, 1, 1, 2)})
    found = view.maps[2].model_copy(update={"weights": packed.weights, "highs": packed.highs})
    return view.model_copy(update={"maps": (*view.maps[:2], found), "sequences": view.sequences | {"source": source}})


def test_shades_say_weights() -> None:
    lines = printed(known(), Chosen(2, 0), subwords=True)
    assert [line.rstrip() for line in lines[-4:-1]] == ["   El ██", " gato   ██", "<end>     ██"]
    spread = printed(known(), Chosen(2, 1), ascii_only=True)
    assert [line.rstrip() for line in spread[-4:-1]] == ["   El ::**::", " gato ::**::", "<end> ::**::"]


def test_keys_stand_upright() -> None:
    lines = printed(known(), Chosen(2, None))
    assert [line.split() for line in lines[:5]] == [
        ["<"],
        ["c", "e"],
        ["T", "a", "n"],
        ["h", "t", "d"],
        ["e", "s", ">"],
    ]


def test_a_narrow_terminal_gets_blocks() -> None:
    view = synthetic([f"▁word{number}" for number in range(40)], ["▁a", "▁b"])
    lines = printed(view, choose(view), width=31)
    assert max(map(cell_len, lines)) <= 31
    assert sum(line.startswith("    a ") for line in lines) == 4


def test_long_and_wide_labels_and_controls() -> None:
    view = synthetic(["▁" + "x" * 40, "▁漢字"], ["▁" + "ж" * 60, "▁\x1b[2J", "▁猫"])
    lines = printed(view, choose(view), width=40)
    assert max(map(cell_len, lines)) <= 40
    assert not any("\x1b" in line for line in lines)


def test_choosing() -> None:
    view = synthetic(["▁a"], ["▁b"], layers=2, heads=3)
    assert choose(view) == Chosen(4, None)
    assert choose(view, "encoder", 2, 3) == Chosen(1, 2)
    assert title(view, Chosen(1, 2)) == "encoder, layer 2, head 3: source ↓ looks at source →"
    for wrong, told in (
        (("graph", None, None), "encoder, decoder, cross"),
        (("cross", 3, None), "layer = 3, but the layers of cross are 1 to 2"),
        (("cross", 1, 0), "head = 0, but the heads of cross are 1 to 3"),
    ):
        with pytest.raises(ValueError, match=told):
            choose(view, *wrong)
