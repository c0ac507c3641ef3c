"""`mirada draw`: a pattern as text, as an SVG picture, or as JSON."""

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import fail

if TYPE_CHECKING:
    from mirada.attention.pattern import Pattern


def draw(
    pattern: Annotated[str, typer.Argument(help="The pattern, such as 'window(8, 0) & strided(4)'.")],
    length: Annotated[int, typer.Option(help="How many places, 1 to 512.")] = 16,
    output: Annotated[Path | None, typer.Option(help="Write an .svg picture here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the allowed keys of each query.")] = False,
) -> None:
    """Draw who may look at whom under an attention pattern."""
    from mirada.attention.pattern import parse

    try:
        parsed = parse(pattern)
        if output is not None:
            _write_picture(parsed, length, output)
        if as_json:
            typer.echo(_as_json(parsed, length))
        elif output is None:
            _print_text(parsed, length)
    except ValueError as error:
        fail(str(error))


def _write_picture(pattern: "Pattern", length: int, output: Path) -> None:
    from mirada.viewing.drawing import as_svg

    if output.suffix.lower() != ".svg":
        fail(f"cannot write {output}: only .svg pictures are drawn; use {output.with_suffix('.svg')}")
    picture = as_svg(pattern, length)
    try:
        output.write_text(picture, encoding="utf-8", newline="\n")
    except OSError as error:
        fail(f"cannot write {output}: {error.strerror}")
    typer.echo(f"{output} written", err=True)


def _print_text(pattern: "Pattern", length: int) -> None:
    from mirada.viewing.drawing import as_text, glyphs_for

    text = as_text(pattern, length, glyphs_for(sys.stdout.encoding))
    typer.echo(text)
    columns, widest = shutil.get_terminal_size().columns, max(map(len, text.splitlines()))
    if sys.stdout.isatty() and widest > columns:
        typer.echo(f"This drawing is {widest} columns wide; write it with --output picture.svg", err=True)


def _as_json(pattern: "Pattern", length: int) -> str:
    from mirada.viewing.drawing import allowed_pairs

    keys = [row.nonzero().flatten().tolist() for row in allowed_pairs(pattern, length)]
    return json.dumps({"pattern": str(pattern), "length": length, "keys": keys})
