"""Nodes without edges and words are placed where they are likeliest."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph
from orthonet.datasets.sbm import block_layer
from orthonet.evidence.search import search_partitions
from orthonet.evidence.silent_nodes import place_silent_nodes
from orthonet.evidence.sources import LayerSource, WordSource

TRUTH = np.repeat([0, 1], [40, 30])


@pytest.fixture
def dense_and_sparse(rng):
    """Two clusters, the first with three times as many edges; three further nodes without any."""
    edges = block_layer(TRUTH, 0.5, 0.02, rng).toarray()
    few = rng.random((30, 30)) < 0.4
    edges[40:, 40:] *= few & few.T
    whole = np.zeros((73, 73))
    whole[:70, :70] = edges
    return csr_array(whole)


def test_nodes_without_edges_go_to_the_cluster_with_few_edges(dense_and_sparse):
    labels = np.append(TRUTH, [0, 1, 0])
    placed = place_silent_nodes([LayerSource(dense_and_sparse, "edges", 2.0)], labels, 2, np.ones(1))
    np.testing.assert_array_equal(placed[:70], TRUTH)
    np.testing.assert_array_equal(placed[70:], 1)


def test_a_far_larger_cluster_is_likelier(rng):
    edges = np.zeros((1003, 1003))
    ring = np.arange(1000)
    edges[ring, (ring + 1) % 1000] = edges[(ring + 1) % 1000, ring] = 1
    edges[1000, 1001] = edges[1001, 1000] = 1
    labels = np.append(np.zeros(1000, dtype=np.int64), [1, 1, 1])
    placed = place_silent_nodes([LayerSource(csr_array(edges), "edges", 1.0)], labels, 2, np.ones(1))
    assert placed[1002] == 0  # 1000 e^-2 > 2 e^-1


def test_words_speak_for_a_node_without_edges_unless_they_weigh_nothing(dense_and_sparse):
    words = WordSource(csr_array(np.ones((73, 2))), "words", 1.0)
    sources, labels = [LayerSource(dense_and_sparse, "edges", 2.0), words], np.append(TRUTH, [0, 1, 0])
    assert place_silent_nodes(sources, labels, 2, np.ones(2)) is labels
    np.testing.assert_array_equal(place_silent_nodes(sources, labels, 2, np.array([1.0, 0.0]))[70:], 1)


def test_the_choice_of_a_search_has_them_placed(dense_and_sparse, rng):
    search = search_partitions(MultilayerGraph([dense_and_sparse]), 2, rng)
    assert len(set(search.chosen.labels[70:].tolist())) == 1
    assert search.chosen.labels[70] == np.bincount(search.chosen.labels[40:70]).argmax()
    assert search.chosen.support == search.best.support
