"""GMC: its formulas on cases small enough for a hand or a general solver, its laws, and its authors' results."""

import numpy as np
import pytest
from scipy.io import loadmat
from scipy.optimize import minimize
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, datasets, metrics
from orthonet.baselines.gmc import GMC, lowest_eigenvectors, next_unified, view_weight
from orthonet.baselines.gmc_views import FeatureView, LayerView, Pattern, nearest_on_simplex


def on_simplex(target):
    """The nearest point of the simplex, by a general solver."""
    size = len(target)
    found = minimize(
        lambda point: np.sum((point - target) ** 2),
        np.full(size, 1 / size),
        bounds=[(0, None)] * size,
        constraints={"type": "eq", "fun": lambda point: point.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x


def pattern_of(*views):
    return Pattern.union(views[0].n_nodes, [view.pairs() for view in views])


def blobs(rng, n_views=2, size=25, n_clusters=3):
    truth = np.repeat(np.arange(n_clusters), size)
    return truth, [
        6 * rng.standard_normal((n_clusters, 4))[truth] + rng.standard_normal((len(truth), 4)) for _ in range(n_views)
    ]


def test_similarities_by_hand():
    line = np.array([[0.0], [1.0], [3.0], [7.0]])
    view = FeatureView.of(line, 2)
    graph = pattern_of(view).matrix(view.alone(pattern_of(view))).toarray()
    # Node 0: squared distances 1, 9, 49; (49 − 1, 49 − 9) / 88. Node 1: 1, 4, 36; node 2: 4, 9, 16; node 3: 16, 36, 49.
    by_hand = [[0, 48 / 88, 40 / 88, 0], [35 / 67, 0, 32 / 67, 0], [7 / 19, 12 / 19, 0, 0], [0, 13 / 46, 33 / 46, 0]]
    np.testing.assert_allclose(graph, by_hand)


def test_similarities_drawn_to_the_unified_graph_by_hand():
    line = np.array([[0.0], [1.0], [3.0], [7.0]])
    view = FeatureView.of(line, 2)
    pattern = pattern_of(view)
    unified = np.zeros(len(pattern.rows))
    unified[pattern.places(np.array([0, 0]), np.array([1, 2]))] = [0.25, 0.75]
    drawn = pattern.matrix(view.drawn_to(unified, 2.0, pattern)).toarray()
    # Costs of node 0: 1 − 4/4, 9 − 4·3/4, 49: numerators 49 and 43.
    np.testing.assert_allclose(drawn[0], [0, 49 / 92, 43 / 92, 0])
    np.testing.assert_allclose(drawn[1:], pattern.matrix(view.alone(pattern)).toarray()[1:])


def test_equally_far_neighbours_count_equally():
    view = FeatureView.of(np.eye(5), 3, normalize=False)
    np.testing.assert_allclose(view.alone(pattern_of(view)), 1 / 3)


def test_rows_of_similarities_sum_to_one(rng):
    view = FeatureView.of(rng.standard_normal((40, 6)), 5)
    graph = pattern_of(view).matrix(view.alone(pattern_of(view)))
    np.testing.assert_allclose(graph.sum(axis=1), 1)
    assert graph.nnz == 200
    assert graph.diagonal().max() == 0


def test_rows_are_z_scored_but_not_those_of_two_features(rng):
    wide, narrow = rng.standard_normal((30, 5)), rng.standard_normal((30, 2))
    moved = 3 * wide + rng.standard_normal((30, 1))
    np.testing.assert_allclose(FeatureView.of(wide, 4).distances, FeatureView.of(moved, 4).distances, atol=1e-10)
    np.testing.assert_array_equal(
        FeatureView.of(narrow, 4).distances, FeatureView.of(narrow, 4, normalize=False).distances
    )


@pytest.mark.parametrize("normalize", [True, False])
def test_sparse_features_have_the_neighbours_of_dense_ones(rng, normalize):
    dense = rng.poisson(0.4, (60, 30)) * rng.random((60, 30))
    dense[7] = 0
    sparse, same = (FeatureView.of(kind, 5, normalize=normalize) for kind in (csr_array(dense), dense))
    np.testing.assert_allclose(sparse.distances, same.distances, atol=1e-9)
    clear = np.diff(same.distances, axis=1).min(axis=1) > 1e-8
    assert clear.sum() > 50
    np.testing.assert_array_equal(sparse.neighbours[clear], same.neighbours[clear])


def test_projection_of_many_rows_is_that_of_each(rng):
    rows = np.sort(rng.integers(0, 6, 30))
    rows = np.where(rows == 3, 4, rows)  # row 3 has none
    values = rng.standard_normal(30) * 10.0 ** rng.integers(-2, 2, 30)
    found = nearest_on_simplex(values, rows, 6)
    for row in (0, 1, 2, 4, 5):
        np.testing.assert_allclose(found[rows == row], on_simplex(values[rows == row]), atol=1e-5)
        assert found[rows == row].sum() == pytest.approx(1)
    assert nearest_on_simplex(np.array([1e9, 1e9 + 0.5]), np.zeros(2, dtype=int), 1) == pytest.approx([0.25, 0.75])


def test_unified_graph_solves_its_problem_on_six_nodes(rng):
    views = [FeatureView.of(rng.standard_normal((6, 4)), 2) for _ in range(2)]
    pattern = pattern_of(*views)
    similar = [view.alone(pattern) for view in views]
    weights, penalty = np.array([0.7, 0.2]), 0.6
    embedding = np.linalg.qr(rng.standard_normal((6, 2)))[0]
    found = pattern.matrix(next_unified(similar, weights, embedding, penalty, pattern)).toarray()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    dense = [pattern.matrix(one).toarray() for one in similar]
    for node in range(6):
        near = np.flatnonzero(dense[0][node] + dense[1][node])
        far = ((embedding[node] - embedding[near]) ** 2).sum(axis=1)
        wanted = np.zeros(6)
        # Σ_v ‖u − q_v‖² is least where ‖u − mean q‖² is.
        wanted[near] = on_simplex(
            np.mean([s[node, near] - penalty / (2 * 2 * w) * far for s, w in zip(dense, weights, strict=True)], axis=0)
        )
        np.testing.assert_allclose(found[node], wanted, atol=1e-6)


def test_weight_of_a_view():
    assert view_weight(np.array([1.0, 0.0]), np.array([0.0, 0.0])) == 0.5
    assert view_weight(np.array([3.0, 4.0]), np.array([0.0, 0.0])) == pytest.approx(0.1)
    assert np.isfinite(view_weight(np.ones(2), np.ones(2)))


def test_layer_keeps_its_weights_without_a_pull_and_solves_its_problem_with_one(rng):
    weights = np.triu(rng.random((6, 6)) * (rng.random((6, 6)) < 0.8), 1)
    layer = csr_array(weights + weights.T)
    view = LayerView.of(layer)
    pattern = pattern_of(view)
    alone = view.alone(pattern)
    np.testing.assert_allclose(pattern.matrix(alone).toarray(), layer.toarray() / layer.toarray().sum(1, keepdims=True))
    unified = rng.random(len(alone)) * 3
    np.testing.assert_allclose(view.drawn_to(unified, 0.0, pattern), alone)
    drawn = view.drawn_to(unified, 0.8, pattern)
    for node in range(6):
        mine = pattern.rows == node
        np.testing.assert_allclose(drawn[mine], on_simplex((alone[mine] + 0.8 * unified[mine]) / 1.8), atol=1e-6)


def test_lowest_eigenvectors_know_the_components(rng):
    block = rng.random((5, 5))
    block = np.triu(block, 1) + np.triu(block, 1).T
    graph = csr_array(np.kron(np.eye(2), block))
    for k, n_zeros in ((1, 2), (2, 2), (4, 2)):
        vectors, values = lowest_eigenvectors(graph, k, rng)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)
        assert np.count_nonzero(values < 1e-10) == min(n_zeros, k + 1)


def test_separated_blobs_become_the_components(rng):
    truth, views = blobs(rng)
    model = GMC(3, n_neighbors=8).fit(views=views)
    assert model.n_components_ == 3
    assert metrics.adjusted_rand(truth, model.labels_) == 1
    by_kmeans = GMC(3, n_neighbors=8, assign_labels="kmeans", random_state=0).fit(views=views)
    assert metrics.adjusted_rand(truth, by_kmeans.labels_) == 1
    unified = model.unified_graph_
    assert abs(unified - unified.T).max() == 0
    assert unified.sum() == pytest.approx(75)
    assert model.view_weights_.sum() == pytest.approx(1)


def test_numbering_of_the_nodes_does_not_matter(rng):
    _, views = blobs(rng)
    views[0][:40] += 4 * rng.standard_normal((40, 4))
    order = rng.permutation(75)
    one = GMC(3, n_neighbors=8, random_state=0).fit(views=views)
    other = GMC(3, n_neighbors=8, random_state=0).fit(views=[view[order] for view in views])
    np.testing.assert_allclose(other.unified_graph_.toarray(), one.unified_graph_.toarray()[order][:, order], atol=1e-8)
    assert metrics.adjusted_rand(one.labels_[order], other.labels_) == 1


def test_layers_of_a_graph(clouds):
    model = GMC(3, random_state=0).fit(clouds.graph)
    assert metrics.nmi(clouds.labels, model.labels_) > 0.9
    same = GMC(3, random_state=0).fit(None, layers=clouds.graph.layers)
    np.testing.assert_array_equal(model.labels_, same.labels_)
    by_views = GMC(3, random_state=0).fit(clouds.graph, views=clouds.views)
    assert metrics.nmi(clouds.labels, by_views.labels_) > 0.9
    named = GMC(3, random_state=0).fit(views=dict(zip("abc", clouds.views, strict=True)))
    np.testing.assert_array_equal(by_views.labels_, named.labels_)


def test_too_many_or_too_few_components_are_reported():
    pairs = csr_array(np.kron(np.eye(5), [[0.0, 1.0], [1.0, 0.0]]))
    with pytest.warns(UserWarning, match="has 5 components after 20 rounds, not 3: K-means on its eigenvectors"):
        model = GMC(3, random_state=0).fit(MultilayerGraph([pairs]))
    assert len(set(model.labels_)) == 3
    with pytest.warns(UserWarning, match="has 1 components after 1 rounds, not 2: K-means on its eigenvectors"):
        ring = np.roll(np.eye(20), 1, axis=1)
        model = GMC(2, max_iter=1, penalty=1e-6, random_state=0).fit(MultilayerGraph([ring + ring.T]))
    assert len(set(model.labels_)) == 2


def test_no_views_are_refused():
    with pytest.raises(ValueError, match="GMC needs views"):
        GMC(3).fit()
    with pytest.raises(ValueError, match="views is empty"):
        GMC(3).fit(views=[])


def test_views_of_different_length_are_refused(clouds):
    view = clouds.views[0]
    with pytest.raises(ValueError, match=r"views\[1\] has 149 rows, but the graph has 150 nodes"):
        GMC(3).fit(views=[view, view[:-1]])


def test_fewer_nodes_than_neighbours_are_refused(clouds):
    with pytest.raises(ValueError, match=r"n_neighbors=15 needs at least 17 nodes, but views\[0\] has 16 rows"):
        GMC(3).fit(views=[clouds.views[0][:16]])


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"assign_labels": "best"}, "assign_labels must be one of 'components', 'kmeans', got 'best'"),
        ({"penalty": 0}, "penalty must be a finite number > 0, got 0"),
        ({"n_clusters": 151}, "n_clusters must be an integer >= 2 and <= 150, got 151"),
    ],
)
def test_a_value_out_of_its_range_is_refused(clouds, options, wanted):
    with pytest.raises(ValueError, match=wanted):
        GMC(**{"n_clusters": 3} | options).fit(clouds.graph)


# The authors' Matlab code on the same files gave these NMI, ARI and accuracies. It has no randomness. Nodes with the same
# features are their own neighbours in it (Mfeat has 96 of them in one view), which moves the scores by up to 0.003; where
# there are none, only the rounding of the eigensolver is left.
@pytest.mark.parametrize(
    ("load", "wanted", "tolerance"),
    [(datasets.load_mfeat, (0.904, 0.850, 0.882), 0.005), (datasets.load_leaves100, (0.929, 0.497, 0.824), 0.001)],
    ids=["mfeat", "leaves100"],
)
def test_agrees_with_the_authors_code(data_home, load, wanted, tolerance):
    data = load(data_home)
    model = GMC(data.n_clusters).fit(views=data.views)
    scores = [
        score(data.labels, model.labels_) for score in (metrics.nmi, metrics.adjusted_rand, metrics.clustering_accuracy)
    ]
    assert model.n_components_ == data.n_clusters
    np.testing.assert_allclose(scores, wanted, atol=tolerance)


@pytest.mark.parametrize(("name", "wanted"), [("3sources", (0.622, 0.443, 0.692)), ("BBCSport", (0.760, 0.722, 0.807))])
def test_agrees_with_the_authors_code_on_sparse_text(data_home, name, wanted):
    file = data_home / "text" / f"{name}.mat"
    if not file.is_file():
        pytest.skip(f"needs {file}")
    content = loadmat(file)
    views = [csr_array(view).T.tocsr() for view in content["data"].ravel()]
    labels = content["truelabel"].ravel()[0].ravel()
    model = GMC(len(np.unique(labels))).fit(views=views)
    scores = [
        score(labels, model.labels_) for score in (metrics.nmi, metrics.adjusted_rand, metrics.clustering_accuracy)
    ]
    np.testing.assert_allclose(scores, wanted, atol=0.001)
