"""`mirada analogy`: what is to a word as another is to a third."""

from pathlib import Path
from typing import Annotated

import typer

from mirada.cli.failure import failing
from mirada.cli.saying import Quiet, Verbose, begin, print_json


@failing()
def analogy(
    vectors: Annotated[Path, typer.Argument(help="A folder of word vectors, or a word2vec, fastText or GloVe file.")],
    first: Annotated[str, typer.Argument(help="A word, such as man,")],
    second: Annotated[str, typer.Argument(help="which is to this one, such as king,")],
    third: Annotated[str, typer.Argument(help="as this one, such as woman, is to … ?")],
    count: Annotated[int, typer.Option(min=1, max=10_000, help="How many answers.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Complete an analogy: FIRST is to SECOND as THIRD is to … ?"""
    begin(quiet, verbose)
    from mirada.models.vectors_files import open_vectors

    found = open_vectors(vectors).analogy(first, second, third, count)
    if as_json:
        asked = [first, second, third]
        print_json({"vectors": str(vectors), "asked": asked, "answers": [one.as_json() for one in found]})
        return
    for one in found:
        typer.echo(f"{one.similarity:7.4f}  {one.word}")
