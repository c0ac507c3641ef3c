"""What `mirada train` tells of a model that learnt from text alone."""

from pathlib import Path
from typing import TYPE_CHECKING

from mirada.cli.saying import say

if TYPE_CHECKING:
    from mirada.training.result import ReadTextResult


def tell_reading(result: "ReadTextResult", output: Path) -> None:
    """Say how good it is, and what can be done with it."""
    if result.test is not None:
        measured = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in result.test.measures.items())
        say(f"Test text: {measured}  {result.test.signature}")
    if result.task == "mlm":
        say(f"The model is in {output}. Try it: echo 'A word is [MASK].' | mirada predict {output}")
    else:
        say(f"The model is in {output}. A tagger begins from it: mirada train --task tag … --start {output}")
