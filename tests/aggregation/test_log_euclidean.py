"""The log-Euclidean mean: its definition, its laws, and the compressed one against the exact."""

import warnings

import numpy as np
import pytest
from scipy.linalg import expm, logm, subspace_angles

from orthonet import MultilayerGraph, datasets
from orthonet.aggregation import dense
from orthonet.aggregation.geometric import geometric
from orthonet.aggregation.log_euclidean import log_euclidean
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.lowrank import LowRankUpdate


def random_layers(rng, n=15, n_layers=3):
    layers = []
    for _ in range(n_layers):
        weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
        weights[np.arange(n - 1), np.arange(1, n)] += 0.1  # a path keeps it connected
        layers.append(weights + weights.T)
    return layers


def problem_of(layers, kind="joint", epsilon=1e-2, weights=None, k=3, **more):
    return AggregationProblem.of(MultilayerGraph(layers, **more), kind, epsilon, weights, k, np.random.default_rng(0))


def circulant(rng, n=12):
    """A ring whose edges depend on the distance only: all of them commute."""
    strengths = rng.random(n // 2)
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    distance = np.minimum(distance, n - distance)
    return np.where(distance > 0, strengths[distance - 1], 0.0)


@pytest.mark.parametrize("kind", ["joint", "normalized", "combinatorial"])
def test_equals_its_definition(rng, kind):
    problem = problem_of(random_layers(rng), kind, weights=[1, 2, 3])
    mean, told = log_euclidean(problem)
    logs = [logm(layer.toarray()) for layer in problem.laplacians]
    np.testing.assert_allclose(mean, expm((logs[0] + 2 * logs[1] + 3 * logs[2]) / 6), atol=1e-10)
    assert told == {"solver": "exact"}


def test_commuting_layers_give_the_elementwise_and_the_geometric_mean(rng):
    problem = problem_of([circulant(rng) for _ in range(3)], "combinatorial", weights=[1, 1, 2])
    mean = log_euclidean(problem)[0]
    spectra = [np.fft.fft(layer.toarray()[0]).real for layer in problem.laplacians]
    elementwise = np.fft.ifft(spectra[0] ** 0.25 * spectra[1] ** 0.25 * spectra[2] ** 0.5).real
    np.testing.assert_allclose(mean[0], elementwise, atol=1e-12)
    np.testing.assert_allclose(mean, geometric(problem, tol=1e-12, max_iter=200)[0], atol=1e-9)


def test_determinant_is_the_geometric_mean_of_the_determinants(rng):
    problem = problem_of(random_layers(rng), weights=[1, 2, 2])
    log_determinants = [np.linalg.slogdet(layer.toarray())[1] for layer in problem.laplacians]
    mean = log_euclidean(problem)[0]
    assert np.linalg.slogdet(mean)[1] == pytest.approx(np.dot([0.2, 0.4, 0.4], log_determinants))


def test_orders_of_nodes_and_layers_and_weight_zero(rng):
    layers = random_layers(rng)
    mean = log_euclidean(problem_of(layers, weights=[1, 2, 3]))[0]
    np.testing.assert_allclose(log_euclidean(problem_of(layers[::-1], weights=[3, 2, 1]))[0], mean, atol=1e-12)
    order = rng.permutation(15)
    permuted = [layer[np.ix_(order, order)] for layer in layers]
    np.testing.assert_allclose(
        log_euclidean(problem_of(permuted, weights=[1, 2, 3]))[0], mean[np.ix_(order, order)], atol=1e-12
    )
    silent = log_euclidean(problem_of(layers, weights=[1, 2, 0]))[0]
    np.testing.assert_allclose(silent, log_euclidean(problem_of(layers[:2], weights=[1, 2]))[0], atol=1e-12)


def test_a_layer_that_lacks_nodes_leaves_the_mean_positive_definite(rng):
    layers = random_layers(rng)
    held = np.arange(15) < 9
    layers[0][~held] = layers[0][:, ~held] = 0.0
    mean = log_euclidean(problem_of(layers, present=[held, None, None]))[0]
    np.testing.assert_allclose(mean, mean.T)
    assert np.linalg.eigvalsh(mean)[0] > 0


@pytest.mark.parametrize("weights", ["gaussian", "reciprocal"])
def test_compressed_finds_the_subspace_of_the_exact_mean(weights):
    graph = datasets.make_multilayer_gaussians(400, 3, 4, n_neighbors=10, weights=weights, random_state=3).graph
    problem = AggregationProblem.of(graph, "joint", 1e-3, [1, 2, 1], 4, np.random.default_rng(0))
    exact = np.linalg.eigh(log_euclidean(problem, solver="exact")[0])[1][:, :4]
    small, told = log_euclidean(problem, solver="compressed")
    assert isinstance(small, LowRankUpdate)
    assert told["solver"] == "compressed"
    found = np.linalg.eigh(small.toarray())[1][:, :4]
    assert np.cos(subspace_angles(exact, found)).mean() > 0.99


def test_compressed_finds_the_subspace_although_layers_lack_nodes(rng):
    whole = datasets.make_multilayer_gaussians(300, 3, 4, n_neighbors=10, weights="gaussian", random_state=3).graph
    present = [rng.random(300) > 0.1 * s for s in range(3)]
    layers = [layer.toarray() * np.outer(held, held) for layer, held in zip(whole.layers, present, strict=True)]
    problem = problem_of(layers, epsilon=1e-3, k=4, present=present)
    exact = np.linalg.eigh(log_euclidean(problem, solver="exact")[0])[1][:, :4]
    found = np.linalg.eigh(log_euclidean(problem, solver="compressed")[0].toarray())[1][:, :4]
    assert np.cos(subspace_angles(exact, found)).mean() > 0.95  # the two fill the holes differently


def test_auto_is_compressed_beyond_a_size_and_exact_has_an_end(rng, monkeypatch):
    problem = problem_of(random_layers(rng, n=30), k=1)
    monkeypatch.setattr(dense, "EXACT_UP_TO", 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random layers have no low-dimensional mean, and it says so
        assert log_euclidean(problem)[1]["solver"] == "compressed"
    monkeypatch.setattr(dense, "EXACT_AT_MOST", 20)
    with pytest.raises(ValueError, match=r"exact log-Euclidean mean .* 30 nodes are more than the 20"):
        log_euclidean(problem, solver="exact")
