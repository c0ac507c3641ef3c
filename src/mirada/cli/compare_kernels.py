"""The kernels of several models side by side: for each part that looks, by which kernel, and why."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mirada.cli.explain import USUAL_LENGTH, explained
from mirada.cli.tested import Tested
from mirada.cli.translate import EngineChoice

if TYPE_CHECKING:
    from mirada.models.explaining import Explained


def looks_of(tested: Tested) -> "Sequence[Explained]":
    """Every attention of a model at the usual length; none where it has none, or CTranslate2 computed it."""
    return explained(tested.folder, USUAL_LENGTH).attentions if tested.engine == EngineChoice.TORCH else ()


def kernel_lines(models: "Mapping[str, Sequence[Explained]]") -> Iterator[str]:
    """For each part of the models, by their labels: who is looked at, the kernel and its reason."""
    parts = dict.fromkeys(_part(one) for looks in models.values() for one in looks)
    if parts:
        yield f"Kernels at {USUAL_LENGTH} places, in training and in use (`mirada explain` tells their costs)"
    left = max(map(len, models)) + 2
    for part in parts:
        yield part
        for label, looks in models.items():
            found = [one for one in looks if _part(one) == part]
            for one in found:
                yield f"  {label:<{left}}{len(one.names)} × {one.using.pattern}, {one.using.score}; heads: {one.heads}"
                yield f"  {'':<{left}}training  {one.training.plan}"
                yield f"  {'':<{left}}using     {one.using.plan}"
            if not found:
                yield f"  {label:<{left}}–"


def _part(one: "Explained") -> str:
    """The part of a model that an attention belongs to, and what it looks at."""
    return f"{one.names[0].split('.')[0]}, at {one.at}"
