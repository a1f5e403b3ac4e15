"""How many independent observations edges and words are: worked cases."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from orthonet.datasets.sbm import block_layer
from orthonet.evidence.observations import PAIRS, effective_observations, layer_closure, word_closure
from orthonet.evidence.sources import LayerSource, WordSource


def cliques(*sizes):
    return csr_array(block_diag([csr_array(np.ones((size, size)) - np.eye(size)) for size in sizes]))


def of_layer(adjacency, rng):
    return LayerSource.from_layer(csr_array(adjacency), "", rng).observations


@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 3), (2, 5, 40), (60,)])
def test_a_node_of_a_clique_is_observed_once_however_large_the_clique(sizes, rng):
    assert of_layer(cliques(*sizes), rng) == pytest.approx(1)


def test_edges_without_triangles_are_all_independent(rng):
    star = np.zeros((8, 8))
    star[0, 1:] = star[1:, 0] = 1.0
    assert of_layer(star, rng) == pytest.approx(14 / 8)  # the mean degree
    two_mode = np.zeros((10, 10))
    two_mode[:4, 4:] = two_mode[4:, :4] = 1.0
    assert of_layer(two_mode, rng) == pytest.approx(48 / 10)


def test_edges_of_a_random_graph_are_correlated_by_its_density(rng):
    n_nodes, density = 300, 0.1
    layer = block_layer(np.zeros(n_nodes, dtype=np.int64), density, 0.0, rng)
    degree = (n_nodes - 1) * density
    assert of_layer(layer, rng) == pytest.approx(degree / (1 + (degree - 1) * density), rel=0.05)


def test_a_node_without_edges_is_not_observed(rng):
    lonely = csr_array(block_diag([cliques(4), csr_array((4, 4))]))
    assert of_layer(lonely, rng) == pytest.approx(0.5)
    assert of_layer(csr_array((5, 5)), rng) == 0
    np.testing.assert_array_equal(effective_observations(np.array([0, 1, 2]), 0.0), [0, 1, 2])


def test_weights_of_edges_do_not_change_the_number_of_observations(random_layer, rng):
    layer = random_layer(rng)
    assert of_layer(layer, np.random.default_rng(1)) == of_layer(100 * layer, np.random.default_rng(1))


def test_documents_of_one_vocabulary_are_observed_once(rng):
    # Two vocabularies; who has one word of it has all.
    counts = csr_array(np.kron(np.eye(2), np.ones((10, 6))))
    assert word_closure(counts, rng) == 1
    assert WordSource.from_counts(counts, "", rng).observations == pytest.approx(1)


def test_words_drawn_independently_are_correlated_by_their_frequency(rng):
    n_words, frequency = 60, 0.2
    counts = csr_array((rng.random((1000, n_words)) < frequency).astype(float))
    length = n_words * frequency
    expected = length / (1 + (length - 1) * frequency)
    assert WordSource.from_counts(counts, "", rng).observations == pytest.approx(expected, rel=0.07)


def test_words_that_no_other_document_has_are_all_independent(rng):
    counts = csr_array(np.kron(np.eye(5), np.ones((1, 3))))
    assert WordSource.from_counts(counts, "", rng).observations == pytest.approx(3)


def test_a_chance_is_estimated_to_the_accuracy_promised(rng):
    layer = block_layer(np.arange(200) % 4, 0.4, 0.05, rng)
    pattern = layer.toarray() > 0
    degrees = pattern.sum(axis=1)
    joined = np.einsum("ij,jk,ik->i", pattern.astype(float), pattern, pattern)
    exact = np.mean((joined / (degrees * (degrees - 1)))[degrees >= 2])
    assert layer_closure(layer, rng) == pytest.approx(exact, abs=4 * 0.5 / np.sqrt(PAIRS))
