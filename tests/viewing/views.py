"""Views without a model: any number of tokens, layers and heads, with weights from a fixed seed."""

from collections.abc import Sequence

import numpy as np

from mirada.viewing import contract
from mirada.viewing.contract import View
from mirada.viewing.labelling import WHOLE
from mirada.viewing.packing import as_base64, pack, pack_pattern
from mirada.viewing.rollout import rollout_map
from mirada.viewing.sequences import direction

# A picture of one green pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SIDES = {
    "encoder": ("self", "source", "source"),
    "decoder": ("self", "read", "read"),
    "cross": ("cross", "written", "source"),
}


def sequence(labels: Sequence[str], begin: bool, language: str = "en") -> contract.Sequence:
    """Each label is a word, and there is a mark before or behind them."""
    whole = ["<s>", *labels] if begin else [*labels, "</s>"]
    return contract.Sequence(
        language=language,
        direction=direction(" ".join(labels)),
        labels=tuple(whole),
        words=tuple(range(len(whole))),
        marks={0: "begin"} if begin else {len(labels): "end"},
    )


def synthetic(source: Sequence[str], target: Sequence[str], layers: int = 2, heads: int = 3) -> View:
    """A view as of a Transformer; source token j is linked to target token j as long as there is one."""
    chance = np.random.default_rng(5)
    patterns: list[contract.Pattern] = []
    maps = []
    sizes = {"source": len(source) + 1, "read": len(target) + 1, "written": len(target) + 1}
    for group, (kind, queries, keys) in SIDES.items():
        shape = sizes[queries], sizes[keys]
        allowed = np.tri(*shape, dtype=np.bool_) if group == "decoder" else np.ones(shape, dtype=np.bool_)
        patterns.append(pack_pattern("causal" if group == "decoder" else "full", allowed))
        for layer in range(layers):
            weights = np.where(allowed, chance.random((heads, *shape)) ** 8, 0)
            packed = pack((weights / weights.sum(-1, keepdims=True)).astype(np.float32), allowed)
            maps.append(
                contract.Map(
                    group=group,
                    kind=kind,
                    layer=layer,
                    heads=heads,
                    queries=queries,
                    keys=keys,
                    pattern=len(patterns) - 1,
                    score="scaled_dot",
                    position="none",
                    kernel="FUSED",
                    weights=packed.weights,
                    highs=packed.highs,
                    lows=packed.lows,
                )
            )
    written = [*target, "</s>"]
    candidates = tuple(contract.Candidate(token=one, probability=0.1) for one in written[:6])
    beam = 5
    nodes = range(beam * len(written))
    shares = np.sort(chance.random((layers, len(written), 3)), axis=-1)[..., ::-1]
    lens = contract.Lens(
        layers=layers,
        best=3,
        tokens=tuple(f"{label}{number}" for number, label in enumerate(written * 6)),  # few are said twice
        numbers=as_base64(chance.integers(0, 6 * len(written), shares.shape).astype("<u2")),
        probabilities=as_base64(np.rint(255 * shares).astype(np.uint8)),
    )
    return View(
        mirada="0",
        model="synthetic",
        text=" ".join(source),
        translation=" ".join(target),
        score=-1.0,
        sequences={
            "source": sequence(source, begin=False),
            "read": sequence(target, begin=True, language="es"),
            "written": sequence(target, begin=False, language="es"),
        },
        patterns=tuple(patterns),
        maps=tuple(maps),
        alignment=contract.Alignment(
            layer=0,
            links=tuple(
                contract.Link(source=min(place, len(source) - 1), target=place, weight=0.5)
                for place in range(len(target))
            ),
        ),
        steps=tuple(contract.Step(token=one, probability=0.4, rank=1, candidates=candidates) for one in written),
        lens=lens,
        tree=contract.Tree(
            parents=tuple(-1 if node < beam else node - beam for node in nodes),
            tokens=tuple(written[node // beam] for node in nodes),
            probabilities=(0.5,) * len(nodes),
            totals=(-1.0,) * len(nodes),
            ended=tuple(node // beam == len(target) for node in nodes),
            best=tuple(range(0, len(nodes), beam)),
        ),
        start=contract.Start(group="cross", layer=0),
    )


def pictured(height: int, width: int, heads: int = 3) -> View:
    """A view as of a model that classifies a picture of so many patches behind a class mark, with its rollout."""
    chance = np.random.default_rng(7)
    size = 1 + height * width
    allowed = np.ones((size, size), dtype=np.bool_)
    weights = chance.random((heads, size, size)) ** 8
    weights = (weights / weights.sum(-1, keepdims=True)).astype(np.float32)
    packed = pack(weights, allowed)
    one = contract.Map(
        group="encoder",
        kind="self",
        layer=0,
        heads=heads,
        queries="read",
        keys="read",
        pattern=0,
        score="scaled_dot",
        position="none",
        kernel="FUSED",
        weights=packed.weights,
        highs=packed.highs,
    )
    rolled, patterns = rollout_map([weights], np.eye(size)[0], "class", one, (pack_pattern("full", allowed),))
    places = [f"{row + 1}, {column + 1}" for row in range(height) for column in range(width)]
    read = contract.Sequence(
        kind="patches",
        labels=("class", *places),
        words=tuple(range(size)),
        marks={0: "class"},
        grid=(height, width),
        picture=PIXEL,
    )
    return View(
        mirada="0",
        task="classify",
        model="synthetic",
        text="a.png",
        sequences={"read": read, "class": WHOLE},
        patterns=patterns,
        maps=(one, rolled),
        said=(contract.Candidate(token="cat", probability=0.7), contract.Candidate(token="dog", probability=0.3)),
        start=contract.Start(group="encoder", layer=0),
    )
