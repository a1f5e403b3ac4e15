"""k-nearest-neighbour layers: weights against their formulas, approximate search against exact."""

import math
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from orthonet.graph import knn
from orthonet.graph.knn import WEIGHTINGS, knn_layer

# On a line, with k = 1: 0 and 1 choose each other, 3 chooses 1, 7 chooses 3. Each node's own scale: 1, 1, 2, 4.
LINE = np.array([[0.0], [1.0], [3.0], [7.0]])
EDGES_OF_LINE = {(0, 1): 1.0, (1, 2): 2.0, (2, 3): 4.0}
SCALES_OF_LINE = (1.0, 1.0, 2.0, 4.0)


@pytest.mark.parametrize(
    ("weights", "formula"),
    [
        ("self-tuning", lambda d, si, sj: math.exp(-(d**2) / (si * sj))),
        ("gaussian", lambda d, si, sj: math.exp(-(d**2) / (2 * 2.0**2))),  # the mean scale is (1 + 1 + 2 + 4) / 4 = 2
        ("reciprocal", lambda d, si, sj: 1 / d),
        ("binary", lambda d, si, sj: 1.0),
    ],
)
def test_weights_on_a_line(weights, formula):
    expected = np.zeros((4, 4))
    for (i, j), distance in EDGES_OF_LINE.items():
        expected[i, j] = expected[j, i] = formula(distance, SCALES_OF_LINE[i], SCALES_OF_LINE[j])
    np.testing.assert_allclose(knn_layer(LINE, 1, weights=weights).toarray(), expected, rtol=1e-12)


def test_cosine_weights_of_vectors_at_known_angles():
    angles = np.radians([0, 30, 90])
    vectors = np.c_[np.cos(angles), np.sin(angles)] * [[1], [5], [0.1]]
    layer = knn_layer(vectors, 1, weights="cosine", metric="cosine").toarray()
    expected = np.zeros((3, 3))
    expected[0, 1] = expected[1, 0] = math.cos(math.pi / 6)
    expected[1, 2] = expected[2, 1] = math.cos(math.pi / 3)
    np.testing.assert_allclose(layer, expected, atol=1e-12)


def test_opposite_vectors_have_no_negative_weight():
    layer = knn_layer(np.array([[1.0, 0], [-1, 0]]), 1, weights="cosine", metric="cosine")
    assert layer.nnz == 2
    np.testing.assert_allclose(layer.data, 0, atol=1e-30)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
def test_edges_are_the_nearest_of_all_pairs(metric):
    points = np.random.default_rng(0).normal(size=(60, 4))
    nearest = np.argsort(cdist(points, points, metric) + np.diag([np.inf] * 60), axis=1)[:, :5]
    chosen = np.zeros((60, 60), bool)
    np.put_along_axis(chosen, nearest, True, axis=1)
    layer = knn_layer(points, 5, weights="binary", metric=metric)
    np.testing.assert_array_equal(layer.toarray(), chosen | chosen.T)


@pytest.mark.parametrize("weights", WEIGHTINGS)
@pytest.mark.parametrize("n_dimensions", [3, 40])
def test_exact_layers_are_symmetric_without_loops(weights, n_dimensions):
    points = np.random.default_rng(1).normal(size=(200, n_dimensions))
    layer = knn_layer(points, 7, weights=weights, metric="cosine" if weights == "cosine" else "euclidean")
    assert abs(layer - layer.T).max() == 0
    assert not layer.diagonal().any()
    assert np.diff(layer.indptr).min() >= 7


@pytest.mark.parametrize("weights", WEIGHTINGS)
@pytest.mark.parametrize("n_dimensions", [3, 40])
@pytest.mark.parametrize("n_distinct", [1, 5, 25])
def test_duplicates_are_finite_positive_and_nearest(weights, n_dimensions, n_distinct):
    distinct = np.random.default_rng(2).normal(size=(n_distinct, n_dimensions))
    points = np.repeat(distinct, 50 // n_distinct, axis=0)
    layer = knn_layer(points, 3, weights=weights, metric="cosine" if weights == "cosine" else "euclidean")
    assert np.isfinite(layer.data).all()
    assert (layer.data > 0).all()
    assert not layer.diagonal().any()
    if n_distinct == 25:  # each point has one twin, to which no other edge is preferred
        twin = layer[np.arange(0, 50, 2), np.arange(1, 50, 2)]
        np.testing.assert_allclose(twin, layer.max(axis=1).toarray().ravel()[::2], rtol=1e-6)


def test_a_weight_that_underflows_is_still_an_edge():
    points = np.array([[0.0], [1e-4], [1.0], [1.0001]])
    layer = knn_layer(points, 2, weights="gaussian")
    far = knn_layer(np.r_[points, [[1e4]]], 2, weights="self-tuning")
    assert layer.nnz == knn_layer(points, 2, weights="binary").nnz
    assert far.nnz == knn_layer(np.r_[points, [[1e4]]], 2, weights="binary").nnz


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@pytest.mark.parametrize("weights", ["self-tuning", "gaussian", "binary"])
def test_the_unit_of_length_does_not_matter(weights, scale):
    points = np.random.default_rng(3).normal(size=(50, 3))
    one, other = (knn_layer(rows, 5, weights=weights).toarray() for rows in (points, scale * points))
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_sparse_features_give_the_layer_of_their_dense_twin():
    features = sp.random_array((80, 60), density=0.2, rng=np.random.default_rng(4), format="csr")
    np.testing.assert_allclose(knn_layer(features, 5).toarray(), knn_layer(features.toarray(), 5).toarray(), rtol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_neighbors": 4}, ValueError, "n_neighbors=4 needs more than 4 nodes, but features has 4"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors must be an integer >= 1, got 0"),
        ({"n_neighbors": 2.0}, TypeError, "n_neighbors must be an integer.*2.0 of type float"),
        ({"n_neighbors": True}, TypeError, "n_neighbors must be an integer.*True of type bool"),
        ({"weights": "heat"}, ValueError, "weights must be one of 'self-tuning'.*got 'heat'"),
        ({"metric": "crow"}, ValueError, "metric must be one of.*got 'crow'"),
        ({"metric": "precomputed"}, ValueError, "metric must be one of.*got 'precomputed'"),
        ({"metric": "mahalanobis"}, ValueError, "metric.*got 'mahalanobis'"),
        ({"search": "fast"}, ValueError, "search must be one of 'auto', 'exact', 'approximate', got 'fast'"),
        ({"weights": "cosine"}, ValueError, "weights='cosine' needs metric='cosine', got metric='euclidean'"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        knn_layer(LINE, **({"n_neighbors": 2} | arguments))


# Approximate search


def recall(found, wanted):
    """Share of the wanted edges that were found."""
    return (found.astype(bool) * wanted.astype(bool)).nnz / wanted.nnz


@pytest.fixture(scope="module")
def cloud():
    pytest.importorskip("pynndescent")
    return np.random.default_rng(5).normal(size=(2000, 20))


def test_approximate_search_finds_the_exact_neighbours(cloud):
    found = knn_layer(cloud, 10, weights="reciprocal", search="approximate")
    wanted = knn_layer(cloud, 10, weights="reciprocal", search="exact")
    assert recall(found, wanted) >= 0.95
    assert abs(found - found.T).max() == 0
    assert not found.diagonal().any()
    common = found.multiply(wanted.astype(bool)) - wanted.multiply(found.astype(bool))
    assert abs(common).max() <= 1e-4 * wanted.max()


def test_approximate_search_depends_on_nothing_but_its_seed(cloud):
    state = np.random.get_state()  # noqa: NPY002
    first = knn_layer(cloud[:500], 5, search="approximate", random_state=3)
    np.random.default_rng(0).normal(size=10)
    second = knn_layer(cloud[:500], 5, search="approximate", random_state=3)
    assert abs(first - second).max() == 0
    for before, after in zip(state, np.random.get_state(), strict=True):  # noqa: NPY002
        np.testing.assert_array_equal(before, after)


def test_approximate_search_among_duplicates(cloud):
    layer = knn_layer(np.repeat(cloud[:40], 12, axis=0), 5, weights="reciprocal", search="approximate")
    assert np.isfinite(layer.data).all()
    assert not layer.diagonal().any()
    assert np.diff(layer.indptr).min() >= 5


def test_approximate_search_knows_the_metrics_of_the_exact_one(cloud):
    found = knn_layer(cloud[:500], 5, metric="cityblock", search="approximate")
    assert recall(found, knn_layer(cloud[:500], 5, metric="cityblock", search="exact")) >= 0.9


def test_without_pynndescent_approximate_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r"approximate neighbour search.*pip install 'orthonet\[neighbors\]'"):
        knn_layer(LINE, 1, search="approximate")


def test_without_pynndescent_auto_warns_and_searches_exactly(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    monkeypatch.setattr("orthonet.graph.knn.EUCLIDEAN_UP_TO", 50)
    points = np.random.default_rng(6).normal(size=(60, 10))
    with pytest.warns(UserWarning, match=r"among 60 nodes is slow.*orthonet\[neighbors\]"):
        layer = knn_layer(points, 3)
    np.testing.assert_array_equal(layer.toarray(), knn_layer(points, 3, search="exact").toarray())


@pytest.mark.parametrize(
    ("shape", "metric", "kind", "exact"),
    [
        ((50, 10), "cosine", np.asarray, True),
        ((51, 9), "cosine", np.asarray, False),
        ((50, 10), "euclidean", sp.csr_array, True),
        ((51, 8), "euclidean", sp.csr_array, False),
        ((70, 9), "euclidean", np.asarray, True),
        ((71, 8), "euclidean", np.asarray, True),
        ((71, 9), "euclidean", np.asarray, False),
        ((70, 9), "l2", np.asarray, True),
        ((71, 9), "l2", np.asarray, False),
    ],
)
def test_auto_is_exact_for_few_nodes_or_few_dimensions(shape, metric, kind, exact, monkeypatch):
    class Approximate(Exception):
        pass

    def refuse(*arguments):
        raise Approximate

    monkeypatch.setattr("orthonet.graph.knn.EXACT_UP_TO", 50)
    monkeypatch.setattr("orthonet.graph.knn.EUCLIDEAN_UP_TO", 70)
    monkeypatch.setattr("orthonet.graph.knn._pynndescent", lambda: None)
    monkeypatch.setattr("orthonet.graph.knn._approximate_neighbours", refuse)
    points = kind(np.random.default_rng(7).normal(size=shape))
    if exact:
        assert knn_layer(points, 3, metric=metric).shape == (shape[0], shape[0])
    else:
        with pytest.raises(Approximate):
            knn_layer(points, 3, metric=metric)


def test_the_quick_tree_finds_what_the_other_finds(rng, monkeypatch):
    points = rng.standard_normal((400, 4))
    points[:5] = points[5]  # duplicates
    expected = knn_layer(points, 6).toarray()
    monkeypatch.setattr(knn, "EXACT_UP_TO", 100)
    found = knn_layer(points, 6).toarray()
    np.testing.assert_allclose(found[6:, 6:], expected[6:, 6:])
    monkeypatch.setattr(knn, "SLACK_ABOVE", 100)
    rough, exact = knn_layer(points, 6), knn_layer(points, 6, search="exact")
    np.testing.assert_allclose(exact.toarray()[6:, 6:], expected[6:, 6:])
    assert rough.multiply(exact > 0).nnz > 0.9 * exact.nnz


def test_many_equal_points_are_left_to_the_other_tree(rng):
    assert knn._mostly_distinct(rng.standard_normal((1000, 3)))
    assert not knn._mostly_distinct(rng.integers(0, 2, (5000, 3)).astype(float))
