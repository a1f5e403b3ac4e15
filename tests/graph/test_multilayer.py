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


def test_memory_maps_of_layers_and_of_integers_are_not_kept(tmp_path):
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


@pytest.mark.parametrize("features", [FEATURES, sp.csr_array(FEATURES)], ids=["dense", "sparse"])
def test_stored_arrays_cannot_be_written_to(arrays_of, features):
    graph = MultilayerGraph([PATH, sp.csr_array(PAIRS)], features, node_ids=["a", "b", "c", "d"])
    for part in arrays_of(graph):
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
def test_a_copy_is_equal_and_as_immutable(arrays_of, copied):
    graph = MultilayerGraph([PATH], FEATURES)
    twin = copied(graph)
    for part, other in zip(arrays_of(graph), arrays_of(twin), strict=True):
        np.testing.assert_array_equal(part, other)
        assert not other.flags.writeable


@pytest.mark.parametrize("kind", ["dense", "csr", "coo", "frame"])
def test_what_the_user_passed_is_neither_changed_nor_kept(kind):
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
