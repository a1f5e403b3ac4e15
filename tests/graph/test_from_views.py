"""MultilayerGraph.from_views: a nearest-neighbour layer from each feature group."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from orthonet import MultilayerGraph

N = 30
RNG = np.random.default_rng(7)
SHAPE = RNG.integers(0, 100, size=(N, 3)).astype(float)
COLOUR = RNG.normal(size=(N, 4))
COUNTS = sp.random_array((N, 40), density=0.2, rng=RNG, format="csr")


def dense(layer):
    return layer.toarray()


def test_one_layer_a_view_and_the_features_side_by_side():
    graph = MultilayerGraph.from_views({"shape": SHAPE, "colour": COLOUR}, n_neighbors=4)
    assert graph.layer_names == ("shape", "colour")
    np.testing.assert_array_equal(graph.features, np.hstack([SHAPE, COLOUR]))
    for view, layer in zip((SHAPE, COLOUR), graph.layers, strict=True):
        alone = MultilayerGraph.from_views([view], n_neighbors=4)
        np.testing.assert_array_equal(dense(layer), dense(alone.layers[0]))


def test_each_node_has_at_least_k_neighbours_and_no_loop():
    layer = MultilayerGraph.from_views([SHAPE], n_neighbors=4).layers[0]
    assert np.diff(layer.indptr).min() >= 4
    assert not layer.diagonal().any()


KINDS = {
    "int": lambda v: v.astype(int),
    "float32": lambda v: v.astype(np.float32),
    "object": lambda v: v.astype(object),
    "Fortran": np.asfortranarray,
    "lists": np.ndarray.tolist,
    "np.matrix": np.asmatrix,
    "frame": pd.DataFrame,
    "nullable frame": lambda v: pd.DataFrame(v).convert_dtypes(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_view_gives_the_same_graph(kind):
    expected = MultilayerGraph.from_views([SHAPE], n_neighbors=3)
    graph = MultilayerGraph.from_views([KINDS[kind](SHAPE)], n_neighbors=3)
    np.testing.assert_allclose(dense(graph.layers[0]), dense(expected.layers[0]), rtol=1e-6)
    np.testing.assert_array_equal(graph.features, SHAPE)


def unsummed(matrix):
    """Return a CSR array each of whose entries is stored in two halves."""
    return sp.csr_array((np.repeat(matrix.data / 2, 2), np.repeat(matrix.indices, 2), matrix.indptr * 2), matrix.shape)


def long_indices(matrix):
    result = matrix.copy()
    result.indices, result.indptr = result.indices.astype(np.int64), result.indptr.astype(np.int64)
    return result


@pytest.mark.parametrize("convert", [sp.coo_matrix, sp.csc_array, sp.csr_matrix, long_indices, unsummed])
def test_every_kind_of_sparse_view_gives_the_same_graph(convert):
    expected = MultilayerGraph.from_views([COUNTS], n_neighbors=3)
    graph = MultilayerGraph.from_views([convert(COUNTS)], n_neighbors=3)
    np.testing.assert_allclose(dense(graph.layers[0]), dense(expected.layers[0]), rtol=1e-12)
    np.testing.assert_array_equal(graph.features.toarray(), COUNTS.toarray())


def test_sparse_and_dense_views_together_keep_features_sparse():
    graph = MultilayerGraph.from_views([COUNTS, SHAPE], n_neighbors=3)
    assert isinstance(graph.features, sp.csr_array)
    np.testing.assert_array_equal(graph.features.toarray(), np.hstack([COUNTS.toarray(), SHAPE]))


def test_permuting_the_nodes_permutes_the_layers():
    order = RNG.permutation(N)
    graph = MultilayerGraph.from_views([SHAPE, COLOUR], n_neighbors=4)
    permuted = MultilayerGraph.from_views([SHAPE[order], COLOUR[order]], n_neighbors=4)
    for one, other in zip(graph.layers, permuted.layers, strict=True):
        np.testing.assert_allclose(dense(one)[np.ix_(order, order)], dense(other), rtol=1e-9)


def test_standardised_by_default_so_units_do_not_matter():
    in_other_units = SHAPE * [1, 1000, 0.01] + [5, 0, -3]
    one, other = (MultilayerGraph.from_views([view], n_neighbors=4).layers[0] for view in (SHAPE, in_other_units))
    np.testing.assert_allclose(dense(one), dense(other), rtol=1e-9)
    raw = MultilayerGraph.from_views([in_other_units], n_neighbors=4, feature_scaling="none").layers[0]
    assert (dense(raw) > 0).tolist() != (dense(one) > 0).tolist()


def test_views_are_not_changed():
    view = COLOUR.copy()
    view[3] = np.nan
    before = view.copy()
    MultilayerGraph.from_views([view, SHAPE], n_neighbors=3)
    np.testing.assert_array_equal(view, before)
    view[0] = 0  # still the user's to write


# Missing nodes


def test_a_row_of_nan_is_a_missing_node():
    view = COLOUR.copy()
    view[[2, 9]] = np.nan
    held = np.delete(np.arange(N), [2, 9])
    graph = MultilayerGraph.from_views([SHAPE, view], n_neighbors=3)

    assert graph.present[0].all()
    np.testing.assert_array_equal(np.flatnonzero(~graph.present[1]), [2, 9])
    layer = dense(graph.layers[1])
    assert not layer[[2, 9]].any()
    alone = MultilayerGraph.from_views([COLOUR[held]], n_neighbors=3)
    np.testing.assert_array_equal(layer[np.ix_(held, held)], dense(alone.layers[0]))
    np.testing.assert_allclose(graph.features[[2, 9], 3:], np.tile(COLOUR[held].mean(axis=0), (2, 1)))


def test_missing_rows_of_a_nullable_frame():
    frame = pd.DataFrame({"whole": range(N), "part": COLOUR[:, 0]}).astype({"whole": "Int64", "part": "Float64"})
    frame.loc[4] = pd.NA
    graph = MultilayerGraph.from_views([SHAPE, frame], n_neighbors=3)
    assert np.flatnonzero(~graph.present[1]).tolist() == [4]


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_a_hole_is_located_also_beside_a_missing_row(hole):
    view = COLOUR.copy()
    view[2] = np.nan
    view[5, 1] = hole
    with pytest.raises(ValueError, match=r"views\[1\].*1 entries.*at row 5, column 1"):
        MultilayerGraph.from_views([SHAPE, view], n_neighbors=3)


def test_a_node_missing_from_every_view():
    shape, colour = SHAPE.copy(), COLOUR.copy()
    shape[4], colour[4] = np.nan, np.nan
    with pytest.raises(ValueError, match=r"1 nodes are present in no layer \(the first at row 4\)"):
        MultilayerGraph.from_views([shape, colour], n_neighbors=3)


def test_too_few_nodes_left_in_a_view():
    view = COLOUR.copy()
    view[3:] = np.nan
    with pytest.raises(ValueError, match=r"n_neighbors=3 needs more than 3 nodes, but views\[1\] has 3"):
        MultilayerGraph.from_views([SHAPE, view], n_neighbors=3)


# Frames


def frames(**changes):
    index = [f"n{i}" for i in range(N)]
    shape = pd.DataFrame(SHAPE, index=index, columns=["x", "y", "z"])
    colour = pd.DataFrame(COLOUR, index=changes.get("index", index), columns=["r", "g", "b", "a"])
    return {"shape": shape, "colour": colour}


def test_frames_give_ids_and_feature_names():
    graph = MultilayerGraph.from_views(frames(), n_neighbors=3)
    assert graph.node_ids.tolist() == [f"n{i}" for i in range(N)]
    assert graph.feature_names == ("x", "y", "z", "r", "g", "b", "a")


def test_frames_in_another_order_are_refused():
    index = [f"n{i}" for i in (1, 0, *range(2, N))]
    with pytest.raises(ValueError, match=r"index of views\[1\] differs.*position 0: 'n1' instead of 'n0'"):
        MultilayerGraph.from_views(frames(index=index), n_neighbors=3)


@pytest.mark.parametrize("reorder", [lambda f: f[::-1], lambda f: f.sample(frac=1, random_state=0)])
def test_reordered_default_index_is_refused(reorder):
    frame = pd.DataFrame(SHAPE)
    with pytest.raises(ValueError, match="index of views"):
        MultilayerGraph.from_views([frame, reorder(frame)], n_neighbors=3)


# Bad input gets a sentence


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ([SHAPE, COLOUR[:-1]], rf"views\[1\] has {N - 1} rows, but the graph has {N} nodes"),
        ([], "views is empty"),
        ([SHAPE, np.ones((N, 2))], r"views\[1\]: all 2 columns are constant"),
        ([sp.csr_array(np.ones((N, 2)))], r"views\[0\]: all 2 columns are constant"),
        ([SHAPE.astype(str)], r"views\[0\] must hold real numbers"),
        ([SHAPE[:, 0]], r"views\[0\] must be 2-dimensional"),
        ([np.full((N, 2), np.nan)], r"views\[0\].*NaN at row 0, column 0"),
        ([SHAPE[:0]], r"views\[0\].*(0|no) rows"),
        ([SHAPE[:3]], r"n_neighbors=10 needs more than 10 nodes, but views\[0\] has 3"),
    ],
)
def test_a_bad_view_is_named(views, message):
    with pytest.raises(ValueError, match=message):
        MultilayerGraph.from_views(views)


@pytest.mark.filterwarnings("error")
def test_constant_columns_are_counted():
    with pytest.warns(UserWarning, match=r"views\[0\]: 2 of 5 columns are constant \(column 3, 4\)") as caught:
        MultilayerGraph.from_views([np.hstack([SHAPE, np.ones((N, 2))])], n_neighbors=3)
    assert caught[0].filename == __file__


def test_constant_columns_do_not_matter():
    with pytest.warns(UserWarning, match="constant"):
        graph = MultilayerGraph.from_views([np.hstack([SHAPE, np.full((N, 1), 0.1)])], n_neighbors=3)
    expected = MultilayerGraph.from_views([SHAPE], n_neighbors=3)
    np.testing.assert_allclose(dense(graph.layers[0]), dense(expected.layers[0]), rtol=1e-9)


@pytest.mark.parametrize("convert", [np.array, pd.DataFrame, sp.csr_array])
def test_a_single_matrix_instead_of_a_list(convert):
    with pytest.raises(TypeError, match=r"views must be a sequence.*\[matrix\]"):
        MultilayerGraph.from_views(convert(SHAPE))


@pytest.mark.parametrize("views", [None, (SHAPE for _ in range(2))], ids=["None", "generator"])
def test_something_else_instead_of_a_list(views):
    with pytest.raises(TypeError, match=f"views.*{type(views).__name__}"):
        MultilayerGraph.from_views(views)


def test_masked_entries_are_not_silently_unmasked():
    masked = np.ma.masked_array(SHAPE, mask=np.zeros_like(SHAPE, bool))
    masked[4] = np.ma.masked
    with pytest.raises((TypeError, ValueError), match="mask"):
        MultilayerGraph.from_views([COLOUR, masked], n_neighbors=3)


def test_node_ids_of_another_length():
    with pytest.raises(ValueError, match=f"node_ids holds 2 ids, but the graph has {N} nodes"):
        MultilayerGraph.from_views([SHAPE], n_neighbors=3, node_ids=["a", "b"])


def test_two_nodes():
    layer = dense(MultilayerGraph.from_views([[[0.0], [1.0]]], n_neighbors=1, weights="binary").layers[0])
    np.testing.assert_array_equal(layer, [[0, 1], [1, 0]])
