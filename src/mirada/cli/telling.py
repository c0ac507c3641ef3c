"""What `mirada train` tells of a finished model: how good it is, and what can be done with it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mirada.cli.captions import tell_captions
from mirada.cli.saying import say

if TYPE_CHECKING:
    from mirada.training import result as results


def tell(result: "results.Reached | None", output: Path) -> None:
    """Say it; each task has a line here."""
    from mirada.training import result as results

    tellers: dict[type[results.Reached], Callable[[Any, Path], None]] = {
        results.Result: tell_translation,
        results.LanguageResult: tell_language,
        results.VectorsResult: tell_vectors,
        results.ReadTextResult: tell_reading,
        results.NodesResult: tell_nodes,
        results.LabelResult: tell_labels,
        results.ForecastResult: tell_forecaster,
        results.CaptionResult: tell_captions,
        results.PolicyResult: tell_policy,
    }
    if result is not None:
        tellers[type(result)](result, output)


def tell_translation(result: "results.Result", output: Path) -> None:
    """Of a translator."""
    if result.test is not None:
        for name, metric in (("BLEU", result.test.bleu), ("chrF", result.test.chrf)):
            say(f"Test set ({result.test_sentences:,} pairs, beam 5): {name} {metric.score:.2f}  {metric.signature}")
    say(f"The model is in {output}. Try it: echo 'A sentence.' | mirada translate {output}")


def tell_language(result: "results.LanguageResult", output: Path) -> None:
    """Of a language model."""
    text = result.test
    if text is not None:
        measured = f"loss {text.loss:.4f}, perplexity {text.perplexity:.2f}"
        say(f"Test text: {measured}, {text.rate[1]:.4f} {text.rate[0]}  {text.signature}")
    say(f"The model is in {output}. Try it: mirada generate {output}")


def tell_vectors(result: "results.VectorsResult", output: Path) -> None:
    """Of word vectors."""
    say(f"{result.words:,} words have vectors, learnt from {result.words_per_second:,.0f} words/s.")
    say(f"They are in {output}. Try them: mirada nearest {output} WORD")


def tell_reading(result: "results.ReadTextResult", output: Path) -> None:
    """Of a model that learnt from text alone."""
    if result.test is not None:
        measured = ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in result.test.measures.items())
        say(f"Test text: {measured}  {result.test.signature}")
    if result.task == "mlm":
        say(f"The model is in {output}. Try it: echo 'A word is [MASK].' | mirada predict {output}")
    else:
        say(f"The model is in {output}. A tagger begins from it: mirada train --task tag … --start {output}")


def tell_labels(result: "results.LabelResult", output: Path) -> None:
    """Of a tagger or a classifier."""
    test = result.test
    if test is not None:
        say(f"Test set: accuracy {test.accuracy:.2%}, macro F1 {test.macro_f1:.2%}  {test.signature}")
    say(f"The model is in {output}. Try it: mirada predict {output} --input FILE")


def tell_forecaster(result: "results.ForecastResult", output: Path) -> None:
    """Of a forecaster, beside simpler ways."""
    for name, score in result.test.named.items():
        say(f"Test part: {name:<16} MSE {score.mse:.4f}  MAE {score.mae:.4f}")
    say(result.test.signature)
    say(f"The model is in {output}. Try it: mirada predict {output} --input SERIES.csv")


def tell_nodes(result: "results.NodesResult", output: Path) -> None:
    """Of a graph network."""
    if result.test is not None:
        say(f"Test nodes: accuracy {result.test.accuracy:.2f}  {result.test.signature}")
    say(f"The model is in {output}. Try it: mirada predict {output}")


def tell_policy(result: "results.PolicyResult", output: Path) -> None:
    """Of a policy, beside the players that it learnt from."""
    test = result.test
    reached = ", ".join(f"{asked}: {mean:.2f}" for asked, mean in zip(test.asked, test.reached, strict=True))
    say(f"Asked for and reached: {reached}. The players reached {test.behaviour:.2f}.")
    say(f"Mean error {test.error:.2f}, of the players' mean {test.behaviour_error:.2f}  {test.signature}")
    say(f"The model is in {output}. Try it: mirada predict {output} --return 5")
