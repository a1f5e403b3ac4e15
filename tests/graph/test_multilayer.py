"""MultilayerGraph from matrices: what it accepts, what it refuses and how, and that nobody can change it."""

import contextlib
import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph
from orthonet.graph.laplacian import LAPLACIAN_KINDS

PATH = np.array([[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 3], [0, 0, 3, 0]])
PAIRS = np.array([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 7], [0, 0, 7, 0]])
FEATURES = np.array([[0.5, 1], [2, 3], [4, 5], [6, 8]])


def long_indices(matrix):
    result = sp.csr_array(matrix)
    result.indices, result.indptr = result.indices.astype(np.int64), result.indptr.astype(np.int64)
    return result


def with_explicit_zeros_and_duplicates(matrix):
    entries = sp.coo_array(matrix)
    halves, zeros = np.repeat(entries.data / 2, 2), np.zeros(2)
    rows, columns = np.repeat(entries.row, 2), np.repeat(entries.col, 2)
    coordinates = (np.r_[rows, 0, 3], np.r_[columns, 3, 0])
    return sp.coo_array((np.r_[halves, zeros], coordinates), shape=matrix.shape)


def read_only(matrix):
    result = np.array(matrix)
    result.flags.writeable = False
    return result


KINDS = {
    "int": np.array,
    "uint8": lambda m: np.array(m, np.uint8),
    "float16": lambda m: np.array(m, np.float16),
    "float32": lambda m: np.array(m, np.float32),
    "long double": lambda m: np.array(m, np.longdouble),
    "object": lambda m: np.array(m, object),
    "Fortran": lambda m: np.asfortranarray(m, float),
    "strided": lambda m: np.repeat(m, 2, axis=1)[:, ::2],
    "read-only": read_only,
    "lists": lambda m: m.tolist(),
    "np.matrix": np.asmatrix,
    "frame": pd.DataFrame,
    "nullable frame": lambda m: pd.DataFrame(m).convert_dtypes(),
    "coo_matrix": sp.coo_matrix,
    "csc_matrix": sp.csc_matrix,
    "csr_matrix": sp.csr_matrix,
    "coo_array": sp.coo_array,
    "csc_array": sp.csc_array,
    "csr_array": sp.csr_array,
    "lil_array": sp.lil_array,
    "int64 indices": long_indices,
    "zeros and duplicates": with_explicit_zeros_and_duplicates,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_matrix_gives_the_same_graph(kind):
    graph = MultilayerGraph([KINDS[kind](PATH), KINDS[kind](PAIRS)], features=KINDS[kind](PATH))

    for layer, expected in zip(graph.layers, (PATH, PAIRS), strict=True):
        assert isinstance(layer, sp.csr_array)
        assert layer.dtype == np.float64
        assert layer.nnz == np.count_nonzero(expected)
        np.testing.assert_array_equal(layer.toarray(), expected)
    held = graph.features.toarray() if sp.issparse(graph.features) else graph.features
    np.testing.assert_array_equal(held, PATH)


@pytest.mark.parametrize("convert", [np.array, sp.csr_matrix, sp.coo_array, pd.DataFrame])
def test_booleans_are_weights_of_one(convert):
    layer = MultilayerGraph([convert(PATH > 0)]).layers[0]
    np.testing.assert_array_equal(layer.toarray(), (PATH > 0).astype(float))


def test_a_stack_of_matrices_is_a_sequence_of_layers():
    graph = MultilayerGraph(np.stack([PATH, PAIRS]))
    assert (graph.n_layers, graph.n_nodes) == (2, 4)
    np.testing.assert_array_equal(graph.layers[1].toarray(), PAIRS)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_memory_map_of_features_stays_in_its_file(tmp_path, mode, dtype):
    np.save(tmp_path / "features.npy", FEATURES.astype(dtype))
    mapped = np.load(tmp_path / "features.npy", mmap_mode=mode)
    graph = MultilayerGraph([PATH], features=mapped)
    assert isinstance(graph.features, np.memmap)
    assert np.shares_memory(graph.features, mapped)
    assert graph.features.dtype == dtype
    np.testing.assert_array_equal(graph.features, FEATURES)
    assert mapped.flags.writeable == (mode != "r")
    with pytest.raises(ValueError, match="read-only"):
        graph.features[0, 0] = 9


def test_memory_maps_of_layers_and_of_integers_are_not_held(tmp_path):
    np.save(tmp_path / "layer.npy", PATH)
    mapped = np.load(tmp_path / "layer.npy", mmap_mode="r+")
    graph = MultilayerGraph([mapped], features=mapped)
    assert not np.shares_memory(graph.features, mapped)
    mapped[:] = 9
    np.testing.assert_array_equal(graph.layers[0].toarray(), PATH)
    np.testing.assert_array_equal(graph.features, PATH)


def test_a_memory_map_with_a_hole_is_refused(tmp_path):
    np.save(tmp_path / "features.npy", np.where(FEATURES == 4, np.nan, FEATURES))
    with pytest.raises(ValueError, match=r"features.*1 entries.*NaN at row 2, column 0"):
        MultilayerGraph([PATH], np.load(tmp_path / "features.npy", mmap_mode="r"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("lengths", [[4], [1, 3], [2, 0, 2], [1, 1, 1, 1]], ids=str)
def test_blocks_of_rows_one_after_another_are_the_features(lengths, dtype):
    features = FEATURES.astype(dtype)
    blocks = np.split(features, np.cumsum(lengths)[:-1])
    whole = MultilayerGraph([PATH], features)
    graph = MultilayerGraph([PATH], iter(blocks))
    np.testing.assert_array_equal(graph.features, whole.features)
    assert graph.features.dtype == whole.features.dtype
    assert isinstance(graph.features, np.memmap)
    assert not graph.features.flags.writeable


@pytest.mark.parametrize(
    ("blocks", "error", "message"),
    [
        ([FEATURES[:2], FEATURES[2:, :1]], ValueError, "features, block 1 has 1 columns, the blocks before it 2"),
        ([], ValueError, "features is an iterator that yields no rows"),
        ([FEATURES[:0]], ValueError, "features is an iterator that yields no rows"),
        ([FEATURES[:2], sp.csr_array(FEATURES[2:])], TypeError, "features, block 1 is sparse; blocks must be dense"),
        ([FEATURES[:2], FEATURES[2]], ValueError, "features, block 1 must be 2-dimensional"),
        ([FEATURES[:2], FEATURES[2:].astype(str)], ValueError, "features, block 1 must hold real numbers"),
        ([FEATURES[:3]], ValueError, "features has 3 rows, but the graph has 4 nodes"),
        ([FEATURES[:2], FEATURES[2:] * np.nan], ValueError, "features.*4 entries.*NaN at row 2, column 0"),
    ],
)
def test_bad_blocks_are_named(blocks, error, message):
    with pytest.raises(error, match=message):
        MultilayerGraph([PATH], iter(blocks))


def test_defaults_and_names():
    graph = MultilayerGraph([PATH, PAIRS])
    assert graph.layer_names == ("layer 0", "layer 1")
    assert graph.node_ids.tolist() == [0, 1, 2, 3]
    assert graph.features is None
    assert all(mask.all() for mask in graph.present)
    named = MultilayerGraph({"work": PATH, "lunch": PAIRS}, node_ids=["d", "c", "b", "a"])
    assert named.layer_names == ("work", "lunch")
    assert named.node_ids.tolist() == ["d", "c", "b", "a"]


def test_features_can_be_named():
    graph = MultilayerGraph([np.ones((3, 3))], np.eye(3)[:, :2], feature_names=["height", "weight"])
    assert graph.feature_names == ("height", "weight")
    assert graph.subgraph([2, 0]).feature_names == ("height", "weight")


def test_given_names_of_features_come_before_those_of_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2, 3]})
    assert MultilayerGraph([np.ones((3, 3))], frame, feature_names=["b"]).feature_names == ("b",)


def test_a_frame_with_a_column_twice_has_no_feature_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.eye(3), columns=["a", "b", "a"])
    assert MultilayerGraph([np.ones((3, 3))], frame).subgraph([0, 1]).feature_names is None


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["a"], ValueError, "feature_names holds 1 names for 2 features"),
        (["a", "a"], ValueError, "feature_names must be unique, but 'a' occurs more than once"),
        (["a", 3], TypeError, r"feature_names\[1\] must be a str, got 3 of type int"),
        ("ab", TypeError, "feature_names must be a sequence of names, got the string 'ab'"),
    ],
)
def test_wrong_names_of_features(names, error, message):
    with pytest.raises(error, match=message):
        MultilayerGraph([np.ones((3, 3))], np.eye(3)[:, :2], feature_names=names)


def test_names_of_features_need_features():
    with pytest.raises(ValueError, match="feature_names needs features to name"):
        MultilayerGraph([np.ones((3, 3))], feature_names=["a"])


def test_a_frame_gives_node_ids_and_feature_names():
    features = pd.DataFrame(FEATURES, index=["a", "b", "c", "d"], columns=["height", "weight"])
    graph = MultilayerGraph([PATH], features)
    assert graph.node_ids.tolist() == ["a", "b", "c", "d"]
    assert graph.feature_names == ("height", "weight")


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([7, 3, 5, 1]),
        pd.CategoricalIndex(["a", "b", "c", "d"]),
        pd.Index(["a", 1, 2.5, "d"], dtype=object),
        pd.MultiIndex.from_tuples([(1, 1), (1, 2), (2, 1), (2, 2)]),
        pd.DatetimeIndex(np.arange("2020-01-01", "2020-01-05", dtype="M8[D]").astype("M8[us]")),
        pd.DatetimeIndex(np.arange("2020-01-01", "2020-01-05", dtype="M8[D]").astype("M8[ns]")),
    ],
    ids=["integers", "categories", "mixed", "tuples", "microseconds", "nanoseconds"],
)
def test_any_index_of_a_frame_names_the_nodes(index):
    graph = MultilayerGraph([PATH], pd.DataFrame(FEATURES, index=index))
    assert list(index) == list(pd.Index(graph.node_ids))


def test_mixed_node_ids_keep_their_types():
    assert MultilayerGraph([PATH], node_ids=["a", 1, 2.5, b"d"]).node_ids.tolist() == ["a", 1, 2.5, b"d"]


def test_tuples_are_node_ids():
    ids = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert MultilayerGraph([PATH], node_ids=ids).node_ids.tolist() == ids


def test_permuting_the_nodes_permutes_the_graph():
    order = np.array([2, 0, 3, 1])
    graph = MultilayerGraph([PATH, PAIRS], FEATURES)
    permuted = MultilayerGraph([layer[np.ix_(order, order)] for layer in (PATH, PAIRS)], FEATURES[order])
    for kind in LAPLACIAN_KINDS:
        for one, other in zip(graph.laplacians(kind), permuted.laplacians(kind), strict=True):
            np.testing.assert_allclose(one.toarray()[np.ix_(order, order)], other.toarray(), atol=1e-15)


def test_self_loops_are_dropped():
    with_loops = MultilayerGraph([PATH + np.diag([9, 0, 9, 0])])
    np.testing.assert_array_equal(with_loops.layers[0].toarray(), PATH)


# Immutability


def parts(graph):
    """Every array that the graph holds."""
    for matrix in (*graph.layers, graph.features):
        yield from (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (matrix,)
    yield graph.node_ids
    yield from graph.present


@pytest.mark.parametrize("features", [FEATURES, sp.csr_array(FEATURES)], ids=["dense", "sparse"])
def test_stored_arrays_cannot_be_written_to(features):
    graph = MultilayerGraph([PATH, sp.csr_array(PAIRS)], features, node_ids=["a", "b", "c", "d"])
    for part in parts(graph):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = part[0]


@pytest.mark.parametrize("attribute", ["layers", "features", "node_ids", "present", "layer_names", "new"])
def test_attributes_cannot_be_set(attribute):
    graph = MultilayerGraph([PATH])
    with pytest.raises(AttributeError):
        setattr(graph, attribute, None)


@pytest.mark.parametrize(
    "change", [lambda one: one.setdiag(1), lambda one: one.__imul__(2), lambda one: one.__setitem__((0, 1), 7)]
)
def test_the_graph_is_not_changed_through_the_methods_of_a_layer(change):
    graph = MultilayerGraph([PATH])
    with contextlib.suppress(ValueError):  # some methods refuse, others change the shell that the caller got
        change(graph.layers[0])
    np.testing.assert_array_equal(graph.layers[0].toarray(), PATH)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))])  # noqa: S301
def test_a_copy_is_equal_and_as_immutable(copied):
    graph = MultilayerGraph([PATH], FEATURES)
    twin = copied(graph)
    for part, other in zip(parts(graph), parts(twin), strict=True):
        np.testing.assert_array_equal(part, other)
        assert not other.flags.writeable


@pytest.mark.parametrize("kind", ["dense", "csr", "coo", "frame"])
def test_what_the_user_passed_is_not_changed_nor_held(kind):
    convert = {"dense": np.array, "csr": sp.csr_array, "coo": sp.coo_array, "frame": pd.DataFrame}[kind]
    layer, features = convert(PATH + np.eye(4)), convert(FEATURES)
    untouched = copy.deepcopy((layer, features))
    mask = np.ones(4, bool)
    graph = MultilayerGraph([layer], features, present=[mask])

    for passed, before in zip((layer, features), untouched, strict=True):
        if kind == "frame":
            pd.testing.assert_frame_equal(passed, before)
        else:
            np.testing.assert_array_equal(
                passed.toarray() if sp.issparse(passed) else passed, before.toarray() if sp.issparse(before) else before
            )
    if kind in ("csr", "coo"):
        layer.data[:], features.data[:] = 9, 9
    elif kind == "dense":
        layer[:], features[:] = 9, 9
    mask[:] = False
    np.testing.assert_array_equal(graph.layers[0].toarray(), PATH)
    held = graph.features.toarray() if sp.issparse(graph.features) else graph.features
    np.testing.assert_array_equal(held, FEATURES)
    assert graph.present[0].all()


def test_the_users_node_ids_stay_theirs():
    ids = np.array([10, 11, 12, 13])
    graph = MultilayerGraph([PATH], node_ids=ids)
    ids[0] = 99
    assert graph.node_ids.tolist() == [10, 11, 12, 13]


# Bad input gets a sentence


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


@pytest.fixture
def whole():
    features = pd.DataFrame(FEATURES, index=list("abcd"), columns=["height", "weight"])
    last_missing = np.array([True, True, True, False])
    pairs = PAIRS * np.outer(last_missing, last_missing)
    return MultilayerGraph({"path": PATH, "pairs": pairs}, features, present=[None, last_missing])


def test_a_subgraph_keeps_all_that_belongs_to_its_nodes(whole):
    order = [3, 0, 1]
    part = whole.subgraph(order)
    for layer, of_whole in zip(part.layers, whole.layers, strict=True):
        np.testing.assert_array_equal(layer.toarray(), of_whole.toarray()[np.ix_(order, order)])
    np.testing.assert_array_equal(part.features, FEATURES[order])
    assert part.node_ids.tolist() == ["d", "a", "b"]
    assert part.layer_names == ("path", "pairs")
    assert part.feature_names == ("height", "weight")
    np.testing.assert_array_equal(part.present, [[True, True, True], [False, True, True]])
    for matrix in parts(part):
        assert not matrix.flags.writeable


def test_a_mask_chooses_the_same_nodes_as_their_positions(whole):
    by_mask, by_position = whole.subgraph([True, True, False, True]), whole.subgraph([0, 1, 3])
    for one, other in zip(parts(by_mask), parts(by_position), strict=True):
        np.testing.assert_array_equal(one, other)


def test_all_nodes_are_the_graph_and_a_part_of_a_part_is_a_part(whole):
    for one, other in zip(parts(whole), parts(whole.subgraph(np.arange(4))), strict=True):
        np.testing.assert_array_equal(one, other)
    twice = whole.subgraph([3, 2, 1, 0]).subgraph([2, 3])
    for one, other in zip(parts(twice), parts(whole.subgraph([1, 0])), strict=True):
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
