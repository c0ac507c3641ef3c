"""Graphs from files: nodes with features and labels, the edges between them, and which nodes are for what.

`.npz` files of several habits are read, never a pickled object in them:

    edges (E, 2), or edge_index (2, E), or adj_indptr and adj_indices
    features or x (N, F), or feat_row, feat_col, feat_val and shape, or attr_data, attr_indices, attr_indptr, attr_shape
    labels or y (N), numbers or texts, a negative number for none; label_names, names of the nodes
    train_idx, val_idx or dev_idx, test_idx, or the same as _mask (N)

Tables are read by `mirada.corpora.graph_tables`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mirada.corpora.graph_tables import NODES, Table, read_tables
from mirada.corpora.opening import require_file
from mirada.corpora.pair import CorpusError

NOTHING, TRAIN, DEV, TEST = range(4)  # what a node is for
UNKNOWN: Final = -1  # the label of a node that has none
MOST_NODES, MOST_LABELS = 100_000_000, 10_000
LARGEST = 1 << 34  # bytes of all arrays, unpacked


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """Rows of features that are 0 but for those listed: row n has the places starts[n] to starts[n + 1]."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float32]
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1


Features = NDArray[np.float32] | SparseFeatures


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes by number, with all that is known of them."""

    edges: NDArray[np.int64]  # (E, 2): who looks, at whom
    features: Features
    labels: NDArray[np.int64]  # numbers of `label_names`, UNKNOWN where there is none
    label_names: tuple[str, ...]
    parts: NDArray[np.int8]  # NOTHING, TRAIN, DEV or TEST
    names: tuple[str, ...] | None = None  # of the nodes; their numbers where there are none

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def width(self) -> int:
        """How many features a node has."""
        return self.features.width if isinstance(self.features, SparseFeatures) else self.features.shape[1]


def read_graph(path: Path) -> Graph:
    """The graph of a file: a .npz, or a table of nodes beside its table of edges."""
    require_file(path)
    if path.name.endswith(NODES):
        return _of_table(read_tables(path), path)
    if path.suffix.lower() != ".npz":
        raise CorpusError(f"{path} is no graph; name a .npz file, or a table such as graph{NODES} beside its edges")
    with _opened(path) as arrays:
        return _of_arrays(arrays, path)


@contextmanager
def _opened(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """The arrays of a .npz, when they fit and are arrays."""
    try:
        with zipfile.ZipFile(path) as archive:
            total = sum(one.file_size for one in archive.infolist())
        if total > LARGEST:
            raise CorpusError(f"{path} unpacks to {total:,} bytes; at most {LARGEST:,} are read")
        with np.load(path, allow_pickle=False) as file:
            yield {name: file[name] for name in file.files}
    except (zipfile.BadZipFile, OSError, ValueError, EOFError) as error:
        if isinstance(error, CorpusError):
            raise
        raise CorpusError(f"{path} is no .npz file of plain arrays ({error}); write it with numpy.savez") from None


def _of_arrays(arrays: Mapping[str, NDArray[Any]], path: Path) -> Graph:
    labels, label_names = _labels(arrays, path)
    features = _features(arrays, len(labels), path)
    edges = _edges(arrays, len(labels), path)
    names = arrays.get("names")
    if names is not None and names.shape != labels.shape:
        raise CorpusError(f"{path}: {names.size:,} names for {len(labels):,} nodes; give one each")
    told = None if names is None else tuple(map(str, names.tolist()))
    return Graph(edges, features, labels, label_names, _parts(arrays, len(labels), path), told)


def _labels(arrays: Mapping[str, NDArray[Any]], path: Path) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    found = _one_of(arrays, ("labels", "y"), path)
    if found.ndim != 1 or not 1 <= len(found) <= MOST_NODES:
        raise CorpusError(
            f"{path}: labels have the shape {found.shape}; give one label for each node, at most {MOST_NODES:,}"
        )
    if found.dtype.kind in "US":
        return number_labels([str(one) or None for one in found.tolist()], path)
    labels = _whole(found, "labels", path)
    count = int(labels.max(initial=UNKNOWN)) + 1
    names = arrays.get("label_names")
    told = tuple(map(str, range(count))) if names is None else tuple(map(str, names.tolist()))
    if len(told) < count or len(told) > MOST_LABELS:
        raise CorpusError(
            f"{path}: labels go up to {count - 1:,} for {len(told):,} names; at most {MOST_LABELS:,} are allowed"
        )
    return np.maximum(labels, UNKNOWN), told


def number_labels(names: Sequence[str | None], path: Path) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Labels as numbers of their sorted names."""
    different = tuple(sorted({name for name in names if name is not None}))
    if len(different) > MOST_LABELS:
        raise CorpusError(f"{path} has {len(different):,} different labels; at most {MOST_LABELS:,} are allowed")
    numbers = {name: number for number, name in enumerate(different)}
    return np.array([UNKNOWN if name is None else numbers[name] for name in names], dtype=np.int64), different


def _features(arrays: Mapping[str, NDArray[Any]], count: int, path: Path) -> Features:
    for dense in ("features", "x"):
        if dense in arrays:
            found = arrays[dense]
            if found.ndim != 2 or len(found) != count or found.shape[1] < 1:
                raise CorpusError(
                    f"{path}: {dense} has the shape {found.shape}; give a row for each of {count:,} nodes"
                )
            return _finite(found, dense, path)
    if "attr_indptr" in arrays:
        columns, shape = (
            _whole(_get(arrays, "attr_indices", path), "attr_indices", path),
            _get(arrays, "attr_shape", path),
        )
        starts = _whole(arrays["attr_indptr"], "attr_indptr", path)
        return _sparse(starts, columns, _get(arrays, "attr_data", path), int(shape[1]), count, path)
    rows = _whole(_one_of(arrays, ("feat_row",), path), "feat_row", path)
    columns, shape = _whole(_get(arrays, "feat_col", path), "feat_col", path), _get(arrays, "shape", path)
    _require_within(rows, count, "feat_row", path)
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(count + 1))
    return _sparse(starts, columns[order], _get(arrays, "feat_val", path)[order], int(shape[1]), count, path)


def _sparse(
    starts: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[Any],
    width: int,
    count: int,
    path: Path,
) -> SparseFeatures:
    whole = len(starts) == count + 1 and starts[0] == 0 and starts[-1] == len(columns) and (np.diff(starts) >= 0).all()
    if not whole or len(values) != len(columns) or not 1 <= width <= MOST_NODES:
        raise CorpusError(
            f"{path}: the sparse features do not fit {count:,} nodes; write them as rows, columns, values"
        )
    _require_within(columns, width, "the columns of features", path)
    return SparseFeatures(starts.astype(np.int64), columns, _finite(values, "features", path), width)


def _edges(arrays: Mapping[str, NDArray[Any]], count: int, path: Path) -> NDArray[np.int64]:
    if "adj_indptr" in arrays:
        starts = _whole(arrays["adj_indptr"], "adj_indptr", path)
        keys = _whole(_get(arrays, "adj_indices", path), "adj_indices", path)
        if len(starts) != count + 1 or starts[0] != 0 or starts[-1] != len(keys) or (np.diff(starts) < 0).any():
            raise CorpusError(f"{path}: adj_indptr does not fit {count:,} nodes and {len(keys):,} edges")
        found = np.stack([np.repeat(np.arange(count), np.diff(starts)), keys], 1)
    else:
        found = _one_of(arrays, ("edges", "edge_index"), path)
        if "edges" not in arrays:
            found = found.T
        if found.ndim != 2 or found.shape[1] != 2:
            raise CorpusError(f"{path}: edges have the shape {found.shape}; give two nodes for each edge")
        found = _whole(found, "edges", path)
    _require_within(found, count, "edges", path)
    return found


def _parts(arrays: Mapping[str, NDArray[Any]], count: int, path: Path) -> NDArray[np.int8]:
    parts = np.full(count, NOTHING, dtype=np.int8)
    for part, prefixes in ((TRAIN, ("train",)), (DEV, ("val", "dev", "valid")), (TEST, ("test",))):
        for prefix in prefixes:
            chosen = _chosen(arrays, prefix, count, path)
            if chosen is None:
                continue
            taken = parts[chosen] != NOTHING
            if taken.any():
                node = int(chosen[np.flatnonzero(taken)[0]])
                raise CorpusError(f"{path}: node {node} is in {prefix} and in another part; give each node one")
            parts[chosen] = part
    return parts


def _chosen(arrays: Mapping[str, NDArray[Any]], prefix: str, count: int, path: Path) -> NDArray[np.int64] | None:
    mask = arrays.get(f"{prefix}_mask")
    if mask is not None:
        if mask.shape != (count,):
            raise CorpusError(
                f"{path}: {prefix}_mask has the shape {mask.shape}; give one value for each of {count:,} nodes"
            )
        return np.flatnonzero(mask)
    if f"{prefix}_idx" not in arrays:
        return None
    chosen = _whole(arrays[f"{prefix}_idx"], f"{prefix}_idx", path)
    _require_within(chosen, count, f"{prefix}_idx", path)
    return np.unique(chosen)


def _one_of(arrays: Mapping[str, NDArray[Any]], names: Sequence[str], path: Path) -> NDArray[Any]:
    for name in names:
        if name in arrays:
            return arrays[name]
    known = ", ".join(sorted(arrays)) or "nothing"
    raise CorpusError(f"{path} has no {' or '.join(names)}; it holds {known}")


def _get(arrays: Mapping[str, NDArray[Any]], name: str, path: Path) -> NDArray[Any]:
    return _one_of(arrays, (name,), path)


def _whole(found: NDArray[Any], name: str, path: Path) -> NDArray[np.int64]:
    if found.dtype.kind not in "iu":
        raise CorpusError(f"{path}: {name} are of the type {found.dtype}; give whole numbers")
    return found.astype(np.int64)


def _finite(found: NDArray[Any], name: str, path: Path) -> NDArray[np.float32]:
    if found.dtype.kind not in "iufb":
        raise CorpusError(f"{path}: {name} are of the type {found.dtype}; give numbers")
    numbers: NDArray[np.float32] = found.astype(np.float32)
    if not np.isfinite(numbers).all():
        raise CorpusError(f"{path}: {name} hold what is no finite number; replace it first")
    return numbers


def _require_within(found: NDArray[np.int64], count: int, name: str, path: Path) -> None:
    if found.size and not (found.min() >= 0 and found.max() < count):
        worst = int(found.max()) if found.max() >= count else int(found.min())
        raise CorpusError(f"{path}: {name} name {worst}, but there are 0 to {count - 1}")


def _of_table(table: Table, path: Path) -> Graph:
    labels, names = number_labels(table.labels, path)
    words = {"": NOTHING, "train": TRAIN, "dev": DEV, "val": DEV, "test": TEST}
    strange = sorted({part for part in table.parts if part not in words})
    if strange:
        raise CorpusError(f"{path}: the part {strange[0]!r} is not known; use train, dev, test or nothing")
    parts = np.array([words[part] for part in table.parts], dtype=np.int8)
    features = _finite(table.features, "features", path)
    return Graph(table.edges, features, labels, names, parts, table.names)
