"""What goes wrong: a sentence that says what and where and what to do, never a traceback for a user's mistake."""

import errno
import gzip
from pathlib import Path

import pydantic
import pytest
import typer
from typer.testing import CliRunner, Result

from mirada.cli.check import check
from mirada.cli.failure import fail, failing
from mirada.cli.saying import begin
from mirada.corpora.pair import CorpusError
from mirada.evaluation.translation import score

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(check)

GOOD = [
    ("The cat sleeps on the old chair.", "El gato duerme en la silla vieja."),
    ("Nobody knows where the keys are.", "Nadie sabe dónde están las llaves."),
    ("We eat bread every morning.", "Comemos pan todas las mañanas."),
    ("The train leaves at eight.", "El tren sale a las ocho."),
]
ENGLISH, SPANISH = ("".join(f"{pair[side]}\n" for pair in GOOD).encode() for side in (0, 1))
TABLE = "".join(f"{source}\t{target}\n" for source, target in GOOD).encode()
LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">]>
<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>&e;</seg></tuv>
<tuv xml:lang="es"><seg>&e;</seg></tuv></tu></body></tmx>"""
EXTERNAL = """<?xml version="1.0"?>
<!DOCTYPE tmx [<!ENTITY secret SYSTEM "file://{secret}">]>
<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>The word is &secret;.</seg></tuv>
<tuv xml:lang="es"><seg>La palabra es &secret;.</seg></tuv></tu></body></tmx>"""


def write(folder: Path, files: dict[str, bytes]) -> list[Path]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in files]


def run(*words: str | Path) -> Result:
    result = CliRunner().invoke(app, [*map(str, words), "--from", "en", "--to", "es"], catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def refused(*words: str | Path, status: int = 1) -> str:
    """The one sentence of a run that cannot go on."""
    result = run(*words)
    assert result.exit_code == status
    (line,) = result.stderr.splitlines()
    assert line.startswith("mirada: ")
    return line


def dropped(tmp_path: Path, files: dict[str, bytes], reason: str) -> list[str]:
    """The row of the one unit that is dropped for a reason, of a corpus that serves all the same."""
    result = run(*write(tmp_path, files), "--report", tmp_path / "drops.tsv")
    assert result.exit_code == 0
    assert reason in result.stdout
    (row,) = (line.split("\t") for line in (tmp_path / "drops.tsv").read_text().splitlines() if reason in line)
    return row


def test_different_numbers_of_lines(tmp_path: Path) -> None:
    files = write(tmp_path, {"train.en": ENGLISH, "train.es": SPANISH + b"Una m\xc3\xa1s.\n"})
    said = refused(*files)
    assert f"{files[0]} has 4 lines and {files[1]} has 5" in said
    assert "find where" in said


def test_another_language_than_was_said(tmp_path: Path) -> None:
    rows = [
        (
            "The old house stands alone on the hill behind the river, and nobody has lived in it for years.",
            "Das alte Haus steht allein auf dem Hügel hinter dem Fluss, und seit Jahren wohnt niemand darin.",
        ),
        (
            "She does not want to come with us tomorrow, because the weather is going to be bad again.",
            "Sie möchte morgen nicht mit uns kommen, weil das Wetter wieder schlecht werden soll.",
        ),
    ]
    (file,) = write(tmp_path, {"corpus.tsv": "".join(f"{one}\t{other}\n" for one, other in rows).encode()})
    said = refused(file)
    assert f"{file}: none of 2 pairs can be used; 2 were dropped for: wrong language" in said
    assert "--from and --to" in said


def test_languages_that_a_file_does_not_have(tmp_path: Path) -> None:
    said = refused(*write(tmp_path, {"corpus.tsv": b"de\tfr\nDas ist gut.\tC'est bien.\n"}))
    assert "corpus.tsv" in said
    assert "de" in said


@pytest.mark.parametrize("files", [{"corpus.tsv": b""}, {"train.en": b"", "train.es": b""}], ids=["table", "lines"])
def test_an_empty_corpus(tmp_path: Path, files: dict[str, bytes]) -> None:
    written = write(tmp_path, files)
    said = refused(*written)
    assert str(written[0]) in said
    assert "there is no pair of sentences" in said
    assert "name files with text in en and es" in said


def test_one_sentence_is_told_to_be_little(tmp_path: Path) -> None:
    result = run(*write(tmp_path, {"corpus.tsv": TABLE.splitlines(keepends=True)[0]}))
    assert result.exit_code == 0
    assert "1 of 1 pairs can be used. That is very little" in result.stdout


def test_a_line_of_a_hundred_thousand_characters(tmp_path: Path) -> None:
    long = b"word " * 20_000
    row = dropped(tmp_path, {"train.en": ENGLISH + long + b"\n", "train.es": SPANISH + b"Palabra.\n"}, "bytes long")
    assert row[:2] == [str(tmp_path / "train.en"), "5"]
    assert "at most" in row[3]


def test_a_line_with_nul(tmp_path: Path) -> None:
    row = dropped(tmp_path, {"train.en": ENGLISH + b"A\0 word.\n", "train.es": SPANISH + b"Palabra.\n"}, "NUL")
    assert row[:2] == [str(tmp_path / "train.en"), "5"]
    assert "remove it" in row[3]


def test_a_line_that_is_not_utf8(tmp_path: Path) -> None:
    row = dropped(tmp_path, {"corpus.tsv": TABLE + "A sign.\tUna señal.\n".encode("latin-1")}, "not UTF-8")
    assert row[:2] == [str(tmp_path / "corpus.tsv"), "5"]
    assert "0xf1" in row[3]
    assert "convert the file" in row[3]


def test_a_packed_file_that_is_cut_off(tmp_path: Path) -> None:
    packed = gzip.compress(TABLE * 50)
    said = refused(*write(tmp_path, {"corpus.tsv.gz": packed[: len(packed) // 2]}))
    assert f"{tmp_path / 'corpus.tsv.gz'} is broken or cut off" in said
    assert "download it again" in said


def test_entities_that_multiply(tmp_path: Path) -> None:
    assert "laughs.tmx" in refused(*write(tmp_path, {"laughs.tmx": LAUGHS}))


def test_entities_that_read_other_files(tmp_path: Path) -> None:
    (secret,) = write(tmp_path, {"secret.txt": b"open sesame"})
    (file,) = write(tmp_path, {"external.tmx": EXTERNAL.format(secret=secret).encode()})
    result = run(file, "--report", tmp_path / "drops.tsv")
    assert result.exit_code == 1
    assert "external.tmx" in result.stderr
    assert "sesame" not in result.output + (tmp_path / "drops.tsv").read_text()


def test_xml_that_ends_too_soon(tmp_path: Path) -> None:
    said = refused(*write(tmp_path, {"torn.tmx": b'<tmx version="1.4"><header srclang="en"/><body><tu>'}))
    assert "torn.tmx" in said


@pytest.mark.parametrize("name", ["absent.tsv", "folder.tsv"])
def test_files_that_are_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.tsv").mkdir()
    assert str(tmp_path / name) in refused(tmp_path / name)


def test_a_language_that_is_none(tmp_path: Path) -> None:
    (file,) = write(tmp_path, {"corpus.tsv": TABLE})
    result = CliRunner().invoke(app, [str(file), "--from", "Englisch!", "--to", "es"], catch_exceptions=False)
    assert result.exit_code == 1
    assert "is no language tag; use one such as en" in result.stderr


# Which errors become a sentence.


def raised(error: BaseException, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The status and the words with which an error ends a verb."""
    begin(quiet=False, verbose=False)
    with pytest.raises(typer.Exit) as exit_, failing():
        raise error
    return exit_.value.exit_code, capsys.readouterr().err


def test_a_sentence_and_a_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as exit_:
        fail("no; do this")
    assert (exit_.value.exit_code, capsys.readouterr().err) == (2, "mirada: no; do this\n")


def test_errors_of_our_own_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert raised(CorpusError("x is empty; fill it"), capsys) == (1, "mirada: x is empty; fill it\n")


def test_value_errors_that_mirada_raises(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), failing():
        score([], [])
    assert capsys.readouterr().err == "mirada: there are no translations to score; give at least one sentence\n"


def test_value_errors_from_elsewhere_are_bugs() -> None:
    with pytest.raises(ValueError, match="invalid literal"), failing():
        int("x")
    with pytest.raises(ValueError, match="elsewhere"), failing():
        raise ValueError("elsewhere")  # this file is not part of mirada


def test_a_call_that_fails_within_mirada_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirada.evaluation.translation._bleu", lambda *_: int("x"))
    with pytest.raises(ValueError, match="invalid literal"), failing():
        score(["a"], ["a"])


@pytest.mark.parametrize("error", [TypeError("a"), RuntimeError("b"), AssertionError("c"), KeyError("d")])
def test_other_errors_are_bugs(error: Exception) -> None:
    with pytest.raises(type(error)), failing():
        raise error


def test_a_file_that_cannot_be_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = raised(FileNotFoundError(errno.ENOENT, "No such file or directory", str(tmp_path / "x")), capsys)
    assert status == 1
    assert said.startswith(f"mirada: {tmp_path / 'x'} cannot be read or written: No such file or directory; check")


@pytest.mark.parametrize(("name", "told"), [("model.safetensors", "model.safetensors"), (None, "the disk")])
def test_a_full_disk(name: str | None, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", name)
    assert raised(error, capsys) == (
        1,
        f"mirada: no space left on {told}; free some and run the same command again\n",
    )


def test_the_keyboard(capsys: pytest.CaptureFixture[str]) -> None:
    assert raised(KeyboardInterrupt(), capsys) == (130, "mirada: stopped from the keyboard\n")


def test_a_reader_that_has_had_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert raised(BrokenPipeError(errno.EPIPE, "Broken pipe"), capsys) == (1, "")


class Shape(pydantic.BaseModel):
    width: int
    heads: int


def test_a_config_that_pydantic_refuses() -> None:
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    @failing()
    def verb(width: str) -> None:
        Shape.model_validate({"width": width, "heads": "y"})

    for width, parts in (("x", ["Shape", "width = 'x'", "heads = 'y'"]), ("3", ["heads = 'y'"])):
        result = CliRunner().invoke(app, [width])
        assert result.exit_code == 1
        assert all(part in result.stderr for part in parts)


def test_with_v_the_traceback_is_shown_too(tmp_path: Path) -> None:
    words = [str(tmp_path / "absent.tsv"), "--from", "en", "--to", "es", "-v"]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("mirada: ")


def test_the_decorated_verb_keeps_its_options() -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert all(option in result.stdout for option in ("--from", "--to", "--columns", "--report"))
