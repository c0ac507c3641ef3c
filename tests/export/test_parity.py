"""The exported engine says what torch says, token for token, whatever the model is made of."""

from pathlib import Path

import pytest

from mirada.attention import Causal, Learned, Rotary, Shaw, Sinusoidal
from mirada.decoding.checked import decode_checked
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.limits import cap
from mirada.decoding.options import Search
from mirada.export.ctranslate2 import write
from mirada.export.engine import ExportedEngine
from mirada.models.config import LookConfig, TransformerConfig
from mirada.models.engine import TorchEngine
from tests.export.models import SOURCES, random_model, shape, stack

MODELS = {
    "pre-norm": shape(),
    "post-norm": shape(norm_order="post"),
    "rms": shape(norm="rms"),
    "gelu": shape(activation="gelu"),
    "swiglu": shape(activation="swiglu", norm_order="post"),
    "learned": shape(position=Learned(64)),
    "other base": shape(position=Sinusoidal(300.0)),
    "no position": shape(position=None),
    "rotary": shape(position=None, encoder=stack(position=Rotary()), decoder=stack(position=Rotary(500.0))),
    "rotary in the encoder": shape(position=None, encoder=stack(position=Rotary())),
    "shaw": shape(position=None, encoder=stack(position=Shaw(3)), decoder=stack(position=Shaw(2, values=False))),
    "shared heads": shape(
        encoder=stack(heads=4, groups=2), decoder=stack(groups=1), cross=LookConfig(heads=2, groups=1)
    ),
    "deep encoder": shape(encoder=stack(layers=3, heads=1), decoder=stack(layers=1, pattern=Causal())),
}
SEARCHES = {
    "greedy": Search(beam=1, longest=14),
    "beam": Search(beam=4, n_best=4, longest=14),
    "no penalty": Search(beam=3, n_best=3, length_penalty=0.0, longest=11),
}


def engines(folder: Path, model: TransformerConfig) -> tuple[TorchEngine, ExportedEngine]:
    loaded = random_model(model)
    write(loaded, folder)
    return TorchEngine(loaded), ExportedEngine.load(folder)


def require_same(ours: list[list[Hypothesis]], theirs: list[list[Hypothesis]]) -> None:
    """The best always, and all where none was cut at the limit."""
    for mine, other in zip(ours, theirs, strict=True):
        assert (other[0].tokens, other[0].finished) == (mine[0].tokens, mine[0].finished)
        assert other[0].log_probability == pytest.approx(mine[0].log_probability, abs=1e-3)
        if all(one.finished for one in mine):
            assert [one.tokens for one in other] == [one.tokens for one in mine]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_every_part_of_a_model(model, tmp_path) -> None:
    torch_engine, exported = engines(tmp_path, model)
    for search in (SEARCHES["greedy"], SEARCHES["beam"]):
        require_same(torch_engine.decode(SOURCES, search), exported.decode(SOURCES, search))


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())
def test_every_search(search, tmp_path) -> None:
    torch_engine, exported = engines(tmp_path, shape())
    require_same(torch_engine.decode(SOURCES, search), exported.decode(SOURCES, search))


def test_the_rein(tmp_path) -> None:
    torch_engine, exported = engines(tmp_path, shape())
    search = Search(beam=3, n_best=2, longest=17)
    require_same(torch_engine.reined().decode(SOURCES, search), exported.reined().decode(SOURCES, search))


@pytest.mark.parametrize("width", [1, 2])
def test_each_source_has_its_own_limit(width, tmp_path) -> None:
    torch_engine, exported = engines(tmp_path, shape())
    search = Search(beam=width, n_best=width)
    found = exported.decode(SOURCES, search)
    require_same(torch_engine.decode(SOURCES, search), found)
    for source, hypotheses in zip(SOURCES, found, strict=True):
        assert all(len(one.tokens) <= cap(len(source)) for one in hypotheses)


def test_alone_or_in_any_company(tmp_path) -> None:
    _, exported = engines(tmp_path, shape())
    search = Search(beam=3)
    together = exported.decode(SOURCES, search)
    for source, found in zip(SOURCES, together, strict=True):
        assert exported.decode([source], search)[0][0].tokens == found[0].tokens
    assert exported.decode([], search) == []


def test_checked_translations_have_the_same_flags(tmp_path) -> None:
    torch_engine, exported = engines(tmp_path, shape())
    search = Search(beam=1, longest=24)
    ours, theirs = (decode_checked(one, SOURCES, search) for one in (torch_engine, exported))
    assert [one.flags for one in ours] == [one.flags for one in theirs]


@pytest.mark.parametrize("layer", [0, 1])
def test_links_are_those_of_torch(layer, tmp_path) -> None:
    loaded = random_model(shape())
    config = loaded.config.model_copy(update={"alignment_layer": layer})
    loaded = type(loaded)(config, loaded.model, loaded.subwords)
    write(loaded, tmp_path)
    targets = [[7, 9, 11], [], [5] * 12, *([[8, 30]] * (len(SOURCES) - 3))]
    links = ExportedEngine.load(tmp_path).align(SOURCES, targets)
    assert links == TorchEngine(loaded).align(SOURCES, targets)
    assert [len(one) for one in links[:3]] == [3, 0, 12]


def test_rounded_numbers_are_smaller_and_still_a_model(tmp_path) -> None:
    loaded = random_model(shape())
    sizes = {}
    for name in ("none", "int8", "int16", "float16", "bfloat16", "int8_bfloat16"):
        folder = tmp_path / name
        folder.mkdir()
        write(loaded, folder, name)
        sizes[name] = (folder / "model.bin").stat().st_size
        found = ExportedEngine.load(folder).decode(SOURCES[:2], Search(beam=2, longest=5))
        assert all(one[0].tokens or one[0].finished for one in found)
    assert sizes["int8_bfloat16"] < sizes["int8"] < sizes["none"]


def test_samples_are_left_to_torch(tmp_path) -> None:
    _, exported = engines(tmp_path, shape())
    with pytest.raises(ValueError, match="draws no samples"):
        exported.decode(SOURCES, Search(sampling=True))
