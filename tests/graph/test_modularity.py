"""Modularity and densities obey their laws, and small cases worked by hand."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph
from orthonet.graph.modularity import block_densities, block_weights, layer_agreement, modularity

TWO_TRIANGLES = np.zeros((6, 6))
for a, b in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]:
    TWO_TRIANGLES[a, b] = TWO_TRIANGLES[b, a] = 1.0
SIDES = np.array([0, 0, 0, 1, 1, 1])


def test_modularity_of_two_triangles_joined_by_an_edge():
    # 6 of 7 edges within, and each side has half of the degrees: 6/7 − 1/2.
    assert modularity(csr_array(TWO_TRIANGLES), SIDES, 2) == pytest.approx(6 / 7 - 1 / 2)


def test_modularity_laws(rng, random_layer):
    layer, labels = random_layer(rng), rng.integers(0, 4, 40)
    found = modularity(layer, labels, 4)
    order = rng.permutation(40)
    assert modularity(layer[order][:, order], labels[order], 4) == pytest.approx(found)
    assert modularity(layer * 7.5, labels, 4) == pytest.approx(found)
    assert modularity(layer, np.array([3, 1, 0, 2])[labels], 4) == pytest.approx(found)
    assert modularity(layer, labels, 9) == pytest.approx(found)  # empty clusters change nothing
    assert modularity(layer, np.zeros(40, int), 1) == pytest.approx(0)
    assert -0.5 <= found <= 1


def test_modularity_is_the_one_of_networkx(rng, random_layer):
    networkx = pytest.importorskip("networkx")
    layer, labels = random_layer(rng), rng.integers(0, 3, 40)
    groups = [set(np.flatnonzero(labels == k).tolist()) for k in range(3)]
    expected = networkx.community.modularity(networkx.from_scipy_sparse_array(layer), groups)
    assert modularity(layer, labels, 3) == pytest.approx(expected)


def test_an_empty_layer_has_no_modularity_but_a_density():
    empty = csr_array((4, 4))
    labels = np.array([0, 0, 1, 1])
    assert np.isnan(modularity(empty, labels, 2))
    np.testing.assert_array_equal(block_densities(empty, labels, 2), np.zeros((2, 2)))


def test_block_densities_of_two_triangles():
    found = block_densities(csr_array(3.0 * TWO_TRIANGLES), SIDES, 2)
    np.testing.assert_allclose(found, [[1, 1 / 9], [1 / 9, 1]])


def test_missing_nodes_form_no_pairs():
    layer = csr_array(TWO_TRIANGLES[:5, :5])
    present = np.array([True, True, True, True, True, False])
    padded = csr_array(np.pad(TWO_TRIANGLES[:5, :5], (0, 1)))
    np.testing.assert_allclose(block_densities(padded, SIDES, 2, present), block_densities(layer, SIDES[:5], 2))


def test_a_lone_node_or_an_empty_cluster_has_no_density_within():
    found = block_densities(csr_array(TWO_TRIANGLES), np.array([0, 0, 0, 0, 0, 1]), 3)
    assert np.isnan(found[1, 1])
    assert np.isnan(found[2]).all()
    assert found[0, 1] == pytest.approx(2 / 5)


def test_block_weights_add_up_to_the_layer(rng, random_layer):
    layer = random_layer(rng)
    found = block_weights(layer, rng.integers(0, 5, 40), 5)
    np.testing.assert_allclose(found, found.T)
    assert found.sum() == pytest.approx(layer.sum())


def test_agreement_of_a_graph(rng, random_layer):
    graph = MultilayerGraph({"sides": TWO_TRIANGLES, "across": random_layer(rng, 6, 0.9)})
    sides, across = layer_agreement(graph, SIDES, 2)
    assert (sides.name, across.name) == ("sides", "across")
    assert sides.within_share == pytest.approx(6 / 7)
    assert sides.by_chance == pytest.approx(1 / 2)
    assert sides.modularity == pytest.approx(sides.within_share - sides.by_chance)
    assert (sides.density_within, sides.density_between) == pytest.approx((1, 1 / 9))
    assert sides.modularity > across.modularity
