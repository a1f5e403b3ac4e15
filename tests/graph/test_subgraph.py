"""The graph of some of the nodes: all that belongs to them, and errors about positions."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph

PATH = np.array([[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 3], [0, 0, 3, 0]])
PAIRS = np.array([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 7], [0, 0, 7, 0]])
FEATURES = np.array([[0.5, 1], [2, 3], [4, 5], [6, 8]])


@pytest.fixture
def whole():
    features = pd.DataFrame(FEATURES, index=list("abcd"), columns=["height", "weight"])
    last_missing = np.array([True, True, True, False])
    pairs = PAIRS * np.outer(last_missing, last_missing)
    return MultilayerGraph({"path": PATH, "pairs": pairs}, features, present=[None, last_missing])


def test_a_subgraph_keeps_all_that_belongs_to_its_nodes(arrays_of, whole):
    order = [3, 0, 1]
    part = whole.subgraph(order)
    for layer, of_whole in zip(part.layers, whole.layers, strict=True):
        np.testing.assert_array_equal(layer.toarray(), of_whole.toarray()[np.ix_(order, order)])
    np.testing.assert_array_equal(part.features, FEATURES[order])
    assert part.node_ids.tolist() == ["d", "a", "b"]
    assert part.layer_names == ("path", "pairs")
    assert part.feature_names == ("height", "weight")
    np.testing.assert_array_equal(part.present, [[True, True, True], [False, True, True]])
    for matrix in arrays_of(part):
        assert not matrix.flags.writeable


def test_a_mask_chooses_the_same_nodes_as_their_positions(arrays_of, whole):
    by_mask, by_position = whole.subgraph([True, True, False, True]), whole.subgraph([0, 1, 3])
    for one, other in zip(arrays_of(by_mask), arrays_of(by_position), strict=True):
        np.testing.assert_array_equal(one, other)


def test_all_nodes_are_the_graph_and_a_part_of_a_part_is_a_part(arrays_of, whole):
    for one, other in zip(arrays_of(whole), arrays_of(whole.subgraph(np.arange(4))), strict=True):
        np.testing.assert_array_equal(one, other)
    twice = whole.subgraph([3, 2, 1, 0]).subgraph([2, 3])
    for one, other in zip(arrays_of(twice), arrays_of(whole.subgraph([1, 0])), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("features", [None, "sparse", "mapped"])
def test_subgraphs_with_other_features(features, tmp_path):
    np.save(tmp_path / "features.npy", FEATURES)
    given = {"sparse": sp.csr_array(FEATURES), "mapped": np.load(tmp_path / "features.npy", mmap_mode="r")}
    part = MultilayerGraph([PATH], given.get(features)).subgraph([2, 1])
    if features is None:
        assert part.features is None
    else:
        held = part.features.toarray() if features == "sparse" else part.features
        np.testing.assert_array_equal(held, FEATURES[[2, 1]])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([0, 4], "nodes must be positions from 0 to 3"),
        ([-1, 0], "nodes must be positions from 0 to 3"),
        ([], "nodes must be positions from 0 to 3, at least one"),
        ([False] * 4, "nodes must be positions from 0 to 3, at least one"),
        ([[0, 1]], "nodes must be positions from 0 to 3"),
        (1, "nodes must be positions from 0 to 3"),
        ([0.5, 1.5], "nodes must be positions from 0 to 3"),
        (["a", "b"], "nodes must be positions from 0 to 3"),
        ([True, False, True], r"nodes is a mask of shape \(3,\), but the graph has 4 nodes"),
        ([0, 1, 1], "unique, but 'b'"),
    ],
)
def test_bad_positions(whole, nodes, message):
    with pytest.raises(ValueError, match=message):
        whole.subgraph(nodes)
