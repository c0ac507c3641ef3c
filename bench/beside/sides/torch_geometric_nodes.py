"""PyTorch Geometric's GATConv on a citation graph, as its own example trains it: Veličković et al. 2018, 3.3.

    python torch_geometric_nodes.py GRAPH.npz SEEDS EPOCHS THREADS

Prints a JSON object: the accuracy of each seed at its best development accuracy, and the seconds of each epoch.
"""

import json
import sys
import time

import numpy as np
import torch
from torch.nn import functional
from torch_geometric.nn import GATConv

EVERY = 25  # epochs between two looks at the development nodes, as on our side


class Network(torch.nn.Module):
    """Two layers, as in the paper."""

    def __init__(self, features: int, labels: int) -> None:
        super().__init__()
        self.first = GATConv(features, 8, heads=8, dropout=0.6)
        self.second = GATConv(64, labels, heads=1, concat=False, dropout=0.6)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        x = functional.dropout(x, 0.6, self.training)
        x = functional.elu(self.first(x, edges))
        return self.second(functional.dropout(x, 0.6, self.training), edges)


def main(path: str, seeds: int, epochs: int, threads: int) -> None:
    torch.set_num_threads(threads)
    file = np.load(path)
    rows, columns = (int(size) for size in file["shape"])
    x = torch.zeros(rows, columns)
    x[file["feat_row"], file["feat_col"]] = torch.from_numpy(file["feat_val"])
    x = x / x.sum(1, keepdim=True).clamp(min=1)
    one_way = torch.from_numpy(file["edges"]).T
    edges = torch.cat([one_way, one_way.flip(0)], 1)
    labels = torch.from_numpy(file["labels"])
    train, dev, test = (torch.from_numpy(file[name]) for name in ("train_idx", "val_idx", "test_idx"))
    accuracies, seconds = [], []
    for seed in range(1, seeds + 1):
        torch.manual_seed(seed)
        model = Network(columns, int(labels.max()) + 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
        best = (-1.0, 0.0)
        for epoch in range(1, epochs + 1):
            begun = time.perf_counter()
            model.train()
            optimizer.zero_grad()
            functional.cross_entropy(model(x, edges)[train], labels[train]).backward()
            optimizer.step()
            seconds.append(time.perf_counter() - begun)
            if epoch % EVERY == 0:
                model.eval()
                with torch.no_grad():
                    right = model(x, edges).argmax(1) == labels
                best = max(best, (float(right[dev].float().mean()), 100 * float(right[test].float().mean())))
        accuracies.append(best[1])
    print(json.dumps({"accuracy": accuracies, "seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
