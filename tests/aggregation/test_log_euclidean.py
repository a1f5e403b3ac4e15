"""The log-Euclidean mean: its definition, its laws, and the compressed one against the exact."""

import numpy as np
import pytest
from scipy.linalg import expm, logm, subspace_angles

from orthonet import datasets
from orthonet.aggregation.geometric import geometric
from orthonet.aggregation.log_euclidean import log_euclidean
from orthonet.linalg.low_rank import IdentityPlusLowRank


def circulant(rng, n=12):
    """A ring whose edges depend on the distance only: all of them commute."""
    strengths = rng.random(n // 2)
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    distance = np.minimum(distance, n - distance)
    return np.where(distance > 0, strengths[distance - 1], 0.0)


@pytest.mark.parametrize("kind", ["joint", "normalized", "combinatorial"])
def test_equals_its_definition(random_layers, problem_of, kind):
    problem = problem_of(random_layers(), kind, weights=[1, 2, 3])
    mean, told = log_euclidean(problem)
    logs = [logm(layer.toarray()) for layer in problem.laplacians]
    np.testing.assert_allclose(mean, expm((logs[0] + 2 * logs[1] + 3 * logs[2]) / 6), atol=1e-10)
    assert told == {"solver": "exact"}


def test_commuting_layers_give_the_elementwise_and_the_geometric_mean(rng, problem_of):
    problem = problem_of([circulant(rng) for _ in range(3)], "combinatorial", weights=[1, 1, 2])
    mean = log_euclidean(problem)[0]
    spectra = [np.fft.fft(layer.toarray()[0]).real for layer in problem.laplacians]
    elementwise = np.fft.ifft(spectra[0] ** 0.25 * spectra[1] ** 0.25 * spectra[2] ** 0.5).real
    np.testing.assert_allclose(mean[0], elementwise, atol=1e-12)
    np.testing.assert_allclose(mean, geometric(problem, tol=1e-12, max_iter=200)[0], atol=1e-9)


def test_determinant_is_the_geometric_mean_of_the_determinants(random_layers, problem_of):
    problem = problem_of(random_layers(), weights=[1, 2, 2])
    log_determinants = [np.linalg.slogdet(layer.toarray())[1] for layer in problem.laplacians]
    mean = log_euclidean(problem)[0]
    assert np.linalg.slogdet(mean)[1] == pytest.approx(np.dot([0.2, 0.4, 0.4], log_determinants))


@pytest.mark.parametrize("weights", ["gaussian", "reciprocal"])
def test_compressed_finds_the_subspace_of_the_exact_mean(problem_of, weights):
    graph = datasets.make_multilayer_gaussians(400, 3, 4, n_neighbors=10, weights=weights, random_state=3).graph
    problem = problem_of(graph, "joint", 1e-3, [1, 2, 1], k=4)
    exact = np.linalg.eigh(log_euclidean(problem, solver="exact")[0])[1][:, :4]
    small, told = log_euclidean(problem, solver="compressed")
    assert isinstance(small, IdentityPlusLowRank)
    assert told["solver"] == "compressed"
    found = np.linalg.eigh(small.toarray())[1][:, :4]
    assert np.cos(subspace_angles(exact, found)).mean() > 0.99


def test_compressed_finds_the_subspace_although_layers_lack_nodes(problem_with_holes):
    exact = np.linalg.eigh(log_euclidean(problem_with_holes, solver="exact")[0])[1][:, :4]
    found = np.linalg.eigh(log_euclidean(problem_with_holes, solver="compressed")[0].toarray())[1][:, :4]
    assert np.cos(subspace_angles(exact, found)).mean() > 0.95  # the two fill the holes differently
