"""How loud a verb is, and where its words go."""

import io
import json
import sys
from collections.abc import Iterator

import pytest
import typer
from typer.testing import CliRunner, Result

from mirada.cli.saying import (
    Quiet,
    Verbose,
    bar,
    begin,
    detail,
    is_quiet,
    is_verbose,
    print_json,
    say,
    set_from_root,
)

app = typer.Typer()


@app.callback()
def options(quiet: Quiet = False, verbose: Verbose = False) -> None:
    set_from_root(quiet, verbose)


@app.command()
def speak(quiet: Quiet = False, verbose: Verbose = False) -> None:
    begin(quiet, verbose)
    say("said")
    detail("more")
    print_json({"quiet": is_quiet(), "verbose": is_verbose()})


@app.command()
def other() -> None:
    """A second verb, so that verbs are named."""


@pytest.fixture(autouse=True)
def level() -> Iterator[None]:
    """Every test begins and ends at the usual level."""
    set_from_root(quiet=False, verbose=False)
    yield
    set_from_root(quiet=False, verbose=False)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words, catch_exceptions=False)


def test_as_usual() -> None:
    result = run("speak")
    assert result.stderr == "said\n"
    assert json.loads(result.stdout) == {"quiet": False, "verbose": False}


@pytest.mark.parametrize("words", [("-q", "speak"), ("speak", "-q"), ("speak", "--quiet"), ("-q", "speak", "-q")])
def test_quiet_before_or_after_the_verb(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.stderr == ""
    assert json.loads(result.stdout) == {"quiet": True, "verbose": False}


@pytest.mark.parametrize("words", [("-v", "speak"), ("speak", "-v"), ("--verbose", "speak")])
def test_verbose_before_or_after_the_verb(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.stderr == "said\nmore\n"
    assert json.loads(result.stdout) == {"quiet": False, "verbose": True}


@pytest.mark.parametrize("words", [("-q", "-v", "speak"), ("-q", "speak", "-v"), ("speak", "-q", "-v")])
def test_both_together_are_wrong(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == "mirada: --quiet and --verbose were both given; use one of them\n"


def test_the_level_of_one_run_is_not_that_of_the_next() -> None:
    run("-q", "speak")
    assert run("speak").stderr == "said\n"


def test_json_is_one_object_in_plain_letters(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"word": "señal", "list": [1.5, float("nan")], "inner": {"pair": (float("inf"), None)}})
    text = capsys.readouterr().out
    assert "señal" in text
    assert json.loads(text) == {"word": "señal", "list": [1.5, None], "inner": {"pair": [None, None]}}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "quiet", "shown"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_a_bar_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch, terminal: bool, quiet: bool, shown: bool) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal() if terminal else io.StringIO())
    monkeypatch.setenv("TERM", "xterm")
    begin(quiet, verbose=False)
    with bar("reading [red]", 10) as show:
        show(5)
    assert ("reading [red]" in sys.stderr.getvalue()) == shown  # type: ignore[attr-defined]
