"""The order in which a fit takes nodes depends on their features and edges, not on how they, or the layers, are numbered."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet, datasets
from orthonet.clustering import node_order as ordering
from orthonet.clustering.inputs import fit_input
from orthonet.clustering.node_order import in_node_order, node_order, spatial_order
from orthonet.clustering.parameters import check_parameters
from orthonet.clustering.preparation import prepare
from orthonet.evidence import graph_sources
from orthonet.graph.knn import knn_layer


@pytest.fixture
def layers(rng):
    weights = rng.exponential(size=(2, 40, 40)) * (rng.random((2, 40, 40)) < [[[0.1]], [[0.2]]])
    return [csr_array(one + one.T) for one in weights]


def in_their_order(graph):
    """The node ids, which are numbers given at the start, in the order of a fit."""
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


def test_features_too_large_for_memory_stay_where_they_are(layers, tmp_path, rng, monkeypatch):
    monkeypatch.setattr(graph_sources, "BLOCK_BYTES", 100)
    np.save(tmp_path / "features.npy", rng.standard_normal((40, 3)))
    graph = MultilayerGraph(layers, np.load(tmp_path / "features.npy", mmap_mode="r"))
    same, order = in_node_order(graph)
    assert same is graph
    np.testing.assert_array_equal(order, np.arange(40))


@pytest.mark.parametrize("laplacian", ["joint", "normalized"])
def test_nothing_hangs_on_the_unit_of_weights(rng, laplacian):
    drawn = datasets.make_multilayer_sbm(150, 3, 3, p_in=0.15, n_features=4, random_state=0).graph
    counts = [
        csr_array((rng.integers(1, 6, layer.nnz).astype(float), layer.indices, layer.indptr)) for layer in drawn.layers
    ]
    layers = [csr_array(layer.maximum(layer.T)) for layer in counts]
    known, factors = np.arange(120), np.array([1000.0, 1.0, 0.3])
    plain = MultilayerGraph(layers, drawn.features)
    scaled = MultilayerGraph([factor * layer for factor, layer in zip(factors, layers, strict=True)], drawn.features)
    options = {"laplacian": laplacian, "training": {"max_iter": 5}, "random_state": 0, "verbose": False}
    first, second = (OrthoNet(3, **options).fit(graph.subgraph(known)) for graph in (plain, scaled))
    np.testing.assert_array_equal(second.labels_, first.labels_)
    np.testing.assert_array_equal(second.embedding_, first.embedding_)
    np.testing.assert_allclose(second.edge_evidence_ * np.sqrt(factors)[:, None, None], first.edge_evidence_)
    np.testing.assert_allclose(second.predict_proba(scaled), first.predict_proba(plain), atol=1e-9)


# Of many nodes


def test_the_order_of_many_does_not_depend_on_how_they_are_numbered(rng):
    features = rng.standard_normal((500, 5))
    order = spatial_order(features)
    np.testing.assert_array_equal(np.sort(order), np.arange(500))
    turned = rng.permutation(500)
    np.testing.assert_array_equal(turned[spatial_order(features[turned])], order)


def test_like_nodes_stand_near_each_other(rng):
    features = rng.standard_normal((2000, 2))
    steps = np.linalg.norm(np.diff(features[spatial_order(features)], axis=0), axis=1)
    assert np.median(steps) < 0.2 * np.median(np.linalg.norm(np.diff(features, axis=0), axis=1))


def test_equal_nodes_are_no_trouble():
    assert len(spatial_order(np.zeros((3000, 3)))) == 3000


# Whole fits


@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
@pytest.mark.parametrize(
    "options", [{}, {"assign_labels": "kmeans", "layer_weights": None}], ids=["evidence", "as in the paper"]
)
@pytest.mark.parametrize("kind", ["graph", "features", "words"])
def test_nothing_hangs_on_how_nodes_are_numbered(monkeypatch, rng, kind, options, many):
    graph = datasets.make_multilayer_gaussians(120, 2, 3, random_state=0).graph
    if kind == "words":
        graph = MultilayerGraph(graph.layers, csr_array(rng.poisson(0.3, (120, 30)).astype(float)))
    if many:
        monkeypatch.setattr(ordering, "SAMPLE", 100)
    turned, short = rng.permutation(120), {"training": {"max_iter": 5}, "random_state": 0, "verbose": False, **options}
    given, other = graph, graph.subgraph(turned)
    if kind == "features":
        given, other = given.features, other.features
    plain, permuted = OrthoNet(3, **short).fit(given), OrthoNet(3, **short).fit(other)
    np.testing.assert_array_equal(permuted.labels_, plain.labels_[turned])
    np.testing.assert_array_equal(permuted.embedding_, plain.embedding_[turned])
    np.testing.assert_array_equal(permuted.probabilities_, plain.probabilities_[turned])
    np.testing.assert_array_equal(permuted.evidence_, plain.evidence_[turned])
    np.testing.assert_array_equal(permuted.cluster_centers_, plain.cluster_centers_)
    # A subgraph has the ids of its nodes; of features alone the ids are positions.
    node, same_node = int(turned[0]), 0 if kind == "features" else int(turned[0])
    assert str(permuted.explain(same_node)) == str(plain.explain(node)).replace(f"node {node}:", f"node {same_node}:")
