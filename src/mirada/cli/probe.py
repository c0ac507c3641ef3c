"""`mirada probe`: what the heads of a model know of syntax, or of whom a pronoun means."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import FAILED, fail, failing
from mirada.cli.parallel import require_place
from mirada.cli.saying import Quiet, Verbose, bar, begin, print_json, say

if TYPE_CHECKING:
    from mirada.corpora.antecedents import Antecedents
    from mirada.corpora.treebank import Tree
    from mirada.evaluation.probing import Finding
    from mirada.tasks.looked import Looker
    from mirada.tasks.probing import Probed

TABLES, PICTURES = (".tsv",), (".svg", ".png")
HALVES = "Heads and offsets were chosen on one half of the sentences; the figures are those of the other half."
BACKWARDS = "This model sees what stands before a word alone: a head cannot look at a word that comes later."


@failing()
def probe(
    model: Annotated[Path, typer.Argument(help="The folder of a trained model that reads.", show_default=False)],
    data: Annotated[
        Path, typer.Argument(help="A treebank (.conllu), or pronouns with their antecedents (GAP, XWINO: .tsv).")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a table, table.tsv, or a picture, picture.svg.")
    ] = None,
    untrained: Annotated[
        bool, typer.Option("--untrained", help="Probe the same shape with fresh weights beside it, as a control.")
    ] = False,
    fewest: Annotated[int, typer.Option(min=1, help="Cases that a relation must have on each half.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Find the head of a model that knows a relation of syntax best (Clark et al. 2019).

    For every relation, such as subject or object: the head that most often looks from a word to the one it depends on,
    how often it is right, and how often the best fixed offset ("the next word") is.
    """
    begin(quiet, verbose)
    require_place("--output", output, [data])
    if output is not None and output.suffix.lower() not in (*TABLES, *PICTURES):
        fail(f"--output {output} cannot be written; use a name that ends in {', '.join((*TABLES, *PICTURES))}")
    if _is_treebank(data):
        _probe_trees(model, data, output, untrained, fewest, as_json)
    elif output is not None:
        fail("--output is for the relations of a treebank; pronouns have one line, leave it out")
    else:
        _probe_antecedents(model, data, untrained, as_json)


def _is_treebank(path: Path) -> bool:
    from mirada.corpora.conllu import is_conllu

    return is_conllu(path)


def _probe_trees(model: Path, data: Path, output: Path | None, untrained: bool, fewest: int, as_json: bool) -> None:
    from mirada.tasks.lookers import looker_of

    trees = _read_trees(data)
    looker = looker_of(model)
    found = _probed(looker, trees, fewest, "probing")
    if not found.findings:
        fail(f"no relation has {fewest:,} cases on each half; give a larger treebank, or a smaller --fewest", FAILED)
    control = None
    if untrained:
        fresh = _probed(looker_of(model, untrained=True), trees, fewest, "untrained")
        control = {one.relation: one.accuracy for one in fresh.findings}
    if output is not None:
        _write(output, found.findings, control)
    if as_json:
        print_json(_as_json(looker, found, control))
    else:
        typer.echo("\n".join(_lines(found.findings, control)))
        say(HALVES + (f" {BACKWARDS}" if looker.backwards else ""))


def _read_trees(path: Path) -> "list[Tree]":
    from mirada.corpora.pair import Fault
    from mirada.corpora.treebank import read_trees

    read = list(read_trees(path))
    faults = [one for one in read if isinstance(one, Fault)]
    if faults:
        say(f"{len(faults):,} sentences cannot be read, the first at {faults[0].place}: {faults[0].reason}")
    trees = [one for one in read if not isinstance(one, Fault)]
    if not trees:
        fail(f"{path} holds no sentence that can be read; name a treebank in CoNLL-U", FAILED)
    return trees


def _probed(looker: "Looker", trees: "Sequence[Tree]", fewest: int, what: str) -> "Probed":
    from mirada.tasks.probing import probe_trees

    with bar(what, len(trees)) as show:
        found = probe_trees(looker, trees, fewest, show)
    _tell_refused(found.refused)
    return found


def _tell_refused(refused: Counter[str]) -> None:
    for reason, count in refused.most_common(3):
        say(f"{count:,} texts are left out: {reason}")


def _table(findings: "Sequence[Finding]", control: Mapping[str, float] | None) -> Iterator[list[str]]:
    """The rows of the table, its head first."""
    names = ["relation", "cases", "layer", "head", "direction", "right", "offset", "right"]
    yield names if control is None else [*names, "untrained"]
    for one in findings:
        place = [str(one.layer), str(one.head), one.direction]
        row = [one.relation, str(one.cases), *place, f"{one.accuracy:.1%}", f"{one.offset:+d}", f"{one.baseline:.1%}"]
        yield row if control is None else [*row, f"{control.get(one.relation, 0.0):.1%}"]


def _lines(findings: "Sequence[Finding]", control: Mapping[str, float] | None) -> Iterator[str]:
    """The table for people."""
    rows = list(_table(findings, control))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (
            cell.ljust(width) if column in (0, 4) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _write(output: Path, findings: "Sequence[Finding]", control: Mapping[str, float] | None) -> None:
    from mirada.models.folder import write_file

    if output.suffix.lower() in TABLES:
        data = "".join("\t".join(row) + "\n" for row in _table(findings, control)).encode()
    else:
        from mirada.viewing.probed import draw_findings

        data = draw_findings(output, findings, control)
    write_file(output, data)
    say(f"{output} written")


def _as_json(looker: "Looker", found: "Probed", control: Mapping[str, float] | None) -> dict[str, object]:
    told: dict[str, object] = {
        "sentences": found.sentences,
        "left_context_only": looker.backwards,
        "refused": sum(found.refused.values()),
        "relations": [one.as_json() for one in found.findings],
    }
    if control is not None:
        told["untrained"] = {name: round(value, 4) for name, value in sorted(control.items())}
    return told


def _probe_antecedents(model: Path, data: Path, untrained: bool, as_json: bool) -> None:
    from mirada.corpora.antecedents import read_antecedents
    from mirada.corpora.pair import Fault
    from mirada.tasks.lookers import looker_of
    from mirada.tasks.probing import probe_antecedents

    questions: list[Antecedents] = [one for one in read_antecedents(data) if not isinstance(one, Fault)]
    if not questions:
        fail(f"{data} holds no treebank (.conllu) and no pronouns as GAP or XWINO write them", FAILED)
    told = {}
    for name in ("trained", *(["untrained"] if untrained else [])):
        looker = looker_of(model, untrained=name == "untrained")
        with bar(f"probing, {name}", len(questions)) as show:
            found, refused = probe_antecedents(looker, questions, show)
        _tell_refused(refused)
        told[name] = found
    if as_json:
        print_json({name: found.as_json() for name, found in told.items()})
        return
    for name, found in told.items():
        head = f"layer {found.layer}, head {found.head}, {found.direction}"
        typer.echo(f"{name}: {head}: {found.accuracy:.1%} of {found.cases:,} right; {found.rule}: {found.baseline:.1%}")
    say("By chance half is right. " + HALVES.replace("sentences", "questions").replace("offsets", "rules"))
