"""Two-mode relations as evidence and in proposals: the operator is that of the projection, which is never built."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh
from sklearn.metrics import adjusted_rand_score

from orthonet import MultilayerGraph, TwoMode
from orthonet.datasets.sbm import block_layer
from orthonet.evidence.graph_sources import sources_of
from orthonet.evidence.memberships import MembershipSource, membership_scores
from orthonet.evidence.proposals.filtered import filtered_rows
from orthonet.evidence.proposals.inputs import ProposalInputs, normalized_adjacency
from orthonet.evidence.proposals.memberships import MembershipOperator, scaled_incidence
from orthonet.evidence.search import search_partitions
from orthonet.evidence.sources import WordSource

N_NODES, N_CLUSTERS = 90, 3
TRUTH = np.arange(N_NODES) % N_CLUSTERS


def memberships(n_nodes=N_NODES, n_groups=24, own=1.0, other=0.1, seed=0):
    """Draw counts: each group belongs to one of three clusters, and a few others come too."""
    rng, truth = np.random.default_rng(seed), np.arange(n_nodes) % N_CLUSTERS
    return csr_array(
        rng.poisson(np.where(np.arange(n_groups) % N_CLUSTERS == truth[:, None], own, other)).astype(float)
    )


def with_singles(incidence):
    """Add a group of its own for each node."""
    return csr_array(np.hstack([incidence.toarray(), 5 * np.eye(incidence.shape[0])]))


@pytest.mark.parametrize("regularization", [0.0, 1.0])
def test_the_operator_is_the_normalised_projection(regularization):
    incidence = memberships()
    projection = csr_array(incidence @ np.diag(1 / incidence.sum(axis=0)) @ incidence.T.toarray())
    wanted = normalized_adjacency(projection, regularization).toarray()
    operator = MembershipOperator(scaled_incidence(incidence, regularization))
    np.testing.assert_allclose(operator.toarray(), wanted, atol=1e-12)
    np.testing.assert_allclose(operator @ np.arange(N_NODES), wanted @ np.arange(N_NODES), atol=1e-10)


def test_groups_of_one_change_nothing():
    incidence = memberships()
    np.testing.assert_array_equal(
        scaled_incidence(with_singles(incidence)).toarray(), scaled_incidence(incidence).toarray()
    )
    sources = [
        MembershipSource.from_relation(TwoMode(one), "", np.random.default_rng(0))
        for one in (incidence, with_singles(incidence))
    ]
    np.testing.assert_array_equal(*(source.node_scores(TRUTH, N_CLUSTERS) for source in sources))


def test_the_mean_adds_layers_and_relations():
    layer, incidence = block_layer(TRUTH, 0.5, 0.05, np.random.default_rng(1)), memberships()
    graph = MultilayerGraph([layer], two_mode={"a": incidence, "b": memberships(seed=5)})
    rng = np.random.default_rng(0)
    sources = sources_of(graph, None, 3, rng)
    incidences = [relation.incidence for relation in graph.two_mode.values()]
    inputs = ProposalInputs(graph.layers, None, layer, True, N_CLUSTERS, sources, rng, incidences)
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    parts = [inputs.normalized(index).toarray() for index in range(4)]
    np.testing.assert_allclose(inputs.mean(weights).toarray(), np.tensordot(weights, parts, 1), atol=1e-12)
    without = inputs.mean([0.5, 0, 0, 0.5])
    assert isinstance(without, csr_array)
    filtered = ProposalInputs(graph.layers, rng.random((N_NODES, 4)), None, True, N_CLUSTERS, sources, rng, incidences)
    assert filtered_rows(filtered, 4).shape == (N_NODES, 4)


def test_a_relation_in_many_pieces_does_not_become_specks():
    """Three hundred pairs beside three clusters: the eigenvectors with regularisation are those of the clusters."""
    clusters = memberships(600, 30, 2.0, 0.02)
    pairs = csr_array(np.kron(np.eye(300), np.ones((2, 1))))
    incidence = csr_array(
        np.block([[clusters.toarray(), np.zeros((600, 300))], [np.zeros((600, 30)), pairs.toarray()]])
    )
    vectors = eigsh(MembershipOperator(scaled_incidence(incidence)), k=N_CLUSTERS, which="LA", v0=np.ones(1200))[1]
    assert (vectors[:600] ** 2).sum() > 0.95 * N_CLUSTERS


def test_known_nodes_score_as_their_own_source_says():
    relation, rng = TwoMode(with_singles(memberships())), np.random.default_rng(0)
    source = MembershipSource.from_relation(relation, "groups", rng)
    evidence = source.group_evidence(TRUTH, N_CLUSTERS)
    assert evidence.shape == (N_CLUSTERS, relation.n_groups)
    found = membership_scores(relation.incidence, evidence, source.rarity, source.closure)
    np.testing.assert_allclose(found, source.node_scores(TRUTH, N_CLUSTERS, leave_out=False), atol=1e-10)


def test_counts_count_by_their_square_roots():
    roots = csr_array(memberships() * np.random.default_rng(4).integers(1, 4, N_NODES)[:, None])
    source = MembershipSource.from_relation(TwoMode(csr_array(roots * roots)), "", np.random.default_rng(0))
    as_words = WordSource.with_closure(roots, "", source.closure)
    np.testing.assert_allclose(source.node_scores(TRUTH, N_CLUSTERS), as_words.node_scores(TRUTH, N_CLUSTERS))


def test_a_relation_of_groups_of_one_says_nothing():
    source = MembershipSource.from_relation(TwoMode(np.eye(N_NODES)), "alone", np.random.default_rng(0))
    assert source.observations == 0
    np.testing.assert_array_equal(source.node_scores(TRUTH, N_CLUSTERS), 0)
    assert source.information(TRUTH, N_CLUSTERS) == 0


def test_the_search_finds_the_clusters_of_memberships_alone_and_beside_layers():
    rng = np.random.default_rng(3)
    alone = MultilayerGraph(two_mode={"a": memberships(seed=1), "b": memberships(seed=2)})
    found = search_partitions(alone, N_CLUSTERS, rng)
    assert found.source_names == ("a", "b")
    assert adjusted_rand_score(found.best.labels, TRUTH) > 0.95
    layer = block_layer(TRUTH, 0.5, 0.05, rng)
    mixed = MultilayerGraph([layer], rng.random((N_NODES, 3)), two_mode={"a": memberships(seed=1)})
    found = search_partitions(mixed, N_CLUSTERS, rng, layer_weights=[1, 3])
    assert found.source_names == ("layer 0", "a", "features")
    assert adjusted_rand_score(found.best.labels, TRUTH) > 0.95
