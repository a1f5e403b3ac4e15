"""Every proposal is a partition of all nodes, wherever it applies; a layer in many pieces does not become specks."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from orthonet import MultilayerGraph
from orthonet.datasets import make_multilayer_sbm
from orthonet.datasets.sbm import block_layer
from orthonet.evidence.graph_sources import sources_of
from orthonet.evidence.proposals import PROPOSALS, filtered, propose
from orthonet.evidence.proposals.filtered import filtered_rows
from orthonet.evidence.proposals.inputs import DIMENSIONS, ProposalInputs, normalized_adjacency, reduced, unit_rows
from orthonet.evidence.proposals.kmeans_starts import starting_centers
from orthonet.evidence.proposals.spectral import spectrum_weights
from orthonet.graph.features import FeatureScaler
from orthonet.graph.knn import knn_layer

N_NODES, N_CLUSTERS = 90, 3
TRUTH = np.arange(N_NODES) % N_CLUSTERS


def inputs_of(graph, n_clusters=N_CLUSTERS, seed=0):
    rng = np.random.default_rng(seed)
    features = feature_layer = None
    if graph.features is not None:
        features = reduced(graph.features, FeatureScaler.fit(graph.features), rng)
        feature_layer = knn_layer(features, 10)
    sources = sources_of(graph, feature_layer, 3, rng)
    relations = not graph.layers_from_features
    return ProposalInputs(graph.layers, features, feature_layer, relations, n_clusters, sources, rng)


def graphs():
    rng = np.random.default_rng(1)
    layers = [block_layer(TRUTH, 0.5, 0.05, rng) for _ in range(2)]
    words = csr_array(rng.poisson(np.where(np.arange(24) % 3 == TRUTH[:, None], 1.0, 0.1)).astype(float))
    dense = 3 * rng.standard_normal((3, 5))[TRUTH] + rng.standard_normal((N_NODES, 5))
    return {
        "relations and words": MultilayerGraph(layers, words),
        "relations and dense features": MultilayerGraph(layers, dense),
        "views": MultilayerGraph.from_views([dense[:, :2], dense[:, 2:]], n_neighbors=10),
        "no features": MultilayerGraph(layers),
        "one layer": MultilayerGraph(layers[:1]),
    }


GRAPHS = graphs()


@pytest.mark.parametrize("kind", GRAPHS)
def test_proposals_are_partitions_of_all_nodes_and_find_clear_clusters(kind):
    inputs = inputs_of(GRAPHS[kind])
    found = {**dict(propose(inputs, costly=False)), **dict(propose(inputs, costly=True))}
    assert "mean" in found
    assert ("features" in found) == ("filtered 4" in found) == (GRAPHS[kind].features is not None)
    for name, labels in found.items():
        assert labels.shape == (N_NODES,), name
        assert labels.dtype == np.int64, name
        assert 0 <= labels.min() <= labels.max() < N_CLUSTERS, name
    assert max(adjusted_rand_score(labels, TRUTH) for labels in found.values()) > 0.95


def test_every_proposal_says_why_it_is_there_and_costly_ones_come_last():
    for name, proposal in PROPOSALS.items():
        assert proposal.name == name
        assert len(proposal.reason.split()) > 3
    costly = [proposal.costly for proposal in PROPOSALS.values()]
    assert costly == sorted(costly)
    assert {False, True} == set(costly)


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_proposal_that_applies_yields_under_names_of_its_own(kind):
    inputs = inputs_of(GRAPHS[kind])
    names = []
    for proposal in PROPOSALS.values():
        if proposal.applies(inputs):
            found = [name for name, _ in proposal.partitions(inputs)]
            assert found, proposal.name
            names += found
    assert len(names) == len(set(names))


def test_the_same_seed_proposes_the_same():
    one, other = (dict(propose(inputs_of(GRAPHS["relations and words"], seed=4), costly=False)) for _ in range(2))
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])


def test_many_small_pieces_do_not_become_clusters(rng):
    # One connected part with two planted clusters beside 200 pairs of nodes: every pair is a component.
    planted = np.arange(200) % 2
    pair = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    layer = csr_array(block_diag([block_layer(planted, 0.2, 0.01, rng), *([pair] * 200)]))
    labels = dict(propose(inputs_of(MultilayerGraph([layer]), 2), costly=False))["mean"]
    assert adjusted_rand_score(labels[:200], planted) > 0.95
    three = dict(propose(inputs_of(MultilayerGraph([layer]), 3), costly=False))["mean"]
    sizes = np.sort(np.bincount(three[:200], minlength=3))
    assert sizes[1] > 90  # the two planted clusters are still two


def test_a_normalised_adjacency_has_no_eigenvalue_above_1(rng, random_layer):
    layer = random_layer(rng)
    for regularization in (0.0, 1.0):
        found = normalized_adjacency(layer, regularization).toarray()
        np.testing.assert_allclose(found, found.T)
        assert np.linalg.eigvalsh(found)[-1] <= 1 + 1e-12
    assert np.linalg.eigvalsh(normalized_adjacency(layer, 0.0).toarray())[-1] == pytest.approx(1)


def test_filtered_features_solve_their_least_squares_problem():
    inputs, strength = inputs_of(GRAPHS["relations and dense features"]), 1.0
    mean = sum(normalized_adjacency(layer, 0.0).toarray() for layer in inputs.layers) / len(inputs.layers)
    exact = np.linalg.solve((1 + strength) * np.eye(N_NODES) - strength * mean, inputs.features)
    np.testing.assert_allclose(filtered_rows(inputs, strength), unit_rows(exact), atol=1e-5)


def test_weights_by_the_spectrum_are_shares_and_spare_a_noisy_layer(rng):
    good, noise = block_layer(TRUTH, 0.5, 0.05, rng), block_layer(np.zeros_like(TRUTH), 0.2, 0.0, rng)
    weights = spectrum_weights(inputs_of(MultilayerGraph([good, noise])))
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > weights[1]


def test_features_are_reduced_to_few_numbers_per_node(rng):
    wide = rng.standard_normal((150, 300))
    scaler = FeatureScaler.fit(wide)
    assert reduced(wide, scaler, rng).shape == (150, DIMENSIONS)
    narrow = rng.standard_normal((150, 4)) * 100 + 7
    found = reduced(narrow, FeatureScaler.fit(narrow), rng)
    np.testing.assert_allclose(found.std(axis=0), 1)
    words = csr_array(rng.poisson(0.1, (150, 300)).astype(float))
    rows = reduced(words, FeatureScaler.fit(words), rng)
    assert rows.shape == (150, DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1)


def test_known_directions_of_wide_features_are_as_good_as_those_found_again(rng):
    wide = rng.standard_normal((400, 10)) @ rng.standard_normal((10, 300))
    scaler = FeatureScaler.fit(wide)
    basis = np.linalg.svd(scaler.transform(wide))[2][:150].T
    found, again = reduced(wide, scaler, rng, basis), reduced(wide, scaler, rng)
    assert found.shape == again.shape == (400, DIMENSIONS)
    np.testing.assert_allclose(pairwise_distances(found), pairwise_distances(again), rtol=1e-4, atol=1e-4)


def test_a_cluster_of_more_nodes_than_are_sampled_gets_all_labels(monkeypatch):
    monkeypatch.setattr("orthonet.evidence.proposals.inputs.SAMPLE", 50)
    labels = dict(propose(inputs_of(GRAPHS["relations and dense features"]), costly=False))["mean"]
    assert adjusted_rand_score(labels, TRUTH) > 0.95


@pytest.mark.parametrize("strength", filtered.STRENGTHS)
def test_few_polynomials_average_features_as_all_powers_do(strength):
    graph = make_multilayer_sbm(200, 3, 4, p_in=0.2, p_out=0.05, random_state=0).graph
    layers = [normalized_adjacency(layer, 0.0) for layer in graph.layers]
    mean, rows = sum(layers) / len(layers), np.asarray(graph.features, dtype=np.float64)
    power, total = rows, np.zeros_like(rows)
    for term in range(filtered.TERMS):
        total += (strength / (1 + strength)) ** term / (1 + strength) * power
        power = mean @ power
    found = filtered.chebyshev_sums(layers, rows, [strength])[strength]
    assert len(filtered._coefficients(strength)) <= filtered.TERMS / 2
    np.testing.assert_allclose(found, unit_rows(total), atol=0.02)


@pytest.mark.parametrize("n_clusters", [7, 60])
def test_kmeans_starts_where_scikit_learn_does(rng, n_clusters):
    rows = rng.standard_normal((400, 5))
    expected = kmeans_plusplus(rows, n_clusters, random_state=3)[0]
    found = starting_centers(rows, n_clusters, np.random.RandomState(3))
    np.testing.assert_array_equal(found, expected)
