"""`mirada serve`: models behind HTTP, for LibreTranslate's clients, for programs, and for people with a browser."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mirada.cli.failure import fail, failing
from mirada.cli.saying import Quiet, Verbose, begin, detail, say
from mirada.cli.translate import EngineChoice

if TYPE_CHECKING:
    from mirada.serving.models import Models
    from mirada.serving.service import Options

NEEDED = ("fastapi", "uvicorn", "prometheus_client")
INSTALL = "the server needs packages that are not installed: pip install 'mirada[serve]'"


@failing()
def serve(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL…",
            help="Folders of models that translate, write, fill gaps, tag or classify texts.",
            show_default=False,
        ),
    ],
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 takes one that is free.")] = 8080,
    beam: Annotated[int, typer.Option(min=1, max=100, help="Candidates of a translator's search; 1 is greedy.")] = 5,
    engine: Annotated[
        EngineChoice, typer.Option(help="What computes translations; auto is the fastest.")
    ] = EngineChoice.AUTO,
    keys: Annotated[
        Path | None, typer.Option(help="A file with one API key on each line; then only who has one is served.")
    ] = None,
    origins: Annotated[
        list[str] | None, typer.Option("--allow-origin", help="A site whose pages may use the server (CORS).")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(help="The folder of a training, whose curves are shown while it goes on.")
    ] = None,
    limits: Annotated[
        list[str] | None, typer.Option("--limit", help="Another limit, such as characters=50000 or queue=1000.")
    ] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Serve models: a page to type, see what each makes of it and where it looks, and LibreTranslate's API.

    It listens to this machine only, unless --host says otherwise.
    """
    begin(quiet, verbose)
    if any(find_spec(name) is None for name in NEEDED):
        fail(INSTALL)
    if run is not None and not run.is_dir():
        fail(f"--run {run} is no folder; name the --output of a mirada train")
    from mirada.serving.app import make_app
    from mirada.serving.server import serve as listen

    options = _options(host, beam, keys, origins or [], run, limits or [])
    models = _models(folders, engine)
    listen(make_app(models, options), host, port, lambda name, number: _tell(name, number, options))


def _options(
    host: str, beam: int, keys: Path | None, origins: list[str], run: Path | None, limits: list[str]
) -> "Options":
    from mirada.serving.keys import Keys
    from mirada.serving.limits import limits_from
    from mirada.serving.security import Neighbours
    from mirada.serving.service import Options

    try:
        return Options(
            limits=limits_from(limits),
            keys=Keys() if keys is None else Keys.read(keys),
            neighbours=Neighbours(host, tuple(origins)),
            beam=beam,
            run=run,
        )
    except ValueError as error:
        fail(str(error))


def _models(folders: list[Path], engine: EngineChoice) -> "Models":
    from mirada.serving.models import Models

    models = Models.load(folders, engine.value)
    for one in models.served:
        say(f"{one.name}: {one.told}")
        detail(f"{one.name}: engine {one.engine}")
    return models


def _tell(host: str, port: int, options: "Options") -> None:
    from mirada.serving.security import is_loopback

    if not is_loopback(host) and not options.keys:
        typer.echo(f"mirada: everybody who reaches {host} can use this server; --keys asks for a key", err=True)
    name = f"[{host}]" if ":" in host else host
    say(f"http://{name}:{port} is served; Ctrl-C ends it")
