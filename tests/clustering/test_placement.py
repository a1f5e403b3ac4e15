"""New nodes are placed by their features, and by their edges to nodes that the model knows; saved models do the same."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, OrthoNet, datasets, metrics
from orthonet.clustering.placement import Head, train_head, warn_of_poor_features
from orthonet.clustering.result import ARRAYS

QUICK = {"max_iter": 5, "n_networks": 1}
KNOWN = np.arange(240) % 6 > 0
"""200 of 240 nodes."""


def company(**options):
    teams = {"p_in": 0.15, "p_out": 0.02, "n_features": 3, "feature_noise": 0.5, "random_state": 1}
    return datasets.make_multilayer_sbm(240, 3, 4, **teams | options)


def quick(**options):
    return OrthoNet(4, training=QUICK, random_state=0, **options)


def named(graph, features=True):
    """Name the nodes."""
    ids = [f"person {node}" for node in range(graph.n_nodes)]
    return MultilayerGraph(graph.layers, graph.features if features else None, graph.layer_names, ids)


def accuracy_on_new_nodes(data, model, predicted):
    """Share of the new nodes that are placed with those known nodes that have their class."""
    classes = [np.bincount(data.labels[KNOWN][model.labels_ == cluster]).argmax() for cluster in range(4)]
    return (np.array(classes)[predicted[~KNOWN]] == data.labels[~KNOWN]).mean()


@pytest.fixture(scope="module")
def poor():
    data = company(feature_noise=5.0)
    with pytest.warns(UserWarning, match="features alone give"):
        model = quick().fit(named(data.graph).subgraph(KNOWN))
    return data, model


# Edges to known nodes


def test_edges_to_known_nodes_place_new_ones_better_than_poor_features(poor):
    data, model = poor
    assert metrics.nmi(data.labels[KNOWN], model.labels_) >= 0.95
    by_edges = accuracy_on_new_nodes(data, model, model.predict(named(data.graph)))
    by_features = accuracy_on_new_nodes(data, model, model.predict(data.graph.features))
    assert by_edges >= 0.9
    assert by_features < 0.6


@pytest.mark.filterwarnings("ignore:features alone give")
def test_numbered_nodes_are_known_in_a_graph_that_has_all_of_them():
    data = company(feature_noise=5.0)
    model = quick().fit(data.graph.subgraph(np.arange(200)))
    with_edges = model.predict_proba(data.graph)
    assert not np.allclose(with_edges, model.predict_proba(data.graph.features))
    assert metrics.nmi(data.labels[:200], with_edges[:200].argmax(axis=1)) >= 0.9
    assert metrics.nmi(data.labels[200:], with_edges[200:].argmax(axis=1)) >= 0.7


def test_the_numbers_of_a_smaller_graph_are_not_taken_for_known_nodes(poor):
    data, _ = poor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = quick().fit(data.graph)
    part = data.graph.subgraph(np.arange(100, 200))
    other = MultilayerGraph(part.layers, part.features, part.layer_names)  # its nodes are 0 to 99
    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(part.features))


def test_other_ids_and_other_layers_are_not_known(poor):
    data, model = poor
    by_features = model.predict_proba(data.graph.features)
    graph = data.graph
    strangers = MultilayerGraph(graph.layers, graph.features, graph.layer_names, [f"x{node}" for node in range(240)])
    np.testing.assert_array_equal(model.predict_proba(strangers), by_features)
    elsewhere = MultilayerGraph(graph.layers, graph.features, ["a", "b", "c"], named(graph).node_ids)
    np.testing.assert_array_equal(model.predict_proba(elsewhere), by_features)


def test_a_layer_is_known_by_its_name_not_by_its_place(poor):
    data, model = poor
    graph = named(data.graph)
    turned = MultilayerGraph(graph.layers[::-1], graph.features, graph.layer_names[::-1], graph.node_ids)
    np.testing.assert_allclose(model.predict_proba(turned), model.predict_proba(graph), atol=1e-9)


def test_edges_between_new_nodes_say_nothing(poor):
    data, model = poor
    graph = named(data.graph)
    between = np.outer(~KNOWN, ~KNOWN)
    layers = [layer.multiply(~between) for layer in graph.layers]
    fewer = MultilayerGraph(layers, graph.features, graph.layer_names, graph.node_ids)
    np.testing.assert_allclose(model.predict_proba(fewer), model.predict_proba(graph), atol=1e-9)


@pytest.mark.parametrize("fitted_with", ["features", "edges alone"])
@pytest.mark.filterwarnings("ignore:features alone give")
def test_a_graph_without_features_is_placed_by_its_edges(poor, fitted_with):
    data, model = poor
    bare = named(data.graph, features=False)
    if fitted_with == "edges alone":
        model = quick().fit(bare.subgraph(KNOWN))
    assert accuracy_on_new_nodes(data, model, model.predict(bare)) >= 0.9
    probabilities = model.predict_proba(bare)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_a_model_of_edges_alone_refuses_features():
    data = company()
    model = quick().fit(named(data.graph, features=False).subgraph(KNOWN))
    with pytest.raises(ValueError, match=r"without features.*pass predict a graph with edges to known nodes"):
        model.predict(data.graph.features)


# Saved and loaded


@pytest.mark.parametrize("ids", ["numbers", "names"])
@pytest.mark.parametrize("features", ["dense", "sparse", "none"])
@pytest.mark.filterwarnings("ignore:features alone give")
def test_a_loaded_model_has_everything_and_predicts_the_same(tmp_path, ids, features):
    graph = company(feature_noise=1.0).graph
    given = {"dense": graph.features, "sparse": csr_array(np.maximum(graph.features, 0)), "none": None}[features]
    node_ids = [f"ü {node}" for node in range(240)] if ids == "names" else None
    graph = MultilayerGraph(graph.layers, given, graph.layer_names, node_ids)
    model = quick().fit(graph.subgraph(np.arange(200)))
    model.save(tmp_path / "model")
    loaded = OrthoNet.load(tmp_path / "model")
    for name in ARRAYS:
        one, other = getattr(loaded, f"{name}_"), getattr(model, f"{name}_")
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        np.testing.assert_array_equal(one, other)
    assert (loaded.source_names_, loaded.layer_names_) == (model.source_names_, model.layer_names_)
    assert loaded._result.node_ids.tolist() == model._result.node_ids.tolist()
    np.testing.assert_array_equal(loaded.predict_proba(graph), model.predict_proba(graph))
    before, after = model._result.head, loaded._result.head
    if features == "none":
        assert before is after is None
        return
    assert (after.inputs, after.accuracy) == (before.inputs, before.accuracy)
    np.testing.assert_array_equal(after.weights, before.weights)
    np.testing.assert_array_equal(after.bias, before.bias)
    np.testing.assert_array_equal(loaded.predict_proba(graph.features), model.predict_proba(graph.features))


# The head


def trained(features, labels, n_clusters, embedding=None, seed=0):
    embedding = np.ones((len(labels), n_clusters)) if embedding is None else embedding
    return train_head(features, lambda rows: rows, embedding, labels, n_clusters, np.random.default_rng(seed))


def test_the_head_takes_what_predicts_the_labels_better(rng):
    labels = rng.integers(0, 3, 300)
    good, bad = np.eye(3)[labels] + rng.normal(0, 0.1, (300, 3)), rng.normal(size=(300, 3))
    by_features, by_embedding = trained(good, labels, 3, bad), trained(bad, labels, 3, good)
    assert (by_features.inputs, by_embedding.inputs) == ("features", "embedding")
    for head in (by_features, by_embedding):
        assert head.accuracy > 0.95
        assert head.weights.shape == (3, 3)


def test_the_accuracy_is_that_of_nodes_left_out(rng):
    labels = rng.integers(0, 2, 100)
    noise = rng.normal(size=(100, 300))  # enough columns to learn any labels by heart
    head = trained(noise, labels, 2, rng.normal(size=(100, 2)))
    assert head.accuracy < 0.7


@pytest.mark.parametrize("present", [[0, 1, 2], [0, 2], [1]], ids=str)
def test_clusters_without_nodes_are_never_predicted(rng, present):
    labels = np.array(present)[np.arange(90) % len(present)]
    features = np.eye(3)[labels] + rng.normal(0, 0.1, (90, 3))
    head = trained(features, labels, 3)
    np.testing.assert_array_equal(head.log_odds(features).argmax(axis=1), labels)


def test_a_head_that_needs_more_steps_says_nothing_of_them(rng, monkeypatch):
    monkeypatch.setattr("orthonet.clustering.placement.MAX_ITER", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trained(rng.normal(size=(90, 5)), np.arange(90) % 3, 3, rng.normal(size=(90, 3)))


def test_sparse_and_dense_features_give_one_head(rng):
    labels = rng.integers(0, 3, 120)
    features = np.maximum(np.eye(3)[labels] + rng.normal(0, 0.3, (120, 3)), 0)
    dense, sparse = trained(features, labels, 3), trained(csr_array(features), labels, 3)
    assert dense.accuracy == sparse.accuracy
    np.testing.assert_allclose(dense.log_odds(features), sparse.log_odds(csr_array(features)), atol=1e-3)


def test_log_odds_are_linear():
    head = Head("features", np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 0.0]), 1.0)
    np.testing.assert_array_equal(head.log_odds(np.array([[3.0, 1.0]])), [[3.5, 2.0]])


@pytest.mark.parametrize(("accuracy", "poor"), [(0.30, True), (0.59, True), (0.61, False), (1.0, False)])
def test_poor_features_are_said_to_be_poor_against_the_largest_cluster(accuracy, poor):
    labels = np.repeat([0, 1, 2, 3, 4], 20)  # the largest has 20 %, so that 60 % is halfway
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warn_of_poor_features(accuracy, labels)
    assert len(told) == poor
    if poor:
        assert str(told[0].message).startswith(f"features alone give {accuracy:.0%} of the nodes their cluster")
        assert "naming the largest would give 20%" in str(told[0].message)
