"""The compressed mean against its exact twin, and what it says when it cannot keep up."""

import numpy as np
import pytest
from scipy.linalg import block_diag

from orthonet import MultilayerGraph, OrthoNet, aggregate, datasets, metrics
from orthonet.aggregation import dense
from orthonet.linalg.lowrank import LowRankUpdate

KINDS = ["joint", "normalized", "combinatorial"]


def mean_cosine(first, second, k):
    products = first.smallest_eigenvectors(k).T @ second.smallest_eigenvectors(k)
    return np.linalg.svd(products, compute_uv=False).mean()


@pytest.fixture(scope="module")
def clouds():
    return datasets.make_multilayer_gaussians(400, 3, 4, 2, separation=2, weights="self-tuning", random_state=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_lowest_eigenvectors_are_those_of_the_exact_mean(clouds, kind):
    exact, small = (aggregate(clouds.graph, solver=s, n_components=4, laplacian=kind) for s in ("exact", "compressed"))
    assert isinstance(small.matrix, LowRankUpdate)
    assert mean_cosine(exact, small, 4) > 0.99
    assert small.info["solver"] == "compressed"
    assert small.info["settled"]
    assert small.info["basis"] < 150


def test_one_layer_given_three_times_is_that_layer(clouds):
    layer = clouds.graph.layers[0]
    once, thrice = (
        aggregate(MultilayerGraph([layer] * times), solver="compressed", n_components=4) for times in (1, 3)
    )
    assert mean_cosine(once, thrice, 4) > 0.9999
    alone = aggregate(MultilayerGraph([layer]), "arithmetic")
    np.testing.assert_allclose(once.smallest_eigenpairs(4)[0], alone.smallest_eigenpairs(4)[0], atol=1e-3)


def test_it_says_for_how_many_vectors_it_was_made(clouds):
    small = aggregate(clouds.graph, solver="compressed", n_components=4)
    with pytest.warns(
        UserWarning, match="compressed for its 4 lowest eigenvectors, not 20; aggregate with n_components=20"
    ):
        small.smallest_eigenvectors(20)


def test_weight_zero_is_absence_and_a_seed_decides_everything(clouds):
    graph = clouds.graph
    options = {"solver": "compressed", "n_components": 4}
    without = aggregate(MultilayerGraph(graph.layers[:2]), **options)
    silent, again = (aggregate(graph, layer_weights=[1, 1, 0], **options) for _ in range(2))
    assert mean_cosine(without, silent, 4) > 0.9999
    np.testing.assert_array_equal(silent.matrix.basis, again.matrix.basis)


def test_missing_nodes_hardly_move_the_others(clouds):
    held = np.arange(400) >= 40
    mask = held[:, None] & held
    layers = [clouds.graph.layers[0].multiply(mask), *clouds.graph.layers[1:]]
    partial = MultilayerGraph(layers, present=[held, None, None])
    exact, small = (aggregate(partial, solver=solver, n_components=4) for solver in ("exact", "compressed"))
    assert mean_cosine(exact, small, 4) > 0.97


@pytest.mark.parametrize("kind", KINDS)
def test_components_are_found_whole(kind, rng):
    """Both layers fall into the same three pieces: the three lowest eigenvectors mark them."""
    blocks = [[np.triu(rng.random((30, 30)) < 0.4, 1) for _ in range(3)] for _ in range(2)]
    layers = [block_diag(*layer) + block_diag(*layer).T for layer in blocks]
    mean = aggregate(MultilayerGraph(layers), solver="compressed", n_components=3, laplacian=kind)
    vectors = mean.smallest_eigenvectors(3)
    for piece in np.split(vectors, 3):
        directions = piece / np.linalg.norm(piece, axis=1, keepdims=True)
        assert np.abs(directions @ directions[0]).min() > 0.999


def test_it_says_when_it_does_not_settle(rng):
    """Hundreds of pairs in each layer: more null directions than any small basis holds."""
    layers = []
    for _ in range(3):
        order = rng.permutation(600)
        layer = np.zeros((600, 600))
        layer[order[::2], order[1::2]] = rng.uniform(0.5, 2, 300)
        layers.append(layer + layer.T)
    with pytest.warns(
        UserWarning, match=r"compressed mean did not settle: .* its 10 lowest eigenvectors .* solver='exact'"
    ):
        mean = aggregate(MultilayerGraph(layers), solver="compressed", n_components=10)
    assert not mean.info["settled"]


def test_a_fit_with_the_compressed_mean_agrees_with_one_with_the_exact_mean(clouds, monkeypatch):
    monkeypatch.setattr(dense, "EXACT_UP_TO", 100)
    model = OrthoNet(4, random_state=0).fit(clouds.graph)
    assert model.aggregation_["solver"] == "compressed"
    monkeypatch.undo()
    assert metrics.adjusted_rand(OrthoNet(4, random_state=0).fit(clouds.graph).labels_, model.labels_) > 0.95
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(4), atol=1e-6)
