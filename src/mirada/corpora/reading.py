"""Reading: any number of files of any known format, as one sequence of units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mirada.corpora.languages import best, in_name, is_known, normalise, wrong_languages
from mirada.corpora.moses import read_moses
from mirada.corpora.opening import Meter, require_file, size, unpacked_name
from mirada.corpora.pair import CorpusError, Unit
from mirada.corpora.po import read_po
from mirada.corpora.tmx import read_tmx
from mirada.corpora.tsv import read_tsv, table_layout
from mirada.corpora.xliff import read_xliff

TABLES = (".tsv", ".tab", ".csv")
MEMORIES = (".tmx",)
DOCUMENTS = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff")
CATALOGUES = (".po", ".pot")
FORMATS = {
    **dict.fromkeys(TABLES, "table"),
    **dict.fromkeys(MEMORIES, "TMX"),
    **dict.fromkeys(DOCUMENTS, "XLIFF"),
    **dict.fromkeys(CATALOGUES, "PO"),
}
# Suffixes of plain text besides languages.
PLAIN = ("", ".txt", ".text", ".src", ".tgt", ".trg", ".source", ".target", ".ref", ".snt", ".tok", ".lines")


@dataclass(frozen=True, slots=True)
class Input:
    """One thing to read: a file with both languages, or two files with a language each."""

    files: tuple[Path, ...]
    kind: str

    def __str__(self) -> str:
        return f"{' + '.join(str(file) for file in self.files)}: {self.kind}"


def read(
    files: Sequence[Path],
    source: str,
    target: str,
    columns: Sequence[str] | None = None,
    meter: Meter | None = None,
) -> Iterator[Unit]:
    """Every unit of all files, in order. How the files are understood is checked before the first is read."""
    inputs = understand(files, source, target)
    return _units(inputs, (normalise(source), normalise(target)), columns, meter)


def sources(files: Sequence[Path], source: str, target: str, columns: Sequence[str] | None = None) -> list[str]:
    """How the files are understood, a line for each input."""
    return [_described(one, source, target, columns) for one in understand(files, source, target)]


def meter_of(files: Sequence[Path]) -> Meter:
    """A meter for reading these files once: `done` of `total` bytes."""
    for path in files:
        require_file(path)
    return Meter(size(files))


def format_of(path: Path, asked: Sequence[str] = ()) -> str:
    """The format of a file by its suffix: table, TMX, XLIFF, PO or plain."""
    name = unpacked_name(path)
    suffix = Path(name).suffix.lower()
    if suffix in FORMATS:
        return FORMATS[suffix]
    if suffix in PLAIN or in_name(name, asked) is not None:
        return "plain"
    known = ", ".join([*FORMATS, ".txt"])
    raise CorpusError(
        f"{path} has the suffix {suffix}, which is not known; known are {known} and, for plain text, a language "
        "as in train.en, each also with .gz, .xz or .zst"
    )


def understand(files: Sequence[Path], source: str, target: str) -> list[Input]:
    """What there is to read: plain files become pairs by stem and language, the others in order."""
    asked = (normalise(source), normalise(target))
    if not files:
        raise CorpusError("no file was given; name a TMX, XLIFF, PO or TSV file, or two plain files")
    if asked[0] == asked[1]:
        raise CorpusError(f"--from and --to are both {asked[0]}; they must differ")
    for path in files:
        require_file(path)
    formats = {path: format_of(path, asked) for path in files}
    plain = [path for path in files if formats[path] == "plain"]
    partners = _partners(plain, asked)
    inputs = []
    for path in files:
        if formats[path] != "plain":
            inputs.append(Input((path,), formats[path]))
        elif path in partners:
            inputs.append(Input((path, partners[path]), "lines"))
    return [_turned(one, asked) for one in inputs]


def _partners(plain: list[Path], asked: tuple[str, str]) -> dict[Path, Path]:
    """For the first file of each pair, the second."""
    partners: dict[Path, Path] = {}
    waiting: dict[Path, list[Path]] = {}
    for path in plain:
        waiting.setdefault(_stem(path, asked), []).append(path)
    left_over: set[Path] = set()
    for group in waiting.values():
        sides = [[path for path in group if _side(path, asked) == side] for side in (0, 1)]
        if len(sides[0]) == len(sides[1]) == 1:
            first, second = sorted(sides[0] + sides[1], key=plain.index)
            partners[first] = second
        left_over.update(path for path in group if path not in {*partners, *partners.values()})
    rest = [path for path in plain if path in left_over]
    if len(rest) % 2:
        raise CorpusError(
            f"{rest[-1]} has no partner; plain text needs two files, one for each language, "
            f"such as train.{asked[0]} and train.{asked[1]}"
        )
    partners.update(zip(rest[::2], rest[1::2], strict=True))
    return partners


def _stem(path: Path, asked: tuple[str, str]) -> Path:
    found = _named(path, asked)
    return path.with_name(found[0] or "-") if found else path


def _named(path: Path, asked: tuple[str, str]) -> tuple[str, str] | None:
    """The stem and the language in the name of a plain file: train.en, train.en.txt."""
    name = unpacked_name(path)
    return in_name(name.removesuffix(".txt"), asked)


def _side(path: Path, asked: tuple[str, str]) -> int | None:
    """0 for a file in the source's language, 1 for the target's, None for another or none."""
    found = _named(path, asked)
    if found is None:
        return None
    served = [bool(best(tag, [found[1]])) for tag in asked]
    if all(served):  # --from pt --to pt-BR: the nearer one
        return asked.index(best(found[1], asked)[0])
    return served.index(True) if any(served) else None


def _turned(one: Input, asked: tuple[str, str]) -> Input:
    """A pair of plain files with the source first; languages that are named and wrong are an error."""
    if one.kind != "lines":
        return one
    first, second = one.files
    sides = _side(first, asked), _side(second, asked)
    tags = [found[1] for found in (_named(first, asked), _named(second, asked)) if found]
    foreign = any(is_known(tag) and not any(best(language, [tag]) for language in asked) for tag in tags)
    if foreign or (sides[0] is not None and sides[0] == sides[1]):
        raise wrong_languages(Path(f"{first} with {second}"), tags, *asked)
    return Input((second, first), "lines") if sides[0] == 1 or sides[1] == 0 else one


def _described(one: Input, source: str, target: str, columns: Sequence[str] | None) -> str:
    if one.kind == "lines":
        return f"{one.files[0]} ({source}) + {one.files[1]} ({target}): lines of plain text"
    if one.kind == "table":
        return f"{one.files[0]}: {table_layout(one.files[0], source, target, columns) or 'an empty table'}"
    return str(one)


def _units(
    inputs: list[Input], asked: tuple[str, str], columns: Sequence[str] | None, meter: Meter | None
) -> Iterator[Unit]:
    for one in inputs:
        match one.kind:
            case "lines":
                yield from read_moses(one.files[0], one.files[1], meter)
            case "table":
                yield from read_tsv(one.files[0], *asked, columns, meter)
            case "TMX":
                yield from read_tmx(one.files[0], *asked, meter)
            case "XLIFF":
                yield from read_xliff(one.files[0], *asked, meter)
            case _:
                yield from read_po(one.files[0], *asked, meter)
