"""Terms of evidence: the words of a node add up to what their source says, dense features follow their normal densities."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import norm

from orthonet.evidence import terms
from orthonet.evidence.sources import WordSource
from orthonet.evidence.terms import NO_TERM, OF_CLUSTER, OF_NODE, combined, feature_terms, no_terms, word_terms


@pytest.fixture
def words(rng):
    labels = np.repeat([0, 1, 2], 20)
    rates = np.full((3, 12), 0.2)
    rates[0, :4] = rates[1, 4:8] = rates[2, 8:] = 2.0
    return labels, csr_array(rng.poisson(rates[labels]).astype(float))


def test_words_of_a_node_add_up_to_what_their_source_says(words, rng):
    labels, counts = words
    runner_up = (labels + 1) % 3
    source = WordSource.from_counts(counts, "words", rng)
    terms = source.node_terms(labels, runner_up, 3)
    scores = source.node_scores(labels, 3)
    nodes = np.arange(len(labels))
    np.testing.assert_allclose(terms.sum(axis=1), scores[nodes, labels] - scores[nodes, runner_up])


def test_strongest_words_come_first_with_their_counts(words, rng):
    labels, counts = words
    found = word_terms(WordSource.from_counts(counts, "words", rng), counts, labels, (labels + 1) % 3, 3, weight=2.0)
    strengths = np.abs(found.node_nats)
    assert (np.diff(strengths, axis=1) <= 1e-12).all()
    node = 25
    all_terms = (
        2.0 * WordSource.from_counts(counts, "words", rng).node_terms(labels, (labels + 1) % 3, 3).toarray()[node]
    )
    assert strengths[node, 0] == pytest.approx(np.abs(all_terms).max(), rel=0.05)  # closure is estimated anew
    present = found.of_nodes != NO_TERM
    rows = np.nonzero(present)[0]
    np.testing.assert_array_equal(found.node_values[present], counts[rows, found.of_nodes[present]])


def test_clusters_are_defined_by_their_own_words(words, rng):
    labels, counts = words
    found = word_terms(WordSource.from_counts(counts, "words", rng), counts, labels, (labels + 1) % 3, 3)
    for cluster, own in enumerate(({0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11})):
        assert set(found.of_clusters[cluster, :4].tolist()) == own
        has = (counts[labels == cluster][:, [found.of_clusters[cluster, 0]]] > 0).toarray()
        assert found.inside[cluster, 0] == pytest.approx(has.mean())
        assert found.inside[cluster, 0] > found.outside[cluster, 0]


def test_dense_features_follow_their_normal_densities(rng):
    labels = np.repeat([0, 1], 50)
    features = rng.normal(size=(100, 3)) + 1e6
    features[labels == 1, 2] += 3.0
    found = feature_terms(features, labels, 1 - labels, 2)
    means = np.stack([features[labels == cluster].mean(axis=0) for cluster in (0, 1)])
    deviation = np.sqrt(((features - means[labels]) ** 2).mean(axis=0))
    for node in (3, 77):
        own, other = means[labels[node]], means[1 - labels[node]]
        expected = norm.logpdf(features[node], own, deviation) - norm.logpdf(features[node], other, deviation)
        order = np.argsort(-np.abs(expected))
        np.testing.assert_array_equal(found.of_nodes[node, :3], order)
        np.testing.assert_allclose(found.node_nats[node, :3], expected[order], rtol=1e-6)
        np.testing.assert_array_equal(found.node_values[node, :3], features[node, order])
    assert found.of_clusters[0, 0] == found.of_clusters[1, 0] == 2
    np.testing.assert_allclose([found.inside[0, 0], found.outside[0, 0]], means[:, 2])
    assert (found.of_nodes[:, 3:] == NO_TERM).all()


def test_constant_features_say_nothing(rng):
    labels = np.repeat([0, 1], 10)
    features = np.column_stack([np.full(20, 7.3), rng.normal(size=20)])
    found = feature_terms(features, labels, 1 - labels, 2)
    assert (found.node_nats[found.of_nodes == 0] == 0).all()
    assert 0 not in found.of_clusters


def test_strongest_of_several_kinds_are_kept(words, rng):
    labels, counts = words
    some = word_terms(WordSource.from_counts(counts, "words", rng), counts, labels, (labels + 1) % 3, 3)
    both = combined([some, some.at(np.arange(100, 112))], len(labels), 3)
    assert both.of_nodes.shape == (60, OF_NODE)
    assert both.of_clusters.shape == (3, OF_CLUSTER)
    np.testing.assert_allclose(both.node_nats[:, 0], some.node_nats[:, 0])
    assert {1, 101} & set(both.of_clusters[0].tolist())


def test_without_anything_there_are_no_terms():
    nothing = combined([], 4, 2)
    assert (nothing.of_nodes == NO_TERM).all()
    assert (nothing.of_clusters == NO_TERM).all()
    assert no_terms(4, 2).node_nats.shape == (4, OF_NODE)


def test_the_largest_entries_are_those_of_a_stable_sort(rng):
    values = rng.integers(0, 4, (50, 12)).astype(float)
    expected = np.argsort(-values, axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(terms._largest(values, 5), expected)
