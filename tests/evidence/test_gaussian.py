"""Gaussian evidence obeys its laws, and equals scipy's densities and plain loops."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import multivariate_t

from orthonet import metrics
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.gaussian import CENTER_WEIGHT, OBSERVATIONS, GaussianSource
from orthonet.evidence.mending import mend
from orthonet.evidence.merging import merge
from orthonet.evidence.search import search_partitions
from orthonet.evidence.sources import LayerSource, information, support
from orthonet.graph.multilayer import MultilayerGraph


def clouds(rng, n_nodes=60, n_clusters=3, n_features=4, apart=3.0):
    labels = np.arange(n_nodes) % n_clusters
    return apart * rng.standard_normal((n_clusters, n_features))[labels] + rng.standard_normal(
        (n_nodes, n_features)
    ), labels


def predictive(point, others, center, shared):
    """Return the log-density of a point by the formula of the module, for unit weights."""
    prior = len(point) + 1.0
    weight, mean = CENTER_WEIGHT + len(others), others.mean(axis=0)
    offset = mean - center
    scatter = prior * shared + (others - mean).T @ (others - mean)
    scatter = scatter + CENTER_WEIGHT * len(others) / weight * np.outer(offset, offset)
    freedom = prior + len(others) + 2.0
    where = (CENTER_WEIGHT * center + len(others) * mean) / weight
    return multivariate_t(where, scatter * (weight + 1) / (weight * freedom), df=freedom).logpdf(point)


def test_scores_are_predictive_densities_with_the_node_left_out(rng):
    values, labels = clouds(rng)
    n_nodes, n_features = values.shape
    within = values - np.stack([values[labels == c].mean(axis=0) for c in range(3)])[labels]
    share = n_features / (n_nodes + n_features)
    covariance = within.T @ within / n_nodes
    shared = (1 - share) * covariance + share * np.cov(values.T, bias=True)
    source = GaussianSource(values, "")
    found = source._log_predictive(source._moments(labels, 3), labels)
    for node in (0, 1, 17):
        for cluster in range(3):
            members = np.flatnonzero((labels == cluster) & (np.arange(n_nodes) != node))
            expected = predictive(values[node], values[members], values.mean(axis=0), shared)
            assert found[node, cluster] == pytest.approx(expected, rel=1e-9)


def test_the_scores_do_not_depend_on_units_or_on_turning_the_axes(rng):
    values, labels = clouds(rng, n_nodes=400)
    turned = values @ rng.standard_normal((4, 4)) + 7.0
    one, other = (GaussianSource(v, "").node_scores(labels, 3) for v in (values, turned))
    np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    assert GaussianSource(values, "").information(labels, 3) == pytest.approx(
        GaussianSource(turned, "").information(labels, 3), rel=1e-5
    )


def test_a_node_counted_twice_is_two_nodes(rng):
    values, labels = clouds(rng)
    weights = np.ones(60)
    weights[5] = 2.0
    twice, twice_labels = np.vstack([values, values[5]]), np.append(labels, labels[5])
    weighted, doubled = GaussianSource(values, "", node_weights=weights), GaussianSource(twice, "")
    np.testing.assert_allclose(weighted._moments(labels, 3)[2], doubled._moments(twice_labels, 3)[2])
    assert weighted.information(labels, 3) == pytest.approx(doubled.information(twice_labels, 3))


def test_merging_never_raises_information_and_one_cluster_has_none(rng):
    values, _ = clouds(rng)
    source, labels = GaussianSource(values, ""), rng.integers(0, 6, 60)
    steps = [source.information(merge([source], labels, k), k) for k in range(6, 0, -1)]
    assert all(after <= before + 1e-12 for before, after in pairwise(steps))
    assert steps[-1] == pytest.approx(0.0, abs=1e-12)


def test_losses_and_gains_over_cells_are_differences_of_information(rng):
    values, _ = clouds(rng)
    layer = LayerSource(csr_array(np.triu(np.ones((60, 60)), 1) + np.tril(np.ones((60, 60)), -1)), "", 2.0)
    source = FeatureSource(layer, [GaussianSource(values, "")])
    cells = np.arange(60) % 8
    clusters = np.array([0, 0, 1, 1, 2, 2, 3, 3])

    def value(of_cells):
        coarse = source.coarse(cells, 8)
        coarse.place(of_cells, 4)
        return coarse.information()

    coarse = source.coarse(cells, 8)
    coarse.place(clusters.copy(), 4)
    assert coarse.information() == pytest.approx(value(clusters))
    gains = coarse.moving_gains(2, 1)
    for new in range(4):
        moved = clusters.copy()
        moved[2] = new
        assert gains[new] == pytest.approx(value(moved) - value(clusters), abs=1e-9)
    losses = coarse.joining_losses(1)
    joined = np.where(clusters == 3, 1, clusters)
    assert losses[3] == pytest.approx(value(clusters) - value(joined), abs=1e-9)
    coarse.move(2, 1, 3)
    moved = clusters.copy()
    moved[2] = 3
    assert coarse.information() == pytest.approx(value(moved))
    coarse.join(0, 3)
    assert coarse.information() == pytest.approx(value(np.where(moved == 3, 0, moved)))


def test_the_whole_is_its_parts_and_counts_as_neighbours_alone(rng, random_layer):
    values, labels = clouds(rng, n_nodes=30)
    layer, gaussian = LayerSource(random_layer(rng), "", 3.0), GaussianSource(values, "")
    whole, parts = FeatureSource(layer, [gaussian]), [layer, gaussian]
    share = 3.0 / (3.0 + OBSERVATIONS)
    assert whole.observations == 3.0
    assert information([whole], labels, 3) == pytest.approx(share * information(parts, labels, 3))
    assert support([whole], labels, 3) == pytest.approx(share * support(parts, labels, 3))


def test_elongated_clusters_that_nearest_neighbours_cut_across_are_found(rng):
    labels = np.repeat([0, 1], 150)
    values = rng.standard_normal((300, 2)) * [6.0, 0.4] + np.outer(labels, [0.0, 3.0])
    start = (values[:, 0] > 0).astype(np.int64)  # a cut through both
    noisy = np.where(rng.random(300) < 0.3, labels, start)
    source = GaussianSource(values, "")
    assert support([source], labels, 2) > support([source], start, 2)
    assert metrics.nmi(labels, mend([source], noisy, 2, rng).labels) > 0.95


def test_clusters_of_unequal_spread_are_found_in_features_alone(rng):
    labels = np.repeat([0, 1, 2], [200, 40, 40])
    spread = np.array([1.0, 0.25, 0.25])[labels]
    centres = np.array([[0.0, 0.0, 0.0], [2.6, 0.0, 0.0], [0.0, 2.6, 0.0]])[labels]
    values = centres + spread[:, None] * rng.standard_normal((280, 3))
    graph = MultilayerGraph.from_views([values])
    assert metrics.nmi(labels, search_partitions(graph, 3, rng).best.labels) > 0.8


@pytest.mark.parametrize("table", ["categories", "mostly zero", "sparse"])
def test_categories_and_counts_are_not_gaussian(table, rng):
    values = {
        "categories": rng.integers(0, 3, (50, 4)).astype(float),
        "mostly zero": rng.standard_normal((50, 4)) * (rng.random((50, 4)) < 0.3),
        "sparse": csr_array(rng.random((50, 4))),
    }[table]
    assert GaussianSource.from_features(values, 3, "") is None


def test_a_category_beside_numbers_is_left_out_and_constant_columns_too(rng):
    values = rng.standard_normal((50, 4))
    beside = np.column_stack([values, rng.integers(0, 2, 50), np.ones(50)])
    one, other = (GaussianSource.from_features(v, 3, "") for v in (values, beside))
    labels = rng.integers(0, 3, 50)
    np.testing.assert_allclose(one.node_scores(labels, 3), other.node_scores(labels, 3))
    assert one.observations == OBSERVATIONS


def test_there_are_fewer_dimensions_than_nodes_in_a_cluster(rng):
    source = GaussianSource.from_features(rng.standard_normal((60, 40)), 5, "")
    assert source._values.shape == (60, 6)
    scores = source.node_scores(np.zeros(60, dtype=np.int64), 5)  # four empty clusters
    assert np.isfinite(scores).all()


def test_equal_values_are_no_reason_to_fail():
    values = np.repeat(np.arange(3.0), 20)[:, None] * np.ones((1, 2))
    source, labels = GaussianSource(values, ""), np.repeat(np.arange(3), 20)
    assert np.isfinite(source.node_scores(labels, 3)).all()
    assert np.isfinite(source.information(labels, 3))


def test_scores_of_own_clusters_are_those_among_all_scores(rng, random_layer):
    values, labels = clouds(rng)
    source = GaussianSource(values, "values")
    both = FeatureSource(LayerSource(random_layer(rng, len(values)), "both", 2.0), [source])
    for one in (source, both):
        own = one.node_scores(labels, 3)[np.arange(len(labels)), labels]
        np.testing.assert_allclose(one.own_scores(labels, 3), own, atol=1e-10)
