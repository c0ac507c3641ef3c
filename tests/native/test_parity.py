"""The compiled engine finds what CTranslate2 finds with the same rounded numbers, whatever the model is made of."""

from pathlib import Path

import numpy as np
import pytest

from mirada.attention import Causal, Learned, Rotary, Shaw, Sinusoidal
from mirada.decoding.checked import decode_checked
from mirada.decoding.demand import Demand
from mirada.decoding.hypothesis import Hypothesis
from mirada.decoding.limits import cap
from mirada.decoding.options import Search
from mirada.export.choice import EngineName, open_export
from mirada.export.ctranslate2 import write
from mirada.export.engine import ExportedEngine
from mirada.export.folder import ExportError
from mirada.export.native import NativeEngine
from mirada.export.shortlist import Shortlist
from mirada.models.config import LookConfig, TransformerConfig
from mirada.native.library import why_not
from mirada.native.loading import NativeError
from mirada.text.subwords import BEGIN, END
from tests.export.models import SOURCES, random_model, shape, stack
from tests.translators import subwords

pytestmark = pytest.mark.skipif(why_not() is not None, reason=f"no compiled engine: {why_not()}")

# Widths beside those that vectors have: 24 is no whole number of sixteens, 40 no whole number of panels.
WIDE = {"width": 24, "feed_forward": 40}
MODELS = {
    "pre-norm": shape(),
    "post-norm": shape(norm_order="post"),
    "rms": shape(norm="rms", **WIDE),
    "gelu": shape(activation="gelu"),
    "swiglu": shape(activation="swiglu", **WIDE),
    "learned": shape(position=Learned(64)),
    "other base": shape(position=Sinusoidal(300.0)),
    "no position": shape(position=None),
    "rotary": shape(position=None, encoder=stack(position=Rotary()), decoder=stack(position=Rotary(500.0))),
    "rotary in the encoder": shape(position=None, encoder=stack(position=Rotary())),
    "shared heads": shape(
        encoder=stack(heads=4, groups=2), decoder=stack(groups=1), cross=LookConfig(heads=2, groups=1), **WIDE
    ),
    "deep encoder": shape(encoder=stack(layers=3, heads=1), decoder=stack(layers=1, pattern=Causal())),
    "wide": shape(
        width=136, feed_forward=200, encoder=stack(heads=4), decoder=stack(heads=2), cross=LookConfig(heads=2)
    ),
}
SEARCHES = {
    "greedy": Search(beam=1, longest=14),
    "beam": Search(beam=4, n_best=4, longest=14),
    "no penalty": Search(beam=3, n_best=3, length_penalty=0.0, longest=11),
    "long": Search(beam=2, n_best=2, longest=40),
}


def engines(folder: Path, model: TransformerConfig) -> tuple[ExportedEngine, NativeEngine]:
    write(random_model(model), folder, "int8")
    return ExportedEngine.load(folder), NativeEngine.load(folder)


def require_same(theirs: list[list[Hypothesis]], ours: list[list[Hypothesis]]) -> None:
    """The same tokens. What is looked at is kept in 16 bits, so that a state on the edge between two bytes may fall to
    the other one, which in models as narrow and as sharp as these moves the probability of a token by a hundredth.
    """
    for other, mine in zip(theirs, ours, strict=True):
        assert (mine[0].tokens, mine[0].finished) == (other[0].tokens, other[0].finished)
        assert mine[0].log_probability == pytest.approx(other[0].log_probability, abs=0.03 * (len(other[0].tokens) + 1))
        if all(one.finished for one in other):
            assert [one.tokens for one in mine] == [one.tokens for one in other]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_every_part_of_a_model(model, tmp_path) -> None:
    theirs, ours = engines(tmp_path, model)
    for search in (SEARCHES["greedy"], SEARCHES["beam"]):
        require_same(theirs.decode(SOURCES, search), ours.decode(SOURCES, search))


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())
def test_every_search(search, tmp_path) -> None:
    theirs, ours = engines(tmp_path, shape())
    require_same(theirs.decode(SOURCES, search), ours.decode(SOURCES, search))


def test_the_rein(tmp_path) -> None:
    theirs, ours = engines(tmp_path, shape(**WIDE))
    search = Search(beam=3, n_best=2, longest=17)
    require_same(theirs.reined().decode(SOURCES, search), ours.reined().decode(SOURCES, search))


@pytest.mark.parametrize("width", [1, 2])
def test_each_source_has_its_own_limit(width, tmp_path) -> None:
    theirs, ours = engines(tmp_path, shape())
    search = Search(beam=width, n_best=width)
    found = ours.decode(SOURCES, search)
    require_same(theirs.decode(SOURCES, search), found)
    for source, hypotheses in zip(SOURCES, found, strict=True):
        assert all(len(one.tokens) <= cap(len(source)) for one in hypotheses)


def test_alone_or_in_any_company_to_the_bit(tmp_path) -> None:
    _, ours = engines(tmp_path, shape(**WIDE))
    many = [source[first:] for source in SOURCES for first in range(len(source) - 1)]
    for search in (Search(beam=3, n_best=3), Search(beam=1)):
        together = ours.decode(many, search)
        assert [ours.decode([source], search)[0] for source in many] == together
        assert ours.decode(many[::-1], search)[::-1] == together
    assert ours.decode([], search) == []


def test_checked_translations_have_the_same_flags(tmp_path) -> None:
    theirs, ours = engines(tmp_path, shape())
    search = Search(beam=1, longest=24)
    assert [one.flags for one in decode_checked(theirs, SOURCES, search)] == [
        one.flags for one in decode_checked(ours, SOURCES, search)
    ]


def test_what_is_left_to_ctranslate2(tmp_path) -> None:
    theirs, ours = engines(tmp_path, shape())
    search, demands = Search(beam=2, longest=12), [Demand(prefix=(9, 30))] * len(SOURCES)
    assert ours.decode(SOURCES, search, demands) == theirs.decode(SOURCES, search, demands)
    targets = [[7, 9, 11]] * len(SOURCES)
    assert ours.align(SOURCES, targets) == theirs.align(SOURCES, targets)
    assert ours.score(SOURCES, targets) == theirs.score(SOURCES, targets)
    with pytest.raises(ValueError, match="draws no samples"):
        ours.decode(SOURCES, Search(sampling=True))


def with_list(folder: Path, chosen: list[int]) -> NativeEngine:
    folder.mkdir()
    write(
        random_model(shape()), folder, "int8", shortlist=Shortlist(np.array(chosen), np.zeros(len(chosen), np.float32))
    )
    return NativeEngine.load(folder)


@pytest.mark.parametrize("search", [SEARCHES["greedy"], SEARCHES["beam"]])
def test_a_shortlist(search, tmp_path) -> None:
    short = with_list(tmp_path / "short", [BEGIN, END, *range(300, 340)])
    for held in (short, short.reined()):
        said = {one for found in held.decode(SOURCES, search) for each in found for one in each.tokens}
        assert said
        assert said <= {BEGIN, *range(300, 340)}
    all_listed = with_list(tmp_path / "all", list(range(subwords().size)))
    (tmp_path / "whole").mkdir()
    _, whole = engines(tmp_path / "whole", shape())
    assert all_listed.decode(SOURCES, search) == whole.decode(SOURCES, search)


@pytest.mark.parametrize(
    ("model", "quantization", "why"),
    [
        (shape(), "none", "its numbers are float32, and the engine computes int8"),
        (shape(), "int16", "its numbers are int16, and the engine computes int8"),
        (shape(position=None, encoder=stack(position=Shaw(3))), "int8", "no relative positions"),
    ],
)
def test_what_it_cannot_compute_ctranslate2_does(model, quantization, why, tmp_path) -> None:
    write(random_model(model), tmp_path, quantization)
    with pytest.raises(NativeError, match=why):
        NativeEngine.load(tmp_path)
    chosen = open_export(tmp_path)
    assert chosen.engine.name == "ctranslate2"
    assert why in chosen.why
    with pytest.raises(ExportError, match=rf"the native engine cannot compute .*{why}; use ctranslate2"):
        open_export(tmp_path, EngineName.NATIVE)


def test_it_is_chosen_unless_another_is_asked_for(tmp_path) -> None:
    engines(tmp_path, shape())
    names = {
        wanted: open_export(tmp_path, wanted).engine.name for wanted in EngineName if wanted is not EngineName.TORCH
    }
    assert names == {"auto": "native", "native": "native", "ctranslate2": "ctranslate2"}
