"""The stochastic block model: its densities, what its layers show and hide, and its arguments."""

from itertools import combinations

import numpy as np
import pytest

from orthonet import metrics
from orthonet.baselines import SpectralClustering
from orthonet.datasets.sbm import block_layer, complementary_clusters, make_multilayer_sbm


def densities(layer, labels):
    """Return the share of pairs that are joined, and the number of pairs, for each two clusters."""
    n_clusters = labels.max() + 1
    member = np.eye(n_clusters)[labels]
    sizes = member.sum(axis=0)
    edges = member.T @ (layer @ member)
    pairs = np.outer(sizes, sizes) - np.diag(sizes)  # ordered pairs, as in edges
    return edges / pairs, pairs / (1 + np.eye(n_clusters))


@pytest.mark.parametrize("kind", ["complementary", "informative"])
def test_densities_are_the_asked_for_ones_within_sampling_error(kind):
    n_layers, n_clusters, p_in, p_out = 4, 5, 0.2, 0.05
    data = make_multilayer_sbm(
        1000, n_layers, n_clusters, kind=kind, n_noisy_layers=1, p_in=p_in, p_out=p_out, random_state=3
    )
    for index, layer in enumerate(data.graph.layers[:-1]):
        found, pairs = densities(layer, data.labels)
        shown = complementary_clusters(index, 3, n_clusters) if kind == "complementary" else range(n_clusters)
        group = np.array([cluster if cluster in shown else -1 for cluster in range(n_clusters)])
        wanted = np.where(group[:, None] == group, p_in, p_out)
        deviation = np.sqrt(wanted * (1 - wanted) / pairs)
        assert (np.abs(found - wanted) < 4.5 * deviation).all()


def test_a_noisy_layer_knows_nothing_and_is_as_dense_as_an_informative_one():
    data = make_multilayer_sbm(1000, 2, 4, kind="informative", n_noisy_layers=1, random_state=0)
    informative, noisy = data.graph.layers
    found, pairs = densities(noisy, data.labels)
    density = noisy.nnz / (1000 * 999)
    assert (np.abs(found - density) < 4.5 * np.sqrt(density * (1 - density) / pairs)).all()
    assert noisy.nnz == pytest.approx(informative.nnz, rel=0.05)


@pytest.mark.parametrize("n_layers", range(2, 8))
@pytest.mark.parametrize("n_clusters", range(3, 9))
def test_complementary_layers_tell_all_clusters_together_and_none_does_alone(n_layers, n_clusters):
    shown = [set(complementary_clusters(index, n_layers, n_clusters)) for index in range(n_layers)]
    assert all(1 <= len(clusters) <= n_clusters - 2 for clusters in shown)
    for pair in combinations(range(n_clusters), 2):
        assert any(clusters & set(pair) for clusters in shown)


def test_spectral_clustering_needs_all_complementary_layers():
    data = make_multilayer_sbm(600, 3, 4, p_in=0.2, p_out=0.02, random_state=0)

    def score(graph):
        model = SpectralClustering(4, random_state=0).fit(graph)
        return metrics.nmi(data.labels, model.labels_)

    alone = [score(make_one(data.graph, index)) for index in range(3)]
    assert score(data.graph) > 0.95
    assert max(alone) < 0.9


def make_one(graph, index):
    return type(graph)([graph.layers[index]])


@pytest.mark.parametrize("probability", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("n_nodes", [1, 2, 7, 8])
def test_every_pair_within_a_group_can_be_drawn_and_none_twice(probability, n_nodes, rng):
    layer = block_layer(np.zeros(n_nodes, dtype=int), probability, 0.0, rng)
    assert set(layer.data) <= {1.0}
    assert (layer != layer.T).nnz == 0
    assert not layer.diagonal().any()
    if probability == 1.0:
        assert layer.nnz == n_nodes * (n_nodes - 1)


def test_pairs_are_drawn_evenly(rng):
    """All 21 pairs of 7 nodes, and the 12 between groups of 3 and 4, occur equally often."""
    n_draws = 2000
    within = sum(block_layer(np.zeros(7, dtype=int), 0.4, 0.0, rng).toarray() for _ in range(n_draws))
    groups = np.array([0, 1, 0, 1, 0, 1, 1])
    between = sum(block_layer(groups, 0.0, 0.4, rng).toarray() for _ in range(n_draws))
    deviation = np.sqrt(n_draws * 0.4 * 0.6)
    assert np.abs(within[np.triu_indices(7, 1)] - 0.4 * n_draws).max() < 4.5 * deviation
    apart = groups[:, None] != groups
    assert np.abs(between[apart] - 0.4 * n_draws).max() < 4.5 * deviation
    assert not between[~apart].any()


def test_a_seed_gives_the_same_graph_and_another_seed_another():
    first, same, other = (make_multilayer_sbm(200, random_state=seed) for seed in (0, 0, 1))
    assert all((a != b).nnz == 0 for a, b in zip(first.graph.layers, same.graph.layers, strict=True))
    np.testing.assert_array_equal(first.graph.features, same.graph.features)
    np.testing.assert_array_equal(first.labels, same.labels)
    assert (first.graph.layers[0] != other.graph.layers[0]).nnz > 0


def test_a_generator_moves_on():
    rng = np.random.default_rng(0)
    first, second = make_multilayer_sbm(200, random_state=rng), make_multilayer_sbm(200, random_state=rng)
    assert (first.graph.layers[0] != second.graph.layers[0]).nnz > 0


def test_features_lie_around_the_means_of_their_clusters():
    data = make_multilayer_sbm(2000, 2, 4, n_features=6, feature_noise=0.5, random_state=0)
    within = [data.graph.features[data.labels == cluster].std(axis=0) for cluster in range(4)]
    np.testing.assert_allclose(within, 0.5, rtol=0.15)
    assert make_multilayer_sbm(100, n_features=0, random_state=0).graph.features is None
    still = make_multilayer_sbm(100, feature_noise=0, random_state=0).graph.features
    assert len(np.unique(still, axis=0)) == 4


def test_a_large_graph_is_drawn_without_a_dense_matrix():
    """At 100,000 nodes N x N bytes would be 10 GB."""
    data = make_multilayer_sbm(100_000, 2, 4, p_in=2e-4, p_out=2e-5, n_features=0, random_state=0)
    expected = [(2 * 25_000**2 / 2 + 50_000**2 / 2) * 2e-4 + (25_000**2 + 2 * 25_000 * 50_000) * 2e-5] * 2
    np.testing.assert_allclose([layer.nnz / 2 for layer in data.graph.layers], expected, rtol=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_nodes": 3}, "n_nodes must be an integer >= 4, got 3"),
        ({"n_clusters": 1}, "n_clusters must be an integer >= 2, got 1"),
        ({"n_layers": 0}, "n_layers must be an integer >= 1, got 0"),
        ({"kind": "noisy"}, "kind must be one of 'complementary', 'informative', got 'noisy'"),
        ({"n_noisy_layers": 4}, "n_noisy_layers must be an integer >= 0 and <= 3, got 4"),
        (
            {"n_noisy_layers": 2},
            "'complementary' needs at least 2 layers that are not noisy and 3 clusters, got .* = 1",
        ),
        ({"n_clusters": 2}, "'complementary' needs .* 3 clusters, got .* n_clusters=2; pass kind='informative'"),
        ({"p_in": 1.5}, "p_in is a probability and must be <= 1, got 1.5"),
        ({"p_out": -0.1}, "p_out must be a finite number >= 0"),
        ({"p_in": 0.1, "p_out": 0.1}, "p_in must be larger than p_out"),
        ({"p_in": 1e-12, "p_out": 0.0}, "without any edge; p_in=1e-12 is too small for 600 nodes"),
        ({"feature_noise": -1.0}, "feature_noise"),
        ({"n_features": -1}, "n_features"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_multilayer_sbm(**arguments, random_state=0)
