"""A graph that can be learnt: three crowds, whose members mostly know each other and have features that hint at it."""

from pathlib import Path

import numpy as np


def crowds(count: int = 90, seed: int = 1) -> dict[str, np.ndarray]:
    """Arrays as a .npz holds them: each node is known by 6 features of 12, its crowd's a little likelier."""
    chance = np.random.default_rng(seed)
    labels = np.arange(count) % 3
    pairs = chance.integers(count, size=(8 * count, 2))
    alike = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    edges = pairs[(pairs[:, 0] != pairs[:, 1]) & (alike | (chance.random(len(pairs)) < 0.05))]
    odds = np.where(np.arange(12)[None] % 3 == labels[:, None], 0.4, 0.25)
    features = (chance.random((count, 12)) < odds).astype(np.float32)
    order = chance.permutation(count)
    return {
        "edges": edges,
        "features": features,
        "labels": labels,
        "train_idx": np.sort(order[:30]),
        "val_idx": np.sort(order[30:60]),
        "test_idx": np.sort(order[60:]),
    }


def write_npz(path: Path, **arrays: np.ndarray) -> Path:
    np.savez(path, **arrays)
    return path


def write_tables(folder: Path, arrays: dict[str, np.ndarray], name: str = "crowd") -> tuple[Path, Path]:
    """The same graph as two tables."""
    nodes, edges = folder / f"{name}.nodes.tsv", folder / f"{name}.edges.tsv"
    parts = np.full(len(arrays["labels"]), "", dtype=object)
    for part, key in (("train", "train_idx"), ("dev", "val_idx"), ("test", "test_idx")):
        parts[arrays[key]] = part
    rows = ["\t".join(["id", "label", "part", *(f"f{n}" for n in range(12))])]
    for node, row in enumerate(arrays["features"]):
        rows.append("\t".join([f"n{node}", f"crowd{arrays['labels'][node]}", parts[node], *map(str, row)]))
    nodes.write_text("\n".join(rows) + "\n")
    edges.write_text("".join(f"n{one}\tn{other}\n" for one, other in arrays["edges"]))
    return nodes, edges
