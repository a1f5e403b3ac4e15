"""The power mean: its definition written down again, its special cases, and the compressed one against the exact."""

import warnings

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power, inv, subspace_angles

from orthonet import MultilayerGraph, datasets
from orthonet.aggregation import dense
from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.log_euclidean import log_euclidean
from orthonet.aggregation.power import power, power_mean
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.lowrank import LowRankUpdate

WEIGHTS = np.array([1, 2, 3]) / 6


def random_layers(rng, n=15, n_layers=3):
    layers = []
    for _ in range(n_layers):
        weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
        weights[np.arange(n - 1), np.arange(1, n)] += 0.1  # a path keeps it connected
        layers.append(weights + weights.T)
    return layers


def problem_of(layers, kind="joint", epsilon=1e-2, weights=None, k=3, **more):
    return AggregationProblem.of(MultilayerGraph(layers, **more), kind, epsilon, weights, k, np.random.default_rng(0))


def shifted(problem, p):
    shift = np.log(1 + abs(p)) if p <= 0 else 0.0
    return [layer.toarray() + shift * np.eye(problem.n_nodes) for layer in problem.laplacians]


@pytest.mark.parametrize("p", [-10, -1, 0.5, 1, 2])
@pytest.mark.parametrize("kind", ["joint", "normalized"])
def test_equals_its_definition(rng, p, kind):
    problem = problem_of(random_layers(rng), kind, weights=WEIGHTS)
    mean, told = power(problem, p=p)
    dense = mean if isinstance(mean, np.ndarray) else mean.toarray()
    powers = [fractional_matrix_power(layer, p) for layer in shifted(problem, p)]
    definition = fractional_matrix_power(sum(w * one for w, one in zip(WEIGHTS, powers, strict=True)), 1 / p)
    np.testing.assert_allclose(dense, definition, atol=1e-8)
    assert told["solver"] == "exact"
    assert told["p"] == p


def test_one_is_the_arithmetic_mean_and_minus_one_the_harmonic(rng):
    problem = problem_of(random_layers(rng), weights=WEIGHTS)
    np.testing.assert_allclose(power(problem, p=1)[0].toarray(), arithmetic(problem)[0].toarray(), atol=1e-14)
    # Either side of the short cut at 1
    for p in (1 - 1e-7, 1 + 1e-7):
        np.testing.assert_allclose(power(problem, p=p)[0], arithmetic(problem)[0].toarray(), atol=1e-6)
    harmonic = inv(sum(w * inv(one) for w, one in zip(WEIGHTS, shifted(problem, -1), strict=True)))
    np.testing.assert_allclose(power(problem, p=-1)[0], harmonic, atol=1e-12)


@pytest.mark.parametrize("sign", [-1, 1])
def test_tends_to_the_log_euclidean_mean_at_zero(rng, sign):
    problem = problem_of(random_layers(rng), weights=WEIGHTS)
    limit = log_euclidean(problem)[0]
    gaps = [np.abs(power(problem, p=sign * p)[0] - limit).max() for p in (1e-2, 1e-4, 1e-6)]
    assert gaps[0] > 30 * gaps[1] > 900 * gaps[2]
    assert np.abs(power(problem, p=sign * 1e-12)[0] - limit).max() < 1e-9
    np.testing.assert_array_equal(power(problem, p=0)[0], limit)


def test_powers_are_ordered(rng):
    """Eigenvalue by eigenvalue a larger p gives a larger mean of the same matrices."""
    matrices = [layer.toarray() for layer in problem_of(random_layers(rng)).laplacians]
    spectra = [np.linalg.eigvalsh(power_mean(matrices, WEIGHTS, p)[0]).sum() for p in (-5, -1, 0.5, 1, 2)]
    assert np.all(np.diff(spectra) > 0)


@pytest.mark.parametrize("p", [-1e5, -400, 400, 1e5])
def test_large_powers_neither_overflow_nor_vanish(p):
    """Diagonal matrices: the mean tends to the smallest or the largest entry."""
    matrices = [np.diag([1.0, 5.0, 30.0]), np.diag([2.0, 4.0, 10.0])]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        mean = power_mean(matrices, np.array([0.5, 0.5]), p)[0]
    assert np.isfinite(mean).all()
    extreme = np.diag([1.0, 4.0, 10.0] if p < 0 else [2.0, 5.0, 30.0])
    known = 0 if p < 0 else 2  # what rounding leaves at such powers
    assert mean[known, known] == pytest.approx(extreme[known, known], rel=2e-3)


@pytest.mark.filterwarnings("ignore:the compressed mean did not settle")
@pytest.mark.parametrize("solver", ["exact", "compressed"])
def test_a_power_too_large_for_the_lowest_eigenvalues_warns(clouds, solver):
    problem = AggregationProblem.of(clouds.graph, "joint", 1e-3, None, 3, np.random.default_rng(0))
    with pytest.warns(UserWarning, match=r"p=100 squeezes the lowest eigenvalues .* pass a smaller p"):
        mean = power(problem, p=100, solver=solver)[0]
    assert np.isfinite(mean @ np.ones(problem.n_nodes)).all()


@pytest.mark.parametrize("p", [-1e4, -100])
def test_large_negative_powers_of_layers_are_positive_definite(rng, p):
    mean = power(problem_of(random_layers(rng)), p=p)[0]
    assert np.isfinite(mean).all()
    assert np.linalg.eigvalsh(mean)[0] > 0


def test_order_of_the_matrices_does_not_matter_although_the_scale_is_found_on_the_way(rng):
    small, large = 1e-3 * np.eye(4) + np.ones((4, 4)), 1e3 * np.diag([1.0, 2.0, 3.0, 4.0])
    for p in (-7, 3):
        first = power_mean([small, large], np.array([0.3, 0.7]), p)[0]
        second = power_mean([large, small], np.array([0.7, 0.3]), p)[0]
        np.testing.assert_allclose(first, second, rtol=1e-6, atol=1e-9 * np.abs(first).max())


@pytest.mark.parametrize("p", [-10, 2])
def test_orders_of_nodes_and_layers_and_weight_zero(rng, p):
    layers = random_layers(rng)
    mean = power(problem_of(layers, weights=[1, 2, 3]), p=p)[0]
    np.testing.assert_allclose(power(problem_of(layers[::-1], weights=[3, 2, 1]), p=p)[0], mean, atol=1e-9)
    order = rng.permutation(15)
    permuted = [layer[np.ix_(order, order)] for layer in layers]
    np.testing.assert_allclose(
        power(problem_of(permuted, weights=[1, 2, 3]), p=p)[0], mean[np.ix_(order, order)], atol=1e-9
    )
    silent = power(problem_of(layers, weights=[1, 2, 0]), p=p)[0]
    np.testing.assert_allclose(silent, power(problem_of(layers[:2], weights=[1, 2]), p=p)[0], atol=1e-9)


@pytest.mark.parametrize("p", [-10, -1, 0, 2])
def test_compressed_finds_the_subspace_of_the_exact_mean(p):
    graph = datasets.make_multilayer_gaussians(400, 3, 4, n_neighbors=10, weights="gaussian", random_state=3).graph
    problem = AggregationProblem.of(graph, "joint", 1e-3, [1, 2, 1], 4, np.random.default_rng(0))
    exact = np.linalg.eigh(power(problem, p=p, solver="exact")[0])
    small, told = power(problem, p=p, solver="compressed")
    assert isinstance(small, LowRankUpdate)
    assert told["solver"] == "compressed"
    found = np.linalg.eigh(small.toarray())  # of the whole matrix: the complement must not come below
    assert np.cos(subspace_angles(exact[1][:, :4], found[1][:, :4])).mean() > 0.99
    np.testing.assert_allclose(found[0][:4], exact[0][:4], rtol=0.05, atol=2e-3)
    assert found[0][-1] == pytest.approx(exact[0].mean(), rel=0.5)


def test_a_layer_that_lacks_nodes_leaves_the_mean_positive_definite(rng):
    layers = random_layers(rng)
    held = np.arange(15) < 9
    layers[0][~held] = layers[0][:, ~held] = 0.0
    mean = power(problem_of(layers, present=[held, None, None]))[0]
    np.testing.assert_allclose(mean, mean.T)
    assert np.linalg.eigvalsh(mean)[0] > 0


def test_compressed_finds_the_subspace_although_layers_lack_nodes(rng):
    whole = datasets.make_multilayer_gaussians(300, 3, 4, n_neighbors=10, weights="gaussian", random_state=3).graph
    present = [rng.random(300) > 0.1 * s for s in range(3)]
    layers = [layer.toarray() * np.outer(held, held) for layer, held in zip(whole.layers, present, strict=True)]
    problem = problem_of(layers, epsilon=1e-3, k=4, present=present)
    exact = np.linalg.eigh(power(problem, solver="exact")[0])[1][:, :4]
    found = np.linalg.eigh(power(problem, solver="compressed")[0].toarray())[1][:, :4]
    assert np.cos(subspace_angles(exact, found)).mean() > 0.99


def test_auto_is_compressed_beyond_a_size_and_exact_has_an_end(rng, monkeypatch):
    problem = problem_of(random_layers(rng, n=30), k=1)
    monkeypatch.setattr(dense, "EXACT_UP_TO", 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random layers have no low-dimensional mean, and it says so
        assert power(problem)[1]["solver"] == "compressed"
    monkeypatch.setattr(dense, "EXACT_AT_MOST", 20)
    with pytest.raises(ValueError, match=r"exact power mean .* 30 nodes are more than the 20"):
        power(problem, solver="exact")


@pytest.mark.parametrize(
    ("p", "error"), [(np.nan, ValueError), (-np.inf, ValueError), ("ten", TypeError), (None, TypeError)]
)
def test_a_power_that_is_no_finite_number_is_named(rng, p, error):
    with pytest.raises(error, match="p must be a finite number, got"):
        power(problem_of(random_layers(rng)), p=p)
