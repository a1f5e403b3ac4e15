"""What a multilayer graph refuses, each with an error that names the argument and the place."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph

PATH = np.array([[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 3], [0, 0, 3, 0]])
PAIRS = np.array([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 7], [0, 0, 7, 0]])
FEATURES = np.array([[0.5, 1], [2, 3], [4, 5], [6, 8]])


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([PATH, PAIRS[:3, :3]], r"layers\[1\] is 3 x 3, but the graph has 4 nodes"),
        ([PATH, PAIRS[:3]], r"layers\[1\] must be square.*3 x 4"),
        ([PATH[None]], r"layers\[0\] must be 2-dimensional, got shape \(1, 4, 4\)"),
        ([PATH, -PAIRS], r"layers\[1\] has 4 negative weights, the first -5 at row 0, column 1"),
        ([PATH, np.where(PAIRS == 7, np.nan, PAIRS)], r"layers\[1\].*2 entries.*NaN at row 2, column 3"),
        ([sp.csr_array(np.where(PATH == 3, np.inf, PATH))], r"layers\[0\].*2 entries.*infinity at row 2, column 3"),
        ([PATH, np.zeros((4, 4))], r"layers\[1\] has no edges"),
        ([np.eye(4)], r"layers\[0\] has no edges"),
        ([np.zeros((1, 1))], r"layers\[0\] has no edges"),
        ([PATH.astype(str)], r"layers\[0\] must hold real numbers, got dtype <U"),
        ([np.array([["", "a"], ["a", ""]], object)], r"layers\[0\] must hold numbers.*"),
        ([PATH.astype(complex)], r"layers\[0\] must hold real numbers, got dtype complex"),
        ([], "layers is empty"),
        ({}, "layers is empty"),
    ],
)
def test_a_bad_layer_is_named(layers, message):
    with pytest.raises(ValueError, match=message):
        MultilayerGraph(layers)


def test_a_named_layer_is_called_by_its_name():
    with pytest.raises(ValueError, match=r"layers\[1\] \('lunch'\) is 3 x 3"):
        MultilayerGraph({"work": PATH, "lunch": PAIRS[:3, :3]})


@pytest.mark.parametrize("convert", [np.array, sp.csr_array, sp.coo_matrix, pd.DataFrame, np.asmatrix])
def test_a_single_matrix_instead_of_a_list(convert):
    with pytest.raises(TypeError, match=r"layers must be a sequence.*\[matrix\]"):
        MultilayerGraph(convert(PATH))


@pytest.mark.parametrize("layers", [None, 5, (PATH for _ in range(2))], ids=["None", "number", "generator"])
def test_something_else_instead_of_a_list(layers):
    with pytest.raises(TypeError, match=f"layers.*{type(layers).__name__}"):
        MultilayerGraph(layers)


def test_asymmetry_is_measured_and_symmetrize_offered():
    directed = PATH.astype(float)
    directed[0, 1], directed[2, 3] = 1.5, 5
    with pytest.raises(ValueError, match=r"2 pairs.*by up to 2 \(.*row.*symmetrize='mean', 'max' or 'min'"):
        MultilayerGraph([directed])


@pytest.mark.parametrize(("how", "expected"), [("mean", 1.25), ("max", 1.5), ("min", 1.0)])
@pytest.mark.parametrize("convert", [np.array, sp.csc_matrix])
def test_symmetrize(how, expected, convert):
    directed = PATH.astype(float)
    directed[0, 1] = 1.5
    layer = MultilayerGraph([convert(directed)], symmetrize=how).layers[0].toarray()
    wanted = PATH.astype(float)
    wanted[0, 1] = wanted[1, 0] = expected
    np.testing.assert_array_equal(layer, wanted)


def test_symmetrize_min_of_one_way_edges_has_no_edges():
    with pytest.raises(ValueError, match="no edges"):
        MultilayerGraph([np.triu(PATH)], symmetrize="min")


def test_unknown_symmetrize():
    with pytest.raises(ValueError, match="symmetrize must be one of 'mean', 'max', 'min', got 'average'"):
        MultilayerGraph([PATH], symmetrize="average")


def test_rounding_is_not_asymmetry_and_leaves_no_trace():
    rounded = PATH * (1 + 1e-9 * np.arange(16).reshape(4, 4))
    layer = MultilayerGraph([rounded]).layers[0].toarray()
    np.testing.assert_array_equal(layer, layer.T)
    np.testing.assert_allclose(layer, PATH, rtol=1e-7)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (FEATURES[:3], "features has 3 rows, but the graph has 4 nodes"),
        (sp.csr_array(FEATURES[:3]), "features has 3 rows, but the graph has 4 nodes"),
        (FEATURES[:, 0], r"features must be 2-dimensional.*reshape\(-1, 1\)"),
        (FEATURES[:, :0], r"features must have at least one row and one column, got 4 rows, 0 columns"),
        (FEATURES[:, :, None], r"features must be 2-dimensional, got shape \(4, 2, 1\)"),
        (np.where(FEATURES == 4, np.nan, FEATURES), "features.*1 entries.*NaN at row 2, column 0"),
        (sp.csr_array(np.where(FEATURES == 8, np.inf, FEATURES)), "features.*infinity at row 3, column 1"),
        (FEATURES.astype(str), "features must hold real numbers, got dtype <U"),
        (pd.DataFrame({"a": [1, 2, 3, 4], "b": list("wxyz")}), "features must hold numbers.*'w'"),
    ],
)
def test_bad_features(features, message):
    with pytest.raises(ValueError, match=message):
        MultilayerGraph([PATH], features)


@pytest.mark.parametrize("matrix", ["layer", "features"])
def test_masked_entries_are_not_silently_unmasked(matrix):
    masked = np.ma.masked_equal(PATH, 2)
    with pytest.raises((TypeError, ValueError), match="mask"):
        MultilayerGraph([masked]) if matrix == "layer" else MultilayerGraph([PATH], masked)


@pytest.mark.parametrize(
    ("node_ids", "message"),
    [
        (["a", "b", "a", "c"], "node_ids must be unique, but 'a' occurs"),
        ([1, 2, 3], "node_ids holds 3 ids, but the graph has 4 nodes"),
        ([1.0, 2.0, np.nan, np.nan], "node_ids"),
        ("abcd", "node_ids.*abcd"),
        (4, "node_ids.*4"),
        (np.eye(4), r"node_ids.*(4, 4|4 x 4|1-D|dimension)"),
    ],
)
def test_bad_node_ids(node_ids, message):
    with pytest.raises((TypeError, ValueError), match=message):
        MultilayerGraph([PATH], node_ids=node_ids)


def test_duplicate_labels_of_a_frame():
    with pytest.raises(ValueError, match="unique, but 'a'"):
        MultilayerGraph([PATH], pd.DataFrame(FEATURES, index=list("aabc")))


def test_frames_in_another_order_are_refused():
    layer = pd.DataFrame(PATH, index=list("abcd"), columns=list("abcd"))
    features = pd.DataFrame(FEATURES, index=list("abdc"))
    with pytest.raises(ValueError, match=r"index of features differs.*position 2: 'd' instead of 'c'"):
        MultilayerGraph([layer], features)
    with pytest.raises(ValueError, match=r"index of features differs.*position 0: 'a' instead of 'd'"):
        MultilayerGraph([PATH], features, node_ids=list("dcba"))


def test_rows_and_columns_of_an_adjacency_frame_must_agree():
    with pytest.raises(ValueError, match=r"columns of layers\[0\] are in another order"):
        MultilayerGraph([pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["b", "a"])])


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["a"], ValueError, "layer_names holds 1 names for 2 layers"),
        (["a", "a"], ValueError, "layer_names must be unique, but 'a'"),
        ("ab", TypeError, "layer_names must be a sequence of names, got the string 'ab'"),
    ],
)
def test_bad_layer_names(names, error, message):
    with pytest.raises(error, match=message):
        MultilayerGraph([PATH, PAIRS], layer_names=names)


# Nodes missing from a layer


def test_missing_nodes():
    half = np.array([True, True, False, False])
    only_first_pair = PAIRS * np.outer(half, half)
    graph = MultilayerGraph([PATH, only_first_pair], present=[None, half])
    np.testing.assert_array_equal(graph.present, [[True] * 4, half])


@pytest.mark.parametrize(
    ("present", "message"),
    [
        ([None, [True, True, False, True]], r"present\['pairs'\] says that 1 nodes are missing \(the first at row 2\)"),
        ([None, [1, 1, 1, 1]], r"present\['pairs'\] must be 4 booleans, got dtype int64"),
        ([None, [True] * 3], r"present\['pairs'\] must be 4 booleans.*\(3,\)"),
        ([None], "present must hold one mask for each of the 2 layers, got 1"),
    ],
)
def test_bad_masks(present, message):
    with pytest.raises(ValueError, match=message):
        MultilayerGraph({"path": PATH, "pairs": PAIRS}, present=present)


def test_a_node_in_no_layer():
    first_pair = np.zeros((4, 4))
    first_pair[0, 1] = first_pair[1, 0] = 1
    mask = [True, True, True, False]
    with pytest.raises(ValueError, match=r"1 nodes are present in no layer \(the first at row 3\)"):
        MultilayerGraph([first_pair, first_pair], present=[mask, mask])


# Some of the nodes
