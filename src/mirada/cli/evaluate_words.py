"""`mirada evaluate` of word vectors: pairs ranked as people rank them, analogies completed."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mirada.cli.saying import print_json, say

if TYPE_CHECKING:
    from mirada.evaluation.words import AnalogyScore, SimilarityScore


def evaluate_words(vectors: Path, path: Path, as_json: bool) -> None:
    """Print Spearman's correlation of a set of pairs, or the accuracy of a set of analogies."""
    from mirada.evaluation.words import Alike, Question, read_set, score_analogies, score_similarity
    from mirada.models.vectors_files import open_vectors

    asked, opened = read_set(path), open_vectors(vectors)
    pairs = [one for one in asked if isinstance(one, Alike)]
    questions = [one for one in asked if isinstance(one, Question)]
    score = score_similarity(opened, pairs) if pairs else score_analogies(opened, questions)
    if score.unknown:
        say(f"{score.unknown:,} of {len(asked):,} lines have a word without a vector and are left out.")
    if as_json:
        print_json({"vectors": str(vectors), **score.as_json()})
    else:
        typer.echo("\n".join(_lines(score)))


def _lines(score: "SimilarityScore | AnalogyScore") -> list[str]:
    from mirada.evaluation.words import SimilarityScore

    if isinstance(score, SimilarityScore):
        return [f"{'Spearman':<30}{score.spearman:9.4f}  {score.signature}"]
    sections = [
        f"{name:<30}{right / asked:9.4f}  {right:,} of {asked:,}" for name, (right, asked) in score.sections.items()
    ]
    return [*sections, f"{'accuracy':<30}{score.accuracy:9.4f}  {score.signature}"]
