"""The order in which the search takes nodes depends on their edges, not on how they, or the layers, are numbered."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet, datasets
from orthonet.clustering.inputs import fit_input
from orthonet.clustering.judging import node_order
from orthonet.clustering.parameters import check_parameters
from orthonet.clustering.preparation import prepare
from orthonet.graph.knn import knn_layer


@pytest.fixture
def layers(rng):
    weights = rng.exponential(size=(2, 40, 40)) * (rng.random((2, 40, 40)) < [[[0.1]], [[0.2]]])
    return [csr_array(one + one.T) for one in weights]


def in_their_order(graph):
    """The node ids, which are numbers given at the start, in the order of the search."""
    return graph.node_ids[node_order(graph)]


def test_numbering_of_nodes_does_not_matter(layers, rng):
    graph = MultilayerGraph(layers, node_ids=np.arange(40))
    np.testing.assert_array_equal(in_their_order(graph), in_their_order(graph.subgraph(rng.permutation(40))))


@pytest.mark.parametrize("as_features", [np.asarray, csr_array])
def test_nodes_of_equal_features_are_told_apart_by_their_edges(layers, rng, as_features):
    features = as_features(rng.integers(0, 2, (40, 2)).astype(float))
    graph = MultilayerGraph(layers, features, node_ids=np.arange(40))
    np.testing.assert_array_equal(in_their_order(graph), in_their_order(graph.subgraph(rng.permutation(40))))


def test_order_and_unit_of_layers_do_not_matter(layers):
    graph, other = MultilayerGraph(layers), MultilayerGraph([1000 * layers[1], layers[0]])
    np.testing.assert_array_equal(node_order(graph), node_order(other))


def test_groups_are_not_nodes_even_if_they_are_as_many(rng):
    incidence = csr_array(rng.poisson(0.1, size=(40, 40)).astype(float))
    graph = MultilayerGraph(two_mode={"club": incidence})
    renumbered = MultilayerGraph(two_mode={"club": incidence[:, rng.permutation(40)]})
    np.testing.assert_array_equal(node_order(graph), node_order(renumbered))


def prepared(graph):
    model = OrthoNet(3)
    return prepare(fit_input(graph, None, lambda X: X), check_parameters(model.get_params(deep=False)))


def test_neighbours_by_all_features_are_known_from_the_layer_that_was_built_of_them(rng):
    graph = datasets.make_multilayer_gaussians(60, 2, 3, 2, random_state=0).graph
    ready = prepared(graph)
    expected = knn_layer(ready.scale(graph.features), 10)
    np.testing.assert_allclose(ready.neighbours_by_features.toarray(), expected.toarray())
    club = csr_array(rng.poisson(1.0, size=(60, 4)).astype(float))
    with_groups = MultilayerGraph(graph.layers, graph.features, layers_from_features=True, two_mode={"club": club})
    assert prepared(with_groups).neighbours_by_features is None  # the last layer may be that of the groups
    assert (
        prepared(MultilayerGraph(graph.layers, graph.features)).neighbours_by_features is None
    )  # averaged over relations
