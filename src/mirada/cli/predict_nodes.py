"""`mirada predict` of a graph network: the likeliest label of each node, and how likely it is."""

from mirada.cli.predicting import Asked
from mirada.cli.saying import print_json, say


def predict_nodes(asked: Asked) -> None:
    """Write a line for every node: name, tab, label, tab, probability; of the model's own graph where none is named."""
    from mirada.node_classifier import NodeClassifier

    found = NodeClassifier.load(asked.model, asked.given).predict()
    with asked.written() as out:
        if out is not None:
            out.write("".join(f"{one.node}\t{one.label}\t{one.probability:.4f}\n" for one in found).encode())
    say(f"{len(found):,} nodes labelled")
    if asked.as_json:
        print_json({"model": str(asked.model), "task": "nodes", "predictions": [one.as_json() for one in found]})
