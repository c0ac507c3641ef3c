"""Rollout by hand, and as a map."""

import numpy as np
import pytest

from mirada.viewing.contract import View
from mirada.viewing.packing import unpack
from mirada.viewing.rollout import rollout, rollout_map
from tests.viewing.views import synthetic


def test_two_layers_by_hand() -> None:
    one = np.array([[[1.0, 0.0], [0.5, 0.5]]], dtype=np.float32)
    two = np.array([[[0.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]], dtype=np.float32)
    # ½ (α + I): [1 0; ¼ ¾], then ½ (mean + I): [¾ ¼; 0 1]; the product of the second with the first.
    assert rollout([one, two]) == pytest.approx(np.array([[0.8125, 0.1875], [0.25, 0.75]]))


def test_heads_that_look_at_themselves_change_nothing() -> None:
    assert np.array_equal(rollout([np.eye(5, dtype=np.float32)[None]] * 3), np.eye(5))


def test_as_a_map() -> None:
    view = synthetic(["▁a", "▁b", "▁c"], ["▁d"], layers=2)
    layers = [unpack(view, number) for number, one in enumerate(view.maps) if one.group == "encoder"]
    shares = np.array([0.5, 0.25, 0.25, 0.0])
    found, patterns = rollout_map(layers, shares, "whole", view.maps[0], view.patterns)
    whole = View.model_validate(view.model_dump() | {"maps": (*view.maps, found), "patterns": patterns})
    assert (found.group, found.kind, found.queries, found.keys) == ("rollout", "cross", "whole", "source")
    assert unpack(whole, len(view.maps))[0, 0] == pytest.approx(shares @ rollout(layers), abs=3e-3)
    assert unpack(whole, len(view.maps)).sum(-1) == pytest.approx(1, abs=2e-2)
