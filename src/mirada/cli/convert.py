"""`mirada convert`: word vectors from one format to another."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import fail, failing
from mirada.cli.saying import Quiet, Verbose, begin, print_json, say

if TYPE_CHECKING:
    from mirada.models.vectors import WordVectors


class FormatName(StrEnum):
    """What word vectors can be written as."""

    FOLDER = "folder"
    WORD2VEC = "word2vec"
    BINARY = "word2vec-binary"
    FASTTEXT = "fasttext"
    GLOVE = "glove"


BY_SUFFIX = {
    "": FormatName.FOLDER,
    ".txt": FormatName.WORD2VEC,
    ".vec": FormatName.FASTTEXT,
    ".bin": FormatName.BINARY,
}


@failing()
def convert(
    vectors: Annotated[Path, typer.Argument(help="A folder of word vectors, or a word2vec, fastText or GloVe file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder, or a file: .txt, .vec or .bin, also .gz.")],
    kind: Annotated[FormatName | None, typer.Option("--format", help="What to write; else by the name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write word vectors in another format."""
    begin(quiet, verbose)
    chosen = kind or _by_name(output)
    if output.exists() and (chosen == FormatName.FOLDER or output.resolve() == vectors.resolve()):
        fail(f"--output {output} is there already; name a new place")
    from mirada.models.vectors_files import FILE_KINDS, open_vectors, write_vectors

    opened = open_vectors(vectors)
    if opened.grams is not None:
        say("The vectors of n-grams, which serve words that were never met, are not written along.")
    if chosen == FormatName.FOLDER:
        _write_folder(output, opened, vectors.name)
    else:
        write_vectors(output, opened, FILE_KINDS[chosen.value])
    if as_json:
        written = {"words": len(opened.words), "width": opened.width, "format": chosen.value}
        print_json({"vectors": str(vectors), "output": str(output), **written})
    else:
        say(f"{len(opened.words):,} words of width {opened.width} written to {output} ({chosen.value}).")


def _by_name(output: Path) -> FormatName:
    from mirada.corpora.opening import unpacked_name

    suffix = Path(unpacked_name(output)).suffix.lower()
    if suffix not in BY_SUFFIX:
        fail(f"--output {output} does not say what to write; use .txt, .vec or .bin, or give --format")
    return BY_SUFFIX[suffix]


def _write_folder(folder: Path, vectors: "WordVectors", name: str) -> None:
    from mirada import __version__
    from mirada.models.vectors import WordVectors
    from mirada.models.vectors_config import VectorsConfig
    from mirada.models.vectors_folder import VectorsFolderConfig, save

    words, model = vectors.words, VectorsConfig(kind="imported", width=vectors.width)
    config = VectorsFolderConfig(
        mirada=__version__, words=words.kind, lower=words.lower, vocabulary=len(words), model=model
    )
    card = f"# Word vectors\n\nRead from {name} by mirada {__version__}: {len(words):,} words, width {vectors.width}.\n"
    save(folder, config, WordVectors(words, vectors.table), card)
