"""Graphs from files: every habit of writing them gives the same graph, and what is wrong is told."""

from pathlib import Path

import numpy as np
import pytest

from mirada.corpora.graph_joining import divide, for_one_part, join, neighbours, renumber, scale, suited_scaling
from mirada.corpora.graphs import DEV, NOTHING, TEST, TRAIN, Graph, SparseFeatures, read_graph
from mirada.corpora.pair import CorpusError
from tests.graphs import crowds, write_npz, write_tables

ARRAYS = crowds()


def dense(graph: Graph) -> np.ndarray:
    if not isinstance(graph.features, SparseFeatures):
        return graph.features
    found = np.zeros((len(graph), graph.width), dtype=np.float32)
    rows = np.repeat(np.arange(len(graph)), np.diff(graph.features.starts))
    found[rows, graph.features.columns] = graph.features.values
    return found


def habits() -> dict[str, dict[str, np.ndarray]]:
    features, labels = ARRAYS["features"], ARRAYS["labels"]
    rows, columns = np.nonzero(features)
    starts = np.searchsorted(rows, np.arange(len(features) + 1))
    order = np.random.default_rng(3).permutation(len(rows))
    parts = {name: array for name, array in ARRAYS.items() if name.endswith("_idx")}
    masks = {name.replace("_idx", "_mask"): np.isin(np.arange(len(labels)), array) for name, array in parts.items()}
    by_row = ARRAYS["edges"][np.argsort(ARRAYS["edges"][:, 0], kind="stable")]
    return {
        "dense": ARRAYS,
        "masks": {"x": features, "y": labels, "edge_index": ARRAYS["edges"].T, **masks},
        "listed": {
            "feat_row": rows[order],
            "feat_col": columns[order],
            "feat_val": features[rows, columns][order],
            "shape": np.array(features.shape),
            "labels": labels,
            "edges": ARRAYS["edges"],
            **parts,
        },
        "csr": {
            "attr_data": features[rows, columns],
            "attr_indices": columns,
            "attr_indptr": starts,
            "attr_shape": np.array(features.shape),
            "adj_indices": by_row[:, 1],
            "adj_indptr": np.searchsorted(by_row[:, 0], np.arange(len(labels) + 1)),
            "labels": labels,
            **parts,
        },
    }


@pytest.mark.parametrize("habit", habits())
def test_all_habits_give_the_same_graph(habit: str, tmp_path: Path) -> None:
    graph = read_graph(write_npz(tmp_path / "graph.npz", **habits()[habit]))
    np.testing.assert_array_equal(dense(graph), ARRAYS["features"])
    np.testing.assert_array_equal(graph.labels, ARRAYS["labels"])
    for part, name in ((TRAIN, "train_idx"), (DEV, "val_idx"), (TEST, "test_idx")):
        np.testing.assert_array_equal(np.flatnonzero(graph.parts == part), ARRAYS[name])
    found, wanted = (neighbours(edges, len(graph), both=True) for edges in (graph.edges, ARRAYS["edges"]))
    np.testing.assert_array_equal(found[0], wanted[0])
    np.testing.assert_array_equal(found[1], wanted[1])


def test_tables_give_the_same_graph(tmp_path: Path) -> None:
    nodes, _ = write_tables(tmp_path, ARRAYS)
    graph = read_graph(nodes)
    np.testing.assert_array_equal(graph.features, ARRAYS["features"])
    np.testing.assert_array_equal(graph.labels, ARRAYS["labels"])
    np.testing.assert_array_equal(graph.edges, ARRAYS["edges"])
    assert graph.label_names == ("crowd0", "crowd1", "crowd2")
    assert graph.names is not None
    assert graph.names[:2] == ("n0", "n1")
    np.testing.assert_array_equal(np.flatnonzero(graph.parts == DEV), ARRAYS["val_idx"])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"edges": np.array([[0, 90]])}, "edges name 90, but there are 0 to 89"),
        ({"edges": np.array([[0, -1]])}, "edges name -1"),
        ({"edges": np.array([[0.5, 1.0]])}, "edges are of the type float64"),
        ({"edges": np.zeros((3, 3), dtype=int)}, r"edges have the shape \(3, 3\)"),
        ({"features": np.zeros((89, 2))}, r"features has the shape \(89, 2\); give a row for each of 90 nodes"),
        ({"features": np.full((90, 2), np.nan)}, "features hold what is no finite number"),
        ({"labels": np.zeros((90, 2), dtype=int)}, r"labels have the shape \(90, 2\)"),
        ({"labels": np.zeros(90)}, "labels are of the type float64; give whole numbers"),
        ({"labels": np.full(90, 20_000)}, "at most 10,000 are allowed"),
        ({"val_idx": np.array([90])}, "val_idx name 90"),
        ({"val_idx": np.arange(90)}, "is in val and in another part"),
        ({"test_mask": np.ones(89, dtype=bool)}, r"test_mask has the shape \(89,\)"),
        ({"names": np.array(["a"])}, "1 names for 90 nodes"),
        ({"labels": np.array([{"a": 1}] * 90, dtype=object)}, r"no \.npz file of plain arrays"),
    ],
)
def test_what_is_wrong_is_told(change: dict[str, np.ndarray], told: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=told):
        read_graph(write_npz(tmp_path / "graph.npz", **{**ARRAYS, **change}))


def test_other_files_are_told(tmp_path: Path) -> None:
    path = tmp_path / "graph.npz"
    path.write_text("no zip")
    with pytest.raises(CorpusError, match=r"no \.npz file of plain arrays"):
        read_graph(path)
    with pytest.raises(CorpusError, match="has no edges or edge_index; it holds features, labels"):
        read_graph(write_npz(path, labels=ARRAYS["labels"], features=ARRAYS["features"]))
    other = tmp_path / "graph.txt"
    other.write_text("x")
    with pytest.raises(CorpusError, match=r"is no graph; name a \.npz file"):
        read_graph(other)


@pytest.mark.parametrize(
    ("nodes", "edges", "told"),
    [
        ("id\tf\na\t1\n", "", "needs a header with id, label"),
        ("id\tlabel\na\tx\n", "", "has no feature"),
        ("id\tlabel\tf\na\tx\t1\na\tx\t1\n", "", "tsv:3: the node 'a' stands here for the second time"),
        ("id\tlabel\tf\na\tx\tone\n", "", "tsv:2 has a feature that is no number"),
        ("id\tlabel\tf\na\tx\n", "", "tsv:2 has 2 columns, and 3 are expected"),
        ("id\tlabel\tf\na\tx\t1\n", "a\tb\n", "tsv:1: the node 'b' is not in the table of nodes"),
        ("id\tlabel\tpart\tf\na\tx\tnone\t1\n", "", "the part 'none' is not known"),
    ],
)
def test_what_is_wrong_with_tables_is_told(nodes: str, edges: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "x.nodes.tsv").write_text(nodes)
    (tmp_path / "x.edges.tsv").write_text(edges)
    with pytest.raises(CorpusError, match=told):
        read_graph(tmp_path / "x.nodes.tsv")


def test_neighbours_by_hand() -> None:
    edges = np.array([[0, 1], [1, 0], [2, 0], [2, 2], [2, 0]])
    starts, keys = neighbours(edges, 4, both=False)
    assert (starts.tolist(), keys.tolist()) == ([0, 1, 2, 3, 3], [1, 0, 0])
    starts, keys = neighbours(edges, 4, both=True)
    assert (starts.tolist(), keys.tolist()) == ([0, 2, 3, 4, 4], [1, 2, 0, 0])


def test_graphs_join_side_by_side_with_their_labels_by_name(tmp_path: Path) -> None:
    one = read_graph(write_npz(tmp_path / "one.npz", **ARRAYS))
    rows, columns = np.nonzero(ARRAYS["features"])
    sparse = SparseFeatures(np.searchsorted(rows, np.arange(91)), columns, np.ones(len(rows), dtype=np.float32), 12)
    other = Graph(one.edges, sparse, one.labels, ("2", "1", "0"), one.parts)
    both = join([for_one_part(one, TRAIN), for_one_part(other, DEV)])
    np.testing.assert_array_equal(dense(both), np.concatenate([ARRAYS["features"]] * 2))
    assert both.label_names == ("0", "1", "2")
    np.testing.assert_array_equal(both.labels[90:], 2 - one.labels)
    np.testing.assert_array_equal(both.edges[len(one.edges) :], one.edges + 90)
    assert both.parts.tolist() == [TRAIN] * 90 + [DEV] * 90
    narrow = Graph(one.edges, ARRAYS["features"][:, :5], one.labels, one.label_names, one.parts)
    with pytest.raises(CorpusError, match="5 and 12 features"):
        join([one, narrow])


def test_labels_get_other_numbers_by_name() -> None:
    assert renumber(np.array([0, 1, -1]), ("a", "b"), ("b", "c")).tolist() == [-1, 0, -1]


def test_parts_are_drawn_where_a_file_names_none() -> None:
    labels = np.array([0, 1, -1] * 30)
    graph = Graph(ARRAYS["edges"], ARRAYS["features"], labels, ("a", "b"), np.zeros(90, dtype=np.int8))
    divided = divide(graph, (0.1, 0.2), seed=1)
    assert [int((divided.parts == part).sum()) for part in (NOTHING, TRAIN, DEV, TEST)] == [30, 42, 6, 12]
    assert (divided.parts[labels < 0] == NOTHING).all()
    np.testing.assert_array_equal(divided.parts, divide(graph, (0.1, 0.2), seed=1).parts)
    assert (divided.parts != divide(graph, (0.1, 0.2), seed=2).parts).any()


def test_counted_rows_are_scaled_to_one() -> None:
    sparse = SparseFeatures(np.array([0, 2, 2, 3]), np.array([0, 2, 1]), np.array([1, 3, 5], dtype=np.float32), 3)
    assert suited_scaling(sparse) == "rows"
    found = scale(sparse, "rows")
    assert isinstance(found, SparseFeatures)
    assert found.values.tolist() == [0.25, 0.75, 1.0]
    assert suited_scaling(ARRAYS["features"]) == "none"
    np.testing.assert_allclose(scale(np.array([[1, 3], [0, 0]], dtype=np.float32), "rows"), [[0.25, 0.75], [0, 0]])
