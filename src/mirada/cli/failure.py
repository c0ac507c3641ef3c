"""How a verb ends when the user's words cannot be followed."""

from typing import NoReturn

import typer


def fail(sentence: str) -> NoReturn:
    """End with a sentence on standard error and status 2, the status of every wrong use."""
    typer.echo(f"mirada: {sentence}", err=True)
    raise typer.Exit(2)
