"""SpectralNet: its graph, its loss and its two steps on small cases; what it finds, and that it finds it again."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from orthonet import MultilayerGraph, datasets, metrics
from orthonet.baselines.siamese import contrastive_loss, neighbour_pairs, siamese_features
from orthonet.baselines.spectralnet import (
    Affinities,
    OrthogonalNet,
    SpectralNet,
    SpectralNetTraining,
    spectral_loss,
    train,
)
from orthonet.embedding.networks import Perceptron
from orthonet.embedding.nodes import Nodes

SMALL = {"hidden_layers": (64, 64), "random_state": 0}


def blobs(rng, size=50, n_clusters=3, distance=10.0):
    truth = np.repeat(np.arange(n_clusters), size)
    return truth, distance * np.eye(n_clusters)[truth] + rng.standard_normal((len(truth), n_clusters))


def net_of(sizes, seed=0):
    return OrthogonalNet(Perceptron(sizes, torch.Generator().manual_seed(seed), "relu"))


def nodes_of(features):
    return Nodes(features, lambda rows: rows, slice(0, len(features)), torch.device("cpu"), torch.float32)


def test_affinities_of_a_line_by_hand():
    # Each with itself and its nearest: 0-1, 1-0, 3-1 (d = 2), 7-3 (d = 4); the medians of (0, d) are d/2.
    found = Affinities(n_neighbors=1).of(torch.tensor([[0.0], [1.0], [3.0], [7.0]], dtype=torch.float64)).numpy()
    wanted = np.eye(4)
    wanted[0, 1] = wanted[1, 0] = np.exp(-(1 / 0.5**2))
    wanted[1, 2] = wanted[2, 1] = np.exp(-(2**2) / 0.5**2) / 2
    wanted[2, 3] = wanted[3, 2] = np.exp(-(4**2) / 1.0**2) / 2
    np.testing.assert_allclose(found, wanted)


def test_global_scale_by_hand():
    points = torch.tensor([[0.0], [1.0], [3.0], [7.0]], dtype=torch.float64)
    found = Affinities(n_neighbors=1, scale="global", scale_neighbor=2).of(points).numpy()
    # Distances to the nearest other are 1, 1, 2, 4: their median is 1.5.
    np.testing.assert_allclose(found[0, 1], np.exp(-1 / 1.5**2))
    np.testing.assert_allclose(found[2, 3], np.exp(-16 / 1.5**2) / 2)


def test_affinities_of_fewer_points_than_neighbours(rng):
    found = Affinities().of(torch.from_numpy(rng.standard_normal((5, 2))))
    assert (found > 0).all()
    np.testing.assert_allclose(found, found.T)


def test_loss_is_its_formula(rng):
    weights, outputs = rng.random((7, 7)), rng.standard_normal((7, 3))
    weights = weights + weights.T
    by_pairs = sum(weights[i, j] * np.sum((outputs[i] - outputs[j]) ** 2) for i in range(7) for j in range(7)) / 49
    assert float(spectral_loss(torch.from_numpy(weights), torch.from_numpy(outputs))) == pytest.approx(by_pairs)


def test_outputs_are_orthonormal_on_the_batch_of_the_orthogonalisation_step(rng):
    features = torch.from_numpy(rng.standard_normal((40, 5))).float()
    net = net_of((5, 16, 3))
    net.orthogonalise(net.outputs(features))
    outputs = net(features).detach().double()
    np.testing.assert_allclose(outputs.T @ outputs / 40, np.eye(3), atol=1e-4)


def test_dependent_outputs_do_not_stop_it():
    net = net_of((2, 8, 4))
    net.orthogonalise(net.outputs(torch.ones(20, 2)))
    assert torch.isfinite(net.layer).all()


def test_training_lowers_the_loss_towards_the_eigenvalues(rng):
    _, features = blobs(rng, distance=4.0)
    nodes, net = nodes_of(features), net_of((3, 64, 64, 3))
    weights = Affinities(10).of(torch.from_numpy(features))

    def loss_on_all():
        net.orthogonalise(net.plain(nodes))
        return float(spectral_loss(weights, torch.from_numpy(net.embed(nodes))))

    untrained = loss_on_all()
    losses = train(net, nodes, None, Affinities(10), SpectralNetTraining(epochs=100, batch_size=200), rng)
    trained = loss_on_all()
    # No K orthonormal columns have a lower loss than the lowest eigenvectors.
    least = 2 / 150 * np.linalg.eigvalsh(np.diag(weights.sum(dim=1)) - weights.numpy())[:3].sum()
    assert losses[-1] < losses[0]
    assert least <= trained < least + 0.2 * (untrained - least)


def test_finds_separated_blobs_and_places_new_nodes(rng):
    truth, features = blobs(rng)
    model = SpectralNet(3, **SMALL).fit(features)
    assert metrics.adjusted_rand(truth, model.labels_) == 1
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_ / 150, np.eye(3), atol=1e-8)
    np.testing.assert_array_equal(model.predict(features), model.labels_)
    np.testing.assert_allclose(model.transform(features[:7]), model.embedding_[:7], atol=1e-4)
    moved = features + 0.5 * rng.standard_normal(features.shape)
    assert metrics.adjusted_rand(truth, model.predict(moved)) == 1


def test_siamese_affinity_finds_them_too(rng):
    truth, features = blobs(rng, size=30)
    model = SpectralNet(3, affinity={"kind": "siamese", "epochs": 5}, **SMALL).fit(features)
    assert metrics.adjusted_rand(truth, model.labels_) == 1


@pytest.mark.parametrize("affinity", ["knn", {"kind": "siamese", "epochs": 2}], ids=["knn", "siamese"])
def test_hardly_more_nodes_than_clusters(rng, affinity):
    model = SpectralNet(2, affinity=affinity, training={"epochs": 2}, **SMALL).fit(rng.standard_normal((5, 3)))
    assert model.labels_.shape == (5,)
    assert np.isfinite(model.embedding_).all()


def test_several_batches(rng):
    truth, features = blobs(rng, size=80)
    model = SpectralNet(3, n_neighbors=10, training={"batch_size": 64, "epochs": 15}, **SMALL).fit(features)
    assert metrics.adjusted_rand(truth, model.labels_) == 1


def test_the_seed_decides_and_nothing_global(rng):
    _, features = blobs(rng, distance=1.5)
    one = SpectralNet(3, training={"epochs": 5}, **SMALL).fit(features)
    torch.manual_seed(99)
    before = torch.get_rng_state()
    other = SpectralNet(3, training={"epochs": 5}, **SMALL).fit(features)
    np.testing.assert_array_equal(one.embedding_, other.embedding_)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert torch.equal(before, torch.get_rng_state())
    third = SpectralNet(3, training={"epochs": 5}, hidden_layers=(64, 64), random_state=1).fit(features)
    assert not np.allclose(one.embedding_, third.embedding_)


def test_uses_the_features_of_a_graph_only(clouds):
    settings = SMALL | {"training": {"epochs": 3}}
    by_graph = SpectralNet(3, **settings).fit(clouds.graph)
    by_features = SpectralNet(3, **settings).fit(clouds.graph.features, layers=clouds.graph.layers, views=clouds.views)
    np.testing.assert_array_equal(by_graph.labels_, by_features.labels_)


def test_sparse_features(rng):
    truth = np.repeat([0, 1], 40)
    words = rng.poisson(3.0 * np.eye(2)[truth].repeat(10, axis=1) + 0.1).astype(float)
    sparse = SpectralNet(2, **SMALL).fit(csr_array(words))
    assert metrics.adjusted_rand(truth, sparse.labels_) == 1
    dense = SpectralNet(2, feature_scaling="unit", **SMALL).fit(words)
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)


def test_siamese_pairs(rng):
    features = rng.standard_normal((12, 3))
    first, second, alike = neighbour_pairs(features, 3, rng)
    assert len(first) == 72
    assert alike.sum() == 36
    assert (first != second).all()
    far = np.linalg.norm(features[first] - features[second], axis=1)
    for node in range(12):
        mine = first == node
        assert far[mine & alike].max() < far[mine & ~alike].min()
        assert ((second[mine] >= 0) & (second[mine] < 12)).all()


def test_siamese_loss_by_hand():
    one = torch.tensor([[0.0], [0.0], [0.0]])
    other = torch.tensor([[2.0], [0.25], [3.0]])
    assert float(contrastive_loss(one, other, torch.tensor([1.0, 0.0, 0.0]))) == pytest.approx(
        (4 + 0.75**2) / 3, abs=1e-4
    )


def test_siamese_net_brings_neighbours_together(rng):
    truth, features = blobs(rng, size=30)
    made = siamese_features(features, nodes_of(features), rng, epochs=10).numpy()
    far = np.linalg.norm(made[:, None] - made, axis=2)
    same = truth[:, None] == truth
    assert far[same].mean() < 0.3 * far[~same].mean()


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"affinity": "full"}, "affinity must be one of 'knn', 'siamese', got 'full'"),
        ({"training": {"batch_size": 3}}, r"training\.batch_size must be an integer >= 6, got 3"),
        (
            {"affinity": {"kind": "siamese", "n_neighbors": 149}},
            r"affinity\.n_neighbors must be an integer >= 1 and <= 148, got 149",
        ),
        ({"affinity": {"kind": "knn", "epochs": 3}}, "affinity 'knn' has no option 'epochs'; pass n_neighbors"),
        (
            {"training": {"steps": 3}},
            "training has no option 'steps'; it has learning_rate, epochs, batch_size, device",
        ),
        ({"n_clusters": 200}, "n_clusters must be an integer >= 2 and <= 150, got 200"),
    ],
)
def test_a_value_out_of_its_range_is_refused(clouds, options, wanted):
    with pytest.raises(ValueError, match=wanted):
        SpectralNet(**{"n_clusters": 3} | options).fit(clouds.graph)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"training": 3}, "training must be a mapping of options, a SpectralNetTraining or None, got 3"),
        ({"hidden_layers": ["8"]}, "hidden_layers must be an integer >= 1, got '8'"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(clouds, options, wanted):
    with pytest.raises(TypeError, match=wanted):
        SpectralNet(3, **options).fit(clouds.graph)


def test_a_graph_without_features_is_refused(clouds):
    with pytest.raises(ValueError, match="needs features, but the graph has none"):
        SpectralNet(3).fit(MultilayerGraph(clouds.graph.layers))


def test_new_nodes_with_other_features_are_refused(clouds):
    model = SpectralNet(3, training={"epochs": 1}, **SMALL).fit(clouds.graph)
    with pytest.raises(ValueError, match="X has 2 features, but SpectralNet was fitted on 6"):
        model.predict(clouds.graph.features[:, :2])


@pytest.mark.slow
def test_mfeat_is_clustered_as_by_the_authors_package(data_home):
    # The package reaches NMI 0.889 ± 0.003 after 30 epochs; 12 are enough to come within 0.03 of it, in half the time.
    data = datasets.load_mfeat(data_home)
    model = SpectralNet(10, training={"epochs": 12}, random_state=0).fit(data.graph)
    assert metrics.nmi(data.labels, model.labels_) > 0.86
