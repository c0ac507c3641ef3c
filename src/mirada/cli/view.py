"""`mirada view`: where a model looks at a sentence, as a page, in the terminal, or as JSON."""

import re
import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import FAILED, fail, failing
from mirada.cli.saying import Quiet, Verbose, begin, detail, say

if TYPE_CHECKING:
    from mirada.viewing.contract import View
    from mirada.viewing.heat import Chosen

PAGES = (".html", ".htm")
PICTURE = ".svg"


class Group(StrEnum):
    """Who looks at whom."""

    CROSS = "cross"
    ENCODER = "encoder"
    DECODER = "decoder"
    POOLING = "pooling"
    ROLLOUT = "rollout"


@failing()
def view(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model.", show_default=False)],
    given: Annotated[
        str, typer.Argument(help="The text to look at, the name of a node, or a picture's file.", show_default=False)
    ],
    reference: Annotated[
        str | None, typer.Option(help="A translation or caption that the model is made to say, instead of its own.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="The language of a caption. [the model's first]")] = None,
    number: Annotated[
        int | None, typer.Option(min=1, help="Which picture of a file or folder with several, from 1. [1]")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a page for any browser here, page.html, or one look, look.svg."),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Print a heat map; so it is when nothing else is asked.")
    ] = False,
    look: Annotated[
        Group | None, typer.Option(help="Who looks at whom: what is written at the source, one of both at itself, …")
    ] = None,
    layer: Annotated[int | None, typer.Option(help="The layer to show first, from 1.")] = None,
    head: Annotated[int | None, typer.Option(help="The head to show first, from 1; else the mean of all.")] = None,
    subwords: Annotated[bool, typer.Option("--subwords", help="Print subwords instead of words.")] = False,
    lens: Annotated[
        bool, typer.Option("--lens", help="Print what the model would say if it stopped after each layer.")
    ] = False,
    beam: Annotated[int, typer.Option(min=1, max=100, help="Candidates of beam search; 1 is greedy.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print all that was seen as one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Show where a model looks in a text or a picture, and what it says."""
    begin(quiet, verbose)
    _require_page(output)
    if as_json and (text or lens):
        fail(
            f"--json and {'--text' if text else '--lens'} were both given; both go to standard output, use one of them"
        )
    from mirada.viewing.heat import choose
    from mirada.viewing.looking import Asked, look_into

    seen = look_into(Asked(model, given, reference, beam, language, number))
    _detail(seen)
    try:
        chosen = choose(seen, look, layer, head)
    except ValueError as error:
        fail(re.sub(r"^(layer|head) = ", r"--\1 ", str(error)))
    seen = _starting(seen, chosen)
    if output is not None:
        _write(_drawn(seen, chosen, subwords) if output.suffix.lower() == PICTURE else _page(seen), output)
    if as_json:
        typer.echo(seen.model_dump_json())
    elif lens:
        _print_lens(seen)
    elif text or output is None:
        _print(seen, chosen, subwords)


def _require_page(output: Path | None) -> None:
    """Refuse a place that cannot be written, before anything is computed."""
    if output is None:
        return
    if output.suffix.lower() not in (*PAGES, PICTURE):
        page, picture = (output.with_suffix(suffix) for suffix in (PAGES[0], PICTURE))
        fail(f"cannot write {output}: a view is a page for a browser or a picture; use {page} or {picture}")
    if output.is_dir() or not output.parent.is_dir():
        fail(f"cannot write {output}: name a file in a directory that exists")


def _detail(seen: "View") -> None:
    places = ", ".join(f"{len(one.labels)} places {name}" for name, one in seen.sequences.items())
    detail(f"{len(seen.maps)} maps; {places}")


def _starting(seen: "View", chosen: "Chosen") -> "View":
    """The view, which begins with what was asked for."""
    from mirada.viewing.contract import Start

    found = seen.maps[chosen.number]
    return seen.model_copy(update={"start": Start(group=found.group, layer=found.layer, head=chosen.head)})


def _page(seen: "View") -> str:
    from mirada.viewing.page import as_page

    return as_page(seen)


def _drawn(seen: "View", chosen: "Chosen", subwords: bool) -> str:
    from mirada.viewing import picture, tiled_picture, tiles

    drawing = tiled_picture if tiles.looks_at_patches(seen, chosen) else picture
    return drawing.as_picture(seen, chosen, subwords=subwords)


def _write(text: str, output: Path) -> None:
    from mirada.models.folder import write_file

    data = text.encode()
    write_file(output, data)
    say(f"{output} written ({len(data) / 1_000:,.0f} kB); open it in a browser")


def _print(seen: "View", chosen: "Chosen", subwords: bool) -> None:
    from rich.console import Console

    from mirada.viewing import heat, tiles
    from mirada.viewing.drawing import ASCII, glyphs_for
    from mirada.viewing.telling import told

    poor = glyphs_for(sys.stdout.encoding) == ASCII
    # Wider than any line where nobody sees lines break: a file is read by programs.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 100_000
    console = Console(highlight=False, markup=False, width=width)
    for line in told(seen):
        console.print(line)
    console.print(heat.title(seen, chosen), style="bold")
    drawing = tiles if tiles.looks_at_patches(seen, chosen) else heat
    console.print(drawing.heat_map(seen, chosen, width, subwords=subwords, ascii_only=poor), end="")


def _print_lens(seen: "View") -> None:
    from mirada.viewing.telling import lens_table, told

    if seen.lens is None:
        fail("this model has no layers that could be stopped after; leave --lens out", FAILED)
    typer.echo("\n".join([*told(seen), *lens_table(seen)]))
