"""Looks over a picture in the terminal and as SVG: a tile for each word, or one for the whole."""

import base64
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from mirada.corpora.pictures.picture import PictureShape
from mirada.viewing import captioning, heat, recognising
from mirada.viewing.heat import Chosen
from mirada.viewing.packing import pack, unpack
from mirada.viewing.tiled_picture import as_picture
from mirada.viewing.tiles import heat_map, looks_at_patches, tiles_of
from tests.viewing.seers import describer, drawn, recogniser
from tests.viewing.views import pictured

SVG = "{http://www.w3.org/2000/svg}"


def printed(text: object, width: int = 80) -> list[str]:
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(text, end="")
    return capture.get().splitlines()


def test_a_look_is_shaded_by_its_greatest_weight() -> None:
    view = pictured(2, 3)
    weights = np.array([[[0.4, 0.3, 0.0, 0.07, 0.13, 0.1, 0.0]]], dtype=np.float32)
    packed = pack(weights, np.ones((1, 7), dtype=np.bool_))
    update = {"weights": packed.weights, "highs": packed.highs, "lows": packed.lows}
    view = view.model_copy(update={"maps": (view.maps[0], view.maps[1].model_copy(update=update))})
    lines = printed(heat_map(view, Chosen(1, None), 80))
    assert lines == ["<class>", "most 0.300", "██  ░░", "▒▒░░"]
    assert printed(heat_map(view, Chosen(1, None), 80, ascii_only=True))[2:] == ["##  ..", "::.."]
    assert heat.title(view, Chosen(1, None)) == "rollout: class ↓ looks at read →"


def test_patches_that_look_at_each_other_have_one_tile(tmp_path: Path) -> None:
    view = recognising.look(recogniser("first", class_token=True), drawn(tmp_path))
    (tile,) = tiles_of(view, Chosen(0, 1))
    assert (tile.label, tile.weights.shape) == ("<class>", (3, 5))
    assert np.array_equal(tile.weights.ravel(), unpack(view, 0)[1, 0, 1:])
    view = recognising.look(recogniser(), drawn(tmp_path))
    (tile,) = tiles_of(view, Chosen(0, None))
    assert tile.label == "mean of all patches"
    assert tile.weights.ravel() == pytest.approx(unpack(view, 0).mean((0, 1)))


def test_a_tile_holds_no_more_of_a_picture_than_it_shows(tmp_path: Path) -> None:
    shape = PictureShape(height=480, width=400, channels=3)
    view = recognising.look(recogniser(shape=shape, patch=80), drawn(tmp_path, height=480, width=400))
    root = ElementTree.fromstring(as_picture(view, Chosen(0, None)))
    (image,) = root.findall(f".//{SVG}image")
    png = base64.b64decode(image.get("href").partition(",")[2])
    with Image.open(BytesIO(png)) as held:
        assert held.size == (280, 336) == tuple(2 * int(image.get(side)) for side in ("width", "height"))


def test_each_word_has_a_tile(tmp_path: Path) -> None:
    view = captioning.look(describer(), drawn(tmp_path), reference="Open the file")
    chosen = Chosen(5, None)
    assert looks_at_patches(view, chosen)
    assert not looks_at_patches(view, Chosen(4, None))
    tiles = tiles_of(view, chosen)
    assert [tile.label for tile in tiles] == ["Open", "the", "file", "<end>"]
    assert len(tiles_of(view, chosen, subwords=True)) == len(view.steps) > 4
    wide, narrow = (printed(heat_map(view, chosen, width), width) for width in (80, 30))
    assert wide[0].split() == ["Open", "the", "file", "<end>"]
    assert (len(wide), len(narrow)) == (5, 10)
    picture = as_picture(view, chosen)
    root = ElementTree.fromstring(picture)
    assert len(root.findall(f".//{SVG}image")) == 4
    assert len(root.findall(f".//{SVG}g[@class='fog dark']/{SVG}rect")) == 4 * 15
    assert [one.text for one in root.findall(f".//{SVG}g/{SVG}text")][::2] == ["Open", "the", "file", "<end>"]
    opacity = [float(one.get("fill-opacity")) for one in root.findall(f".//{SVG}g[@class='fog dark']/{SVG}rect")]
    assert min(opacity[:15]) == 0.0
    assert opacity.index(0.0) == tiles[0].weights.argmax()
