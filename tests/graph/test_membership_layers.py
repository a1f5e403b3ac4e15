"""Layers of like memberships: exact where groups are small, linear in memberships where they are large."""

import time

import numpy as np
from scipy.sparse import csr_array, diags_array, random_array

from orthonet import MultilayerGraph, TwoMode, aggregate, baselines
from orthonet.graph.membership_layers import CANDIDATES, membership_layer, with_membership_layers
from orthonet.graph.words import inverse_document_frequencies


def exact_layer(incidence, n_neighbors):
    """Compare all pairs, in a dense array."""
    weighted = (incidence @ diags_array(inverse_document_frequencies(incidence))).toarray()
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    cosines = (weighted / np.where(lengths > 0, lengths, 1)) @ (weighted / np.where(lengths > 0, lengths, 1)).T
    np.fill_diagonal(cosines, 0)
    threshold = -np.sort(-cosines, axis=1)[:, n_neighbors - 1 : n_neighbors]
    chosen = np.where((cosines >= threshold) & (cosines > 0), cosines, 0)
    return np.maximum(chosen, chosen.T)


def test_small_groups_are_compared_exactly():
    rng = np.random.default_rng(0)
    incidence = csr_array(
        random_array((80, 60), density=0.08, rng=rng, data_sampler=lambda size: rng.uniform(1, 2, size))
    )
    sizes = np.bincount(incidence.indices, minlength=60)
    assert sizes.max() <= CANDIDATES
    incidence = csr_array(incidence[:, sizes > 1])
    np.testing.assert_allclose(
        membership_layer(TwoMode(incidence), 20).toarray(), exact_layer(incidence, 20), atol=1e-12
    )


def test_nodes_without_a_common_group_are_not_joined():
    layer = membership_layer(TwoMode([[1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 0]]))
    np.testing.assert_array_equal(layer.nonzero(), [[0, 1], [1, 0]])


def test_large_groups_cost_what_their_memberships_cost():
    """One group of 60,000 members would be 1.8 billion edges; each node has a few of them as neighbours."""
    n_nodes = 60_000
    incidence = csr_array((np.ones(n_nodes), (np.arange(n_nodes), np.zeros(n_nodes, dtype=int))), shape=(n_nodes, 1))
    started = time.process_time()
    layer = membership_layer(TwoMode(incidence))
    assert time.process_time() - started < 30
    degrees = np.diff(layer.indptr)
    assert degrees.min() >= 8
    assert degrees.max() <= 60


def test_a_graph_with_layers_in_the_place_of_relations():
    pairs = np.kron(np.eye(2), 1 - np.eye(2))
    graph = MultilayerGraph(
        {"pairs": pairs}, np.eye(4), node_ids=list("abcd"), two_mode={"clubs": [[1], [1], [1], [0]]}
    )
    found = with_membership_layers(graph)
    assert found.layer_names == ("pairs", "clubs")
    assert not found.two_mode
    assert found.node_ids.tolist() == list("abcd")
    assert found.features.shape == (4, 4)
    assert with_membership_layers(found) is found


def test_aggregation_and_baselines_take_two_mode_relations():
    rng, truth = np.random.default_rng(0), np.arange(60) % 2
    counts = rng.poisson(np.where(np.arange(20) % 2 == truth[:, None], 1.0, 0.02)).astype(float)
    graph = MultilayerGraph(two_mode={"clubs": counts})
    assert list(aggregate(graph, n_components=2).info["layer_weights"]) == ["clubs"]
    labels = baselines.SpectralClustering(2, random_state=0).fit(graph).labels_
    assert max((labels == truth).mean(), (labels != truth).mean()) > 0.95
