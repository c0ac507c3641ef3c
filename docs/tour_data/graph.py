"""A graph of three groups whose members mostly know one another, and numbers that tell little of who is who."""

from __future__ import annotations

from pathlib import Path

import numpy as np

GROUPS = ("north", "south", "east")
MEMBERS = 100
WITHIN, ACROSS = 0.06, 0.01  # how likely two of a group know one another, and two of different ones
TELLING = 0.8  # how far the mean of a group's number stands out of the noise, whose deviation is 1
NOISE = 5  # numbers that tell nothing
LEARNT, LOOKED_AT = 60, 90  # nodes with labels to learn from, and to look at meanwhile; the others are the test


def write(folder: Path) -> None:
    """Write groups.npz, and alone.npz, in which nobody knows anybody."""
    dice = np.random.default_rng(1)
    labels = np.repeat(np.arange(len(GROUPS)), MEMBERS)
    likely = np.where(labels[:, None] == labels, WITHIN, ACROSS)
    known = np.triu(dice.random(likely.shape) < likely, 1)
    telling = TELLING * np.eye(len(GROUPS))[labels]
    features = np.pad(telling, ((0, 0), (0, NOISE))) + dice.normal(size=(len(labels), len(GROUPS) + NOISE))
    train, dev, test = np.split(dice.permutation(len(labels)), [LEARNT, LEARNT + LOOKED_AT])
    for name, edges in (("groups", np.argwhere(known | known.T)), ("alone", np.zeros((0, 2), np.int64))):
        np.savez(
            folder / f"{name}.npz",
            edges=edges,
            features=features.astype(np.float32),
            labels=np.array(GROUPS)[labels],
            train_idx=train,
            val_idx=dev,
            test_idx=test,
        )
