"""`mirada nearest`: the words whose vectors are near those of others."""

from pathlib import Path
from typing import Annotated

import typer

from mirada.cli.failure import fail, failing
from mirada.cli.saying import Quiet, Verbose, begin, print_json, say

PICTURES = (".svg", ".png")


@failing()
def nearest(
    vectors: Annotated[Path, typer.Argument(help="A folder of word vectors, or a word2vec, fastText or GloVe file.")],
    words: Annotated[list[str], typer.Argument(help="Words to look around.")],
    count: Annotated[int, typer.Option(min=1, max=10_000, help="How many near words for each.")] = 10,
    output: Annotated[Path | None, typer.Option(help="Draw them as a map, an .svg or .png picture.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Tell which words are used like others, the nearest first."""
    begin(quiet, verbose)
    if output is not None and output.suffix.lower() not in PICTURES:
        fail(f"cannot write {output}: pictures are {' or '.join(PICTURES)}; use {output.with_suffix('.svg')}")
    from mirada.models.vectors_files import open_vectors

    opened = open_vectors(vectors)
    found = {word: opened.nearest(word, count) for word in words}
    if output is not None:
        from mirada.viewing.word_map import draw_map

        draw_map(opened, {word: [one.word for one in near] for word, near in found.items()}, output)
        say(f"{output} written")
    if as_json:
        told = {word: [one.as_json() for one in near] for word, near in found.items()}
        print_json({"vectors": str(vectors), "nearest": told})
        return
    for word, near in found.items():
        if len(found) > 1:
            typer.echo(f"{word}:")
        for one in near:
            typer.echo(f"{one.similarity:7.4f}  {one.word}")
