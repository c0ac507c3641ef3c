"""`mirada predict` and `mirada evaluate` of a policy: play for a return, and compare what was reached."""

from pathlib import Path

import typer

from mirada.cli.failure import fail
from mirada.cli.predicting import Asked
from mirada.cli.saying import print_json, say


def play(asked: Asked) -> None:
    """Play for a return, and draw the first episode."""
    from mirada.player import Player

    if asked.wanted is None:
        fail(f"--return is missing: {asked.model} is a policy, and plays for the return that it is asked for")
    game = Player.load(asked.model).play(asked.wanted, asked.count)
    if asked.as_json:
        print_json({"model": str(asked.model), **game.as_json()})
        return
    typer.echo(game.drawn())
    first = int(game.episodes.returns[0])
    typer.echo(f"asked for {asked.wanted}, reached {first} in {game.episodes.actions.shape[1]} steps")
    say(f"Over {asked.count:,} episodes: {game.mean:.2f}. S is the beginning, @ the end, o a coin that is left.")


def evaluate_policy(model: Path, as_json: bool) -> None:
    """Print what is reached for every return that can be asked for."""
    from mirada.player import Player

    score = Player.load(model).score()
    if as_json:
        print_json({"model": str(model), **score.as_json()})
        return
    typer.echo(f"{'asked':>6}{'reached':>9}{'error':>8}")
    for asked, reached, error in zip(score.asked, score.reached, score.errors, strict=True):
        typer.echo(f"{asked:>6}{reached:>9.2f}{error:>8.2f}")
    typer.echo(f"mean error {score.error:.2f}; of always reaching the players' {score.behaviour:.2f}: ", nl=False)
    typer.echo(f"{score.behaviour_error:.2f}  {score.signature}")
