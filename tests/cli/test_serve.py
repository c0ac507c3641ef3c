"""`mirada serve`, as a user meets it; tests/serving holds what a server does."""

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mirada.cli import serve as verb
from mirada.cli.app import app

MODEL = Path(__file__).parents[1] / "fixtures" / "models" / "schema-1"


def serve(*words: str | Path, model: Path = MODEL) -> Result:
    return CliRunner().invoke(app, ["serve", str(model), *map(str, words)], catch_exceptions=False)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--limit", "letters=5"), "there is no limit 'letters'; use one of bytes, characters"),
        (("--limit", "queue=none"), "the limit 'queue=none' has no number; write it as queue=1000"),
        (("--allow-origin", "example.org"), "'example.org' is no origin; use one such as https://"),
        (("--run", "absent"), "--run absent is no folder; name the --output of a mirada train"),
    ],
)
def test_wrong_use(words: tuple[str, ...], told: str) -> None:
    result = serve(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"mirada: {told}")


def test_keys_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("short\n")
    assert "key 1 has 5 characters; use 16 or more" in serve("--keys", tmp_path / "keys").stderr
    absent = serve("--keys", tmp_path / "absent")
    assert (absent.exit_code, "absent cannot be read" in absent.stderr) == (1, True)


def test_what_cannot_be_served(tmp_path: Path) -> None:
    result = serve(model=tmp_path / "absent")
    assert result.exit_code == 1
    assert "is no folder of a model" in result.stderr


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = serve("--port", str(port))
    assert result.exit_code == 1
    assert f"cannot listen at 127.0.0.1, port {port}: Address already in use; use another --port" in result.stderr


def test_an_address_that_is_none() -> None:
    assert "use another --host" in serve("--host", "192.0.2.1", "--port", "0").stderr


def test_packages_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "NEEDED", ("no_such_package",))
    assert "pip install 'mirada[serve]'" in serve().stderr


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_it_warns_where_others_can_reach_it(host: str, warned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirada.serving.server.serve", lambda app, host, port, listening: listening(host, 8080))
    result = serve("--host", host)
    assert result.exit_code == 0
    assert (f"everybody who reaches {host} can use this server" in result.stderr) is warned
    assert "schema-1: en → es" in result.stderr
    assert f"http://{host}:8080 is served; Ctrl-C ends it" in result.stderr
