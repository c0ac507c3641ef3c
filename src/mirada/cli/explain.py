"""`mirada explain`: how each layer of a model looks, which kernel computes it and why, and what that costs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import fail, failing
from mirada.cli.saying import Quiet, Verbose, begin, print_json

if TYPE_CHECKING:
    from mirada.attention import Explanation
    from mirada.models.explaining import Explained

USUAL_LENGTH = 128  # of a model that has no context of its own


@failing()
def explain(
    model: Annotated[Path, typer.Argument(help="The folder of a model with attention, finished or in training.")],
    length: Annotated[
        int | None, typer.Option(min=1, help="Places of a sequence; else a language model's context, or 128.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=65_536, help="Sequences at once.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Tell for every layer who is looked at, by which kernel and why, what it costs, and how that grows with length."""
    begin(quiet, verbose)
    from mirada.export.folder import is_exported

    if is_exported(model):
        fail(f"{model} is exported: CTranslate2 chooses its own kernels; name the folder that it was made from")
    found = explained(model, length, batch)
    if not found.attentions:
        fail(f"{model} holds a model of kind {found.kind}, which has no attention over a sequence")
    if as_json:
        told = {"model": str(model), "length": found.length, "batch": batch, "training_precision": found.precision}
        print_json(told | {"attentions": [one.as_json() for one in found.attentions]})
        return
    typer.echo(
        f"{model}: {batch:,} × {found.length:,} places on this CPU; it trains in {found.precision} ({found.why})"
    )
    typer.echo("\n".join(line for one in found.attentions for line in ("", *_lines(one))))


@dataclass(frozen=True)
class Found:
    """The attentions of a model at a length, and what it trains in."""

    attentions: "list[Explained]"
    kind: str  # of the model
    length: int
    precision: str
    why: str


def explained(folder: Path, length: int | None = None, batch: int = 1) -> Found:
    """Every attention of a folder's model; without a length at that of its context, or the usual one."""
    from mirada.cli.info_known import look_into
    from mirada.models.explaining import explain_model, sketch
    from mirada.training.precision import choose, choose_device

    config = look_into(folder).model
    places = length or getattr(config, "context", None) or USUAL_LENGTH
    dtype, why = choose("auto", choose_device("cpu"))
    found = explain_model(sketch(config), places, batch, dtype)
    return Found(found, getattr(config, "kind", "?"), places, str(dtype).removeprefix("torch."), why)


def _lines(one: "Explained") -> Iterator[str]:
    """An attention for people."""
    yield f"{_names(one.names)}, at {one.at}"
    yield f"  pattern   {one.using.pattern}; {one.using.score}; position {one.position}; heads: {one.heads}"
    yield f"  training  {_cost(one.training)}"
    yield f"  using     {_cost(one.using)}"
    if one.step is not None:
        kept = f"{one.step.kept:,} keys a head are kept after it"
        yield f"  a step    {one.step.kernel}: {_count(one.step.flops)} FLOPs; {kept}"
    yield f"  {'length':>10} {'kernel':>9} {'pairs a head':>16} {'FLOPs':>10} {'held':>10} {'× before':>9}"
    before = 0
    for row in one.growth:
        times = f"{row.flops / before:.1f}" if before else ""
        held = f"{_count(row.held_bytes)}B"
        yield f"  {row.length:>10,} {row.kernel:>9} {row.pairs:>16,} {_count(row.flops):>10} {held:>10} {times:>9}"
        before = row.flops
    if one.power is not None:
        yield f"  Between the two largest lengths the cost grows as n^{one.power:.1f}."


def _names(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)} layers)"


def _cost(told: "Explanation") -> str:
    share = f"{told.pairs:,} of {told.all_pairs:,} pairs a head"
    return f"{told.plan}\n            {share}, {_count(told.flops)} FLOPs, {_count(told.held_bytes)}B held"


def _count(number: int) -> str:
    """A large number as people read it."""
    for unit, least in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= least:
            return f"{number / least:.1f} {unit}"
    return f"{number} "
