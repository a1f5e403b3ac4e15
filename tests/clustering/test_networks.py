"""The kinds of nets and the choices around them: what each promises, needs and refuses."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_info
from torch import nn

from orthonet import MultilayerGraph, OrthoNet, aggregate, datasets, metrics
from orthonet.embedding.devices import threads
from orthonet.embedding.networks import Perceptron

PAPER = {"assign_labels": "kmeans", "layer_weights": None}
"""The paper's way."""


@pytest.fixture(scope="module")
def data():
    return datasets.make_multilayer_gaussians(150, 3, 3, 2, random_state=0)


def small(n_clusters=3, *, network=None, training=None, **options):
    if not isinstance(network, nn.Module):
        given = {"kind": network} if isinstance(network, str) else network or {}
        network = {"hidden_layers": (30, 20)} | given
    training = {"max_iter": 30} | (training or {})
    return OrthoNet(n_clusters, network=network, training=training, random_state=0, **options)


def own_module(n_outputs=3, n_inputs=6, seed=0):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(n_inputs, 20), nn.BatchNorm1d(20), nn.Tanh(), nn.Linear(20, n_outputs))


def orthogonal_share(one, other):
    """Mean squared cosine between the spaces that two sets of orthonormal columns span."""
    return np.linalg.norm(one.T @ other) ** 2 / one.shape[1]


# Linear nets are spectral clustering


def test_a_linear_net_of_one_hot_nodes_is_spectral_clustering(data):
    graph = MultilayerGraph(data.graph.layers)
    merged = aggregate(graph, n_components=3)
    values, vectors = merged.smallest_eigenpairs(3)
    training = {"learning_rate": 0.03, "max_iter": 300, "tol": 0, "n_networks": 1}
    model = small(network="linear", training=training, **PAPER).fit(graph)
    found = np.trace(model.embedding_.T @ (merged @ model.embedding_))
    assert values.sum() * (1 - 1e-9) <= found <= values.sum() * (1 + 1e-6)
    assert orthogonal_share(vectors, model.embedding_) > 1 - 1e-6
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    spectral = KMeans(3, n_init=20, random_state=0).fit_predict(rows)
    assert metrics.adjusted_rand(spectral, model.labels_) == 1


def test_no_net_is_below_the_sum_of_the_smallest_eigenvalues(data):
    model = small(feature_layer=0).fit(data.graph)
    merged = aggregate(data.graph, n_components=3)
    lowest = merged.smallest_eigenpairs(3)[0].sum()
    assert np.trace(model.embedding_.T @ (merged @ model.embedding_)) > lowest


# Nets and features that average over neighbours


@pytest.mark.parametrize("options", [{"network": "gcn"}, {"smoothing": 1}, {"network": "gcn", "smoothing": 2}], ids=str)
@pytest.mark.parametrize("convert", [np.array, lambda features: csr_array(np.abs(features))], ids=["dense", "sparse"])
def test_averaging_models_fit_and_place_the_nodes_of_a_graph(data, options, convert):
    graph = MultilayerGraph(data.graph.layers, convert(data.graph.features), data.graph.layer_names)
    model = small(**options).fit(graph)
    # In single precision, and a fit takes nodes and weights in an order and in units of its own.
    np.testing.assert_allclose(model.transform(graph), model.embedding_, atol=1e-8)
    np.testing.assert_array_equal(model.predict(graph), model.labels_)
    part = graph.subgraph(np.arange(0, 150, 2))
    assert model.predict(part).shape == (75,)
    for method in (model.transform, model.predict, model.predict_proba):
        with pytest.raises(ValueError, match=r"averages features over neighbours.*pass a MultilayerGraph"):
            method(graph.features)


@pytest.mark.parametrize("options", [{"network": "gcn"}, {"smoothing": 1}], ids=str)
def test_averaging_models_find_the_clusters(data, options):
    assert metrics.nmi(data.labels, small(**options, training={"max_iter": 100}).fit(data.graph).labels_) > 0.8


def test_an_averaging_model_of_features_alone(data):
    model = small(smoothing=1).fit(data.graph.features)
    assert model.labels_.shape == (150,)


def test_smoothing_needs_features(data):
    with pytest.raises(ValueError, match="smoothing=2, but the graph has no features to smooth"):
        small(smoothing=2).fit(None, layers=data.graph.layers)


def test_a_gcn_takes_all_nodes_at_once(data):
    with pytest.raises(ValueError, match=r"network='gcn' averages over neighbours.*batch_size=None.*smoothing=2"):
        small(network="gcn", training={"batch_size": 50}).fit(data.graph)
    labels = small(network="gcn").fit(data.graph).labels_
    for all_nodes in (None, 150, 1000):
        np.testing.assert_array_equal(
            small(network="gcn", training={"batch_size": all_nodes}).fit(data.graph).labels_, labels
        )


# Modules of the user's own


def test_a_module_of_ones_own_is_copied_and_trained(data):
    module = own_module()
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    model = small(network=module, training={"max_iter": 100}).fit(data.graph)
    assert metrics.nmi(data.labels, model.labels_) > 0.8
    np.testing.assert_array_equal(model.predict(data.graph.features), model.labels_)
    assert model.network is module
    assert module.training
    for name, tensor in module.state_dict().items():
        assert torch.equal(tensor, before[name])
        assert tensor.dtype == before[name].dtype
    assert all(parameter.grad is None for parameter in module.parameters())


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (own_module(n_outputs=4), r"network maps 2 nodes to an array of shape \(2, 4\).*n_clusters=3 outputs"),
        (own_module(n_inputs=5), r"network fails on features of shape \(2, 6\)"),
        (nn.Tanh(), "network is a module without parameters"),
        (nn.Sequential(nn.Linear(6, 3), nn.Flatten(0)), r"network fails on features of shape \(2, 6\)"),
    ],
    ids=["outputs", "inputs", "parameters", "flat"],
)
def test_a_module_that_does_not_fit_is_refused(data, module, message):
    with pytest.raises(ValueError, match=message):
        small(network=module).fit(data.graph)


# Saved and loaded


@pytest.mark.parametrize(
    "options",
    [
        {"network": "linear"},
        {"network": "gcn"},
        {"smoothing": 2},
        {"network": {"activation": "gelu"}},
        {"training": {"n_networks": 1}},
        {},
    ],
    ids=str,
)
def test_every_kind_of_net_comes_back(data, tmp_path, options):
    model = small(**options).fit(data.graph)
    model.save(tmp_path / "model")
    loaded = OrthoNet.load(tmp_path / "model")
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.transform(data.graph), model.transform(data.graph))
    np.testing.assert_array_equal(loaded.predict(data.graph), model.labels_)
    np.testing.assert_array_equal(loaded.probabilities_, model.probabilities_)
    np.testing.assert_array_equal(loaded.predict_proba(data.graph), model.predict_proba(data.graph))
    if options.get("network") == "gcn" or "smoothing" in options:
        with pytest.raises(ValueError, match="pass a MultilayerGraph"):
            loaded.predict(data.graph.features)


def test_a_module_of_ones_own_comes_back_into_a_module(data, tmp_path):
    model = small(network=own_module()).fit(data.graph)
    model.save(tmp_path / "model")
    other = own_module(seed=1)
    before = {name: tensor.clone() for name, tensor in other.state_dict().items()}
    loaded = OrthoNet.load(tmp_path / "model", network=other)
    np.testing.assert_array_equal(loaded.transform(data.graph), model.transform(data.graph))
    np.testing.assert_array_equal(loaded.labels_, model.labels_)
    assert all(torch.equal(tensor, before[name]) for name, tensor in other.state_dict().items())
    with pytest.raises(ValueError, match=r"contains a net of your own.*OrthoNet\.load\(path, network=module\)"):
        OrthoNet.load(tmp_path / "model")
    with pytest.raises(ValueError, match=r"pass a module of the same form.*the weights are of shapes"):
        OrthoNet.load(tmp_path / "model", network=nn.Linear(6, 3))


# Batches, and features that stay on disk


def test_batches_find_the_clusters_too(data):
    model = small(training={"batch_size": 60, "max_iter": 150}).fit(data.graph)
    assert metrics.nmi(data.labels, model.labels_) > 0.8
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-6)
    np.testing.assert_array_equal(model.predict(data.graph.features), model.labels_)


@pytest.mark.parametrize("options", [{}, PAPER], ids=["default", "paper"])
@pytest.mark.parametrize("batch_size", [None, 60])
@pytest.mark.parametrize("kind", ["map", "blocks"])
def test_features_on_disk_give_the_same_as_in_memory(data, tmp_path, batch_size, kind, options):
    features, layers = data.graph.features, data.graph.layers
    np.save(tmp_path / "features.npy", features)
    mapped = np.load(tmp_path / "features.npy", mmap_mode="r")
    options = {"feature_layer": 0, "training": {"batch_size": batch_size}} | options
    in_memory = small(**options).fit(features, layers=layers)
    given = mapped if kind == "map" else iter(np.array_split(features, 4))
    on_disk = small(**options).fit(given, layers=layers)
    np.testing.assert_array_equal(on_disk.labels_, in_memory.labels_)
    np.testing.assert_allclose(on_disk.embedding_, in_memory.embedding_, atol=1e-9)
    np.testing.assert_array_equal(on_disk.predict(mapped), in_memory.labels_)
    np.testing.assert_array_equal(on_disk.predict(iter(np.array_split(features, 4))), in_memory.labels_)
    in_a_graph = small(**options).fit(MultilayerGraph(layers, mapped))
    np.testing.assert_array_equal(in_a_graph.labels_, in_memory.labels_)


# Labels and how sure they are


@pytest.mark.parametrize("normalize_rows", [True, False])
@pytest.mark.parametrize("assign_labels", ["kmeans", "cluster_qr", "discretize"])
def test_every_way_to_cut_the_embedding(data, assign_labels, normalize_rows):
    model = small(
        training={"max_iter": 100}, assign_labels={"method": assign_labels, "normalize_rows": normalize_rows}
    ).fit(data.graph)
    assert metrics.nmi(data.labels, model.labels_) > 0.7
    assert (np.diff(np.bincount(model.labels_)) <= 0).all()
    np.testing.assert_array_equal(model.predict(data.graph.features), model.labels_)
    assert model.probabilities_.shape == (150, 3)
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1)
    np.testing.assert_array_equal(model.probabilities_.argmax(axis=1), model.labels_)
    np.testing.assert_array_equal(model.confidence_, model.probabilities_.max(axis=1))
    predicted = model.predict_proba(data.graph.features)
    np.testing.assert_allclose(predicted, model.probabilities_, atol=1e-9)


def test_new_nodes_have_probabilities(data):
    model = small().fit(data.graph)
    new = data.graph.features[:20] + 0.1
    probabilities = model.predict_proba(new)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(new))


def test_wrong_labels_are_less_sure_than_right_ones():
    hard = datasets.make_multilayer_gaussians(300, 2, 3, 2, separation=2.0, random_state=0)
    model = small(training={"max_iter": 100}).fit(hard.graph)
    majority = np.array([np.bincount(hard.labels[model.labels_ == group]).argmax() for group in range(3)])
    right = majority[model.labels_] == hard.labels
    assert 0 < right.mean() < 1
    assert model.confidence_[right].mean() > model.confidence_[~right].mean()


# The layer of all features together


@pytest.mark.parametrize(("feature_layer", "share"), [("auto", 0.2), (0.5, 0.5), (0, None)])
def test_the_feature_layer_has_its_share(data, feature_layer, share):
    model = small(feature_layer=feature_layer, training={"max_iter": 2}, **PAPER).fit(data.graph)
    weights = model.aggregation_["layer_weights"]
    assert weights.get("features") == (share if share is None else pytest.approx(share))
    assert sum(weights.values()) == pytest.approx(1)
    others = [weights[name] for name in data.graph.layer_names]
    np.testing.assert_allclose(others, (1 - (share or 0)) / 3)


@pytest.mark.parametrize("kind", ["sparse", "map"])
def test_sparse_and_mapped_features_make_no_layer_unless_asked(data, tmp_path, kind):
    features = np.abs(data.graph.features)
    np.save(tmp_path / "features.npy", features)
    given = csr_array(features) if kind == "sparse" else np.load(tmp_path / "features.npy", mmap_mode="r")
    graph = MultilayerGraph(data.graph.layers, given, layers_from_features=True)
    for options in ({}, PAPER):
        assert "features" not in small(training={"max_iter": 2}, **options).fit(graph).aggregation_["layer_weights"]
    asked = small(feature_layer=0.3, training={"max_iter": 2}, **PAPER).fit(graph).aggregation_["layer_weights"]
    assert asked["features"] == pytest.approx(0.3)


def test_a_layer_called_features_keeps_its_name(data):
    graph = MultilayerGraph(data.graph.layers, data.graph.features, ["features", "b", "c"])
    weights = small(training={"max_iter": 2}).fit(graph).aggregation_["layer_weights"]
    assert list(weights) == ["features", "b", "c", "features (all)"]


def test_a_feature_layer_needs_features(data):
    with pytest.raises(ValueError, match=r"feature_layer=0\.3, but the graph has no features"):
        small(feature_layer=0.3).fit(None, layers=data.graph.layers)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"network": "transformer"}, ValueError, "network must be one of 'mlp', 'linear', 'gcn', got 'transformer'"),
        ({"network": None}, ValueError, "network must be one of"),
        ({"network": nn.Linear}, ValueError, "network must be one of"),
        ({"network": {"activation": "softmax"}}, ValueError, "activation must be one of 'prelu'.*got 'softmax'"),
        ({"assign_labels": "dbscan"}, ValueError, "assign_labels must be one of 'evidence', 'kmeans'.*got 'dbscan'"),
        ({"feature_layer": 1}, ValueError, "feature_layer must be 'auto', or at least 0 and below 1, got 1"),
        ({"feature_layer": -0.1}, ValueError, "feature_layer must be 'auto'.*got -0.1"),
        ({"feature_layer": np.nan}, ValueError, "feature_layer must be a finite number"),
        ({"feature_layer": "some"}, TypeError, "feature_layer must be a finite number, got 'some'"),
        ({"smoothing": -1}, ValueError, "smoothing must be an integer >= 0, got -1"),
        ({"training": {"device": "abacus"}}, ValueError, "device must be 'auto', 'cpu'.*got 'abacus'"),
        ({"training": {"device": "cuda:99"}}, ValueError, "device='cuda:99', but this machine has no such device"),
        ({"training": {"device": "meta"}}, ValueError, "device must be one of 'cpu'.*got 'meta'"),
        ({"training": {"dtype": "float16"}}, ValueError, "dtype must be one of 'float32', 'float64', got 'float16'"),
        ({"training": {"n_jobs": 0}}, ValueError, "n_jobs must be an integer >= 1, got 0"),
        ({"training": {"n_jobs": 1.5}}, TypeError, "n_jobs must be an integer >= 1, got 1.5"),
        ({"training": {"batch_size": 1}}, ValueError, "batch_size must be an integer >= 2, got 1"),
        ({"training": {"batch_size": "all"}}, TypeError, "batch_size must be an integer >= 2, got 'all'"),
        ({"training": {"n_networks": 0}}, ValueError, "n_networks must be an integer >= 1, got 0"),
        ({"network": {"n_inputs": 0}}, ValueError, "n_inputs must be an integer >= 1, got 0"),
    ],
    ids=str,
)
def test_bad_values_are_named(data, parameters, error, message):
    with pytest.raises(error, match=message):
        OrthoNet(3, **parameters).fit(data.graph)


@pytest.mark.parametrize(
    "options",
    [{"training": {"dtype": "float64"}}, {"training": {"n_jobs": 1}}, {"training": {"device": "cpu"}}],
    ids=str,
)
def test_where_and_how_precisely_the_net_computes_does_not_change_the_groups(data, options):
    plain, other = small().fit(data.graph), small(**options).fit(data.graph)
    assert metrics.adjusted_rand(plain.labels_, other.labels_) > 0.95


def test_the_number_of_threads_is_given_back(data):
    before = torch.get_num_threads()
    small(training={"n_jobs": before + 1, "max_iter": 2}).fit(data.graph)
    assert torch.get_num_threads() == before


def test_small_work_takes_one_thread_and_large_work_what_there_is():
    before = torch.get_num_threads()
    with threads(None, n_nodes=100):
        assert torch.get_num_threads() == 1
        assert all(pool["num_threads"] == 1 for pool in threadpool_info())
    with threads(None, n_nodes=10**6):
        assert torch.get_num_threads() == before
    assert torch.get_num_threads() == before


def test_three_nets_where_labels_rest_on_the_embedding_alone(data):
    by_evidence = OrthoNet(3, random_state=0, training={"max_iter": 2}).fit(data.graph)
    by_embedding = OrthoNet(3, random_state=0, training={"max_iter": 2}, assign_labels="kmeans").fit(data.graph)
    assert [len(model._result.embedder.network.members) for model in (by_evidence, by_embedding)] == [1, 3]


@pytest.mark.parametrize("convert", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_many_features_are_reduced_for_training_and_new_nodes_still_come_with_all_of_them(data, convert):
    rng = np.random.default_rng(0)
    n_features = data.graph.features.shape[1]
    many = convert(data.graph.features @ rng.normal(size=(n_features, 40)))
    graph = MultilayerGraph(data.graph.layers, many)
    model = small(network={"hidden_layers": (20,), "n_inputs": n_features}).fit(graph)
    member = model._result.embedder.network.members[0]
    assert member.sizes == (40, 20, 3)
    assert np.linalg.matrix_rank(member.layers[0].weight.detach().numpy()) <= n_features
    np.testing.assert_allclose(model.transform(many[:5]), model.embedding_[:5], atol=1e-8)


def test_a_net_that_takes_over_a_linear_map_computes_the_same():
    generator = torch.Generator().manual_seed(0)
    net = Perceptron((3, 5, 2), generator)
    basis, inputs = torch.rand(7, 3), torch.rand(4, 7)
    before = net(inputs @ basis)
    net.absorb(basis)
    torch.testing.assert_close(net(inputs), before)
