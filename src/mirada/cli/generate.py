"""`mirada generate`: a language model goes on with a text."""

from pathlib import Path
from typing import Annotated

import typer

from mirada.cli.failure import fail, failing
from mirada.cli.generate_music import BEGINNING_STEPS, beginning_of, require_places, write_music
from mirada.cli.saying import Quiet, Verbose, begin, print_json


@failing()
def generate(
    model: Annotated[Path, typer.Argument(help="The folder of a trained language model.", show_default=False)],
    prompt: Annotated[str, typer.Option(help="The beginning of the text.")] = "",
    length: Annotated[int, typer.Option(help="Characters, subwords or events to write.")] = 500,
    count: Annotated[int, typer.Option(min=1, max=1_000, help="Texts to write.")] = 1,
    temperature: Annotated[float, typer.Option(help="Below 1 likelier texts, above 1 more various ones.")] = 1.0,
    top_k: Annotated[int | None, typer.Option(help="Only so many of the likeliest tokens.")] = None,
    top_p: Annotated[float, typer.Option(help="Only the likeliest tokens that reach this share.")] = 1.0,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another text.")] = 0,
    beginning: Annotated[
        Path | None, typer.Option(help="Of music: a MIDI or JSON file whose first steps are the beginning.")
    ] = None,
    beginning_steps: Annotated[int, typer.Option(min=1, help="How many of them.")] = BEGINNING_STEPS,
    output: Annotated[
        list[Path] | None, typer.Option("--output", "-o", help="Of music: write it as .mid, draw it as .png or .svg.")
    ] = None,
    steps_per_beat: Annotated[int, typer.Option(min=1, max=480, help="Of music, for a .mid file.")] = 4,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write a text, or go on with one, as a language model would."""
    begin(quiet, verbose)
    from mirada.generator import Generator

    require_places(output or [])
    generator = Generator.load(model)
    if generator.loaded.config.units != "events" and (beginning is not None or output):
        fail(f"--beginning and --output are for music, and {model} writes text; use --prompt and >")
    if beginning is not None:
        prompt = beginning_of(beginning, beginning_steps)
    written = generator.generate(prompt, length, count, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
    if as_json:
        print_json({"model": str(model), "prompt": prompt, "texts": [one.as_json() for one in written]})
    else:
        typer.echo("\n\n".join(one.text for one in written))
    if output:
        write_music(output, written[0].text, prompt, steps_per_beat)
