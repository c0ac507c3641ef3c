"""`mirada translate`, as a user meets it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from mirada.cli.translate import translate
from mirada.translator import Translator
from tests.test_translator import XLIFF
from tests.translators import copier, random_folder

app = typer.Typer()
app.command()(translate)


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every folder that exists is a translator of English into itself."""
    real = Translator.load
    monkeypatch.setattr(
        Translator,
        "load",
        lambda folder, *more: copier(sure=0.9) if Path(folder).name == "copier" else real(folder, *more),
    )


def run(*words: str | Path, lines: str | bytes = "") -> Result:
    return CliRunner().invoke(app, ["copier", *map(str, words)], input=lines, catch_exceptions=False)


def refused(result: Result, status: int = 2) -> str:
    """The one line that a failed command says."""
    assert result.exit_code == status, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


def test_a_line_out_for_every_line_in() -> None:
    lines = "Go home.\n\n  Save it.\n \nNo!"
    result = run(lines=lines)
    assert (result.exit_code, result.stdout) == (0, "Go home.\n\n  Save it.\n\nNo!\n")
    assert "5 translations, none flagged" in result.stderr


def test_quiet_says_nothing_but_the_result() -> None:
    result = run("-q", "--beam", 1, lines="Go home.\n")
    assert (result.stdout, result.stderr) == ("Go home.\n", "")


def test_no_line_no_output() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (0, "")
    assert "0 translations" in result.stderr


def test_json_is_one_object() -> None:
    result = run("--json", "--n-best", 2, lines="Go home, %s.\n\n")
    told = json.loads(result.stdout)
    assert [one["source"] for one in told["translations"]] == ["Go home, %s.", ""]
    first = told["translations"][0]
    assert set(first) == {"source", "text", "score", "flags", "alternatives"}
    assert first["text"] == "Go home, %s."
    assert first["score"] < 0
    assert [set(one) for one in first["alternatives"]] == [{"text", "score"}]
    summary = told["summary"]
    assert (summary["translations"], summary["flagged"], summary["flags"]) == (2, 0, {})
    assert (summary["source"], summary["target"]) == ("en", "es")


def test_n_best_lines() -> None:
    result = run("--n-best", 3, lines="Go.\n\n")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[0] for row in rows] == ["1", "2", "3"] * 2
    assert rows[0][2] == "Go."
    assert float(rows[0][1]) >= float(rows[1][1]) >= float(rows[2][1])
    assert rows[4:] == [["2", "", ""], ["3", "", ""]]


def test_alignments() -> None:
    plain = run("--align", "--beam", 1, lines="Go home.\n")
    text, links = plain.stdout.removesuffix("\n").split("\t")
    told = json.loads(run("--align", "--json", "--beam", 1, lines="Go home.\n").stdout)["translations"][0]
    assert text == told["text"] == "Go home."
    assert [[int(end) for end in link.split("-")] for link in links.split()] == told["alignment"]
    assert len(told["tokens"]) == len(told["alignment"])


def test_sampling() -> None:
    drawn = {seed: run("--sample", "--seed", seed, "--top-p", 0.95, lines="Go home.\n").stdout for seed in (1, 2, 3, 4)}
    assert len(set(drawn.values())) > 1
    assert drawn[1] == run("--sample", "--seed", 1, "--top-p", 0.95, lines="Go home.\n").stdout
    assert run("--sample", "--top-k", 1, "--temperature", 2, lines="Go home.\n").stdout == "Go home.\n"


def test_bytes_that_are_no_text() -> None:
    result = run(lines=b"\xef\xbb\xbfGo home.\nSave \xff it.\n")
    assert result.stdout.splitlines()[0] == "Go home."
    assert len(result.stdout.splitlines()) == 2
    assert "standard input:2: byte 6 is 0xff, which is not UTF-8" in result.stderr


def test_files_of_lines(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("Go home.\nSave it.\n", encoding="utf-8")
    assert run("--input", source).stdout == "Go home.\nSave it.\n"
    result = run("--input", source, "--output", target)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "2 units translated, 0 left as they were, 0 to be reviewed" in result.stderr
    assert target.read_text(encoding="utf-8") == "Go home.\nSave it.\n"
    run("--input", source, "--output", target, "--n-best", 2)
    assert target.read_text(encoding="utf-8").count("\n") == 4
    run("--output", target, lines="No!\n")
    assert target.read_text(encoding="utf-8") == "No!\n"


def test_a_document_in_its_own_format(tmp_path: Path) -> None:
    source, target = tmp_path / "in.xlf", tmp_path / "out.xlf"
    source.write_text(XLIFF, encoding="utf-8")
    told = json.loads(run("--input", source, "--output", target, "--json").stdout)
    assert 'state="translated">Go <g id="1">home</g>.' in target.read_text(encoding="utf-8")
    assert [one["text"] for one in told["translations"]] == ["Go <1>home</1>."]
    summary = told["summary"]
    assert (summary["units_translated"], summary["units_kept"], summary["review"]) == (1, 1, [])
    again = json.loads(run("--input", source, "--output", target, "--json", "--overwrite").stdout)
    assert again["summary"]["units_translated"] == 2


def test_flags_are_told(monkeypatch) -> None:
    monkeypatch.setattr(Translator, "load", lambda *_: copier(lambda words: words[:4]))
    result = run("-v", lines="Go home, %s.\nNo!\n")
    assert "2 translations, 1 flagged: 1 with placeholders lost or added" in result.stderr
    assert "translation 1 is with placeholders lost or added" in result.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--beam", "0"], "--beam 0; use 1"),
        (["--n-best", "9"], "--n-best 9 is more than --beam 5"),
        (["--temperature", "0.5"], "--temperature was given without --sample"),
        (["--sample", "--top-p", "2"], "--top-p 2.0; use a share"),
        (["--align", "--n-best", "2"], "--align and --n-best were both given"),
        (["--columns", "en"], "does not name two columns"),
        (["--must", "home", "--sample"], "--must and --sample were both given"),
        (["--must", " "], "an empty phrase"),
        (["-q", "-v"], "--quiet and --verbose were both given"),
    ],
)
def test_wrong_use(words, told) -> None:
    assert told in refused(run(*words, lines="Go.\n"))


def test_wrong_files(tmp_path: Path) -> None:
    document, lines = tmp_path / "in.xlf", tmp_path / "in.txt"
    document.write_text(XLIFF, encoding="utf-8")
    lines.write_text("Go.\n", encoding="utf-8")
    assert "say where to with --output" in refused(run("--input", document))
    assert "--n-best works with lines" in refused(run("--input", document, "--output", lines, "--n-best", 2))
    assert "are both" in refused(run("--input", lines, "--output", lines))
    assert "does not exist" in refused(run("--input", tmp_path / "no.txt"), 1)
    assert "give both the same suffix" in refused(run("--input", document, "--output", tmp_path / "out.txt"), 1)
    assert "is not known" in refused(run("--input", tmp_path / "x.docx"), 1)
    nowhere = CliRunner().invoke(app, [str(tmp_path / "nothing")], input="Go.\n")
    assert "is no folder of a model" in refused(nowhere, 1)


def test_a_prefix_and_phrases() -> None:
    result = run("--prefix", "Wait,", "--must", "home", "--must", "then save", lines="Go home.\n\nNo!\n")
    first, empty, last = result.stdout.splitlines()
    assert empty == ""
    for line in (first, last):
        assert line.startswith("Wait,")
        assert "home" in line
        assert "then save" in line
    assert "3 translations, none flagged" in result.stderr


def test_json_lines(tmp_path: Path) -> None:
    lines = [
        {"text": "Go home.", "prefix": "Open"},
        {"text": "Wait.", "must": ["seven"]},
        {"text": "Go.\nNo!"},
        {"text": "Go.", "prefx": "No"},
        ["Go."],
        {"text": 3},
        {"text": "Go.", "must": "home"},
    ]
    source = tmp_path / "in.jsonl"
    source.write_text("\n".join([*map(json.dumps, lines), "Go.", "", '{"text": "No!"}']), encoding="utf-8")
    result = run("--json-lines", "--input", source)
    said = result.stdout.splitlines()
    assert said[0].startswith("Open")
    assert "seven" in said[1]
    assert said[2:] == ["Go. No!", "", "", "", "", "", "", "No!"]
    assert f"{source}:4: 'prefx' is not known; use text, prefix, must" in result.stderr
    assert f"{source}:5: this is no object with a text" in result.stderr
    assert f"{source}:6: text and prefix are to be texts" in result.stderr
    assert f"{source}:7: must is to be a list of texts" in result.stderr
    assert f"{source}:8: this is no JSON" in result.stderr
    told = json.loads(run("--json-lines", "--json", "--prefix", "Wait", lines=json.dumps(lines[1])).stdout)
    (one,) = told["translations"]
    assert one["source"] == "Wait."
    assert one["text"].startswith("Wait")
    assert "seven" in one["text"]


def test_several_models(tmp_path: Path, monkeypatch) -> None:
    heard = []
    monkeypatch.setattr(Translator, "load", lambda *given: heard.append(given) or copier())
    run("--with", "b", "--with", "c", "--mean", "logs", lines="Go.\n")
    assert heard == [(Path("copier"), "auto", [Path("b"), Path("c")], "logs")]


def test_a_real_process(tmp_path: Path) -> None:
    """From a folder to UTF-8 on the standard output, whatever the terminal speaks."""
    folder = random_folder(tmp_path / "model")
    code = "import sys, typer; from mirada.cli.translate import translate; typer.run(translate)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), "--beam", "1"],
        check=False,
        input="Ñandú\n\nNo!\n".encode(),
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "OMP_NUM_THREADS": "1"},
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.decode().split("\n")) == 4
    assert b"3 translations" in done.stderr


def test_help_needs_no_torch() -> None:
    code = "import sys, mirada.cli.translate; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
