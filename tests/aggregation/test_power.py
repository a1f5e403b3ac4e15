"""The power mean: its definition written down again, its special cases, and the compressed one against the exact."""

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power, inv, subspace_angles

from orthonet import datasets
from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.log_euclidean import log_euclidean
from orthonet.aggregation.power import power, power_mean
from orthonet.linalg.low_rank import IdentityPlusLowRank

WEIGHTS = np.array([1, 2, 3]) / 6


def shifted(problem, p):
    shift = np.log(1 + abs(p)) if p <= 0 else 0.0
    return [layer.toarray() + shift * np.eye(problem.n_nodes) for layer in problem.laplacians]


@pytest.mark.parametrize("p", [-10, -1, 0.5, 1, 2])
@pytest.mark.parametrize("kind", ["joint", "normalized"])
def test_equals_its_definition(random_layers, problem_of, p, kind):
    problem = problem_of(random_layers(), kind, weights=WEIGHTS)
    mean, told = power(problem, p=p)
    dense = mean if isinstance(mean, np.ndarray) else mean.toarray()
    powers = [fractional_matrix_power(layer, p) for layer in shifted(problem, p)]
    definition = fractional_matrix_power(sum(w * one for w, one in zip(WEIGHTS, powers, strict=True)), 1 / p)
    np.testing.assert_allclose(dense, definition, atol=1e-8)
    assert told["solver"] == "exact"
    assert told["p"] == p


def test_one_is_the_arithmetic_mean_and_minus_one_the_harmonic(random_layers, problem_of):
    problem = problem_of(random_layers(), weights=WEIGHTS)
    np.testing.assert_allclose(power(problem, p=1)[0].toarray(), arithmetic(problem)[0].toarray(), atol=1e-14)
    # Either side of the short cut at 1
    for p in (1 - 1e-7, 1 + 1e-7):
        np.testing.assert_allclose(power(problem, p=p)[0], arithmetic(problem)[0].toarray(), atol=1e-6)
    harmonic = inv(sum(w * inv(one) for w, one in zip(WEIGHTS, shifted(problem, -1), strict=True)))
    np.testing.assert_allclose(power(problem, p=-1)[0], harmonic, atol=1e-12)


@pytest.mark.parametrize("sign", [-1, 1])
def test_tends_to_the_log_euclidean_mean_at_zero(random_layers, problem_of, sign):
    problem = problem_of(random_layers(), weights=WEIGHTS)
    limit = log_euclidean(problem)[0]
    gaps = [np.abs(power(problem, p=sign * p)[0] - limit).max() for p in (1e-2, 1e-4, 1e-6)]
    assert gaps[0] > 30 * gaps[1] > 900 * gaps[2]
    assert np.abs(power(problem, p=sign * 1e-12)[0] - limit).max() < 1e-9
    np.testing.assert_array_equal(power(problem, p=0)[0], limit)


def test_powers_are_ordered(random_layers, problem_of):
    """Eigenvalue by eigenvalue a larger p gives a larger mean of the same matrices."""
    matrices = [layer.toarray() for layer in problem_of(random_layers()).laplacians]
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
def test_a_power_too_large_for_the_lowest_eigenvalues_warns(problem_of, clouds, solver):
    problem = problem_of(clouds.graph, "joint", 1e-3, k=3)
    with pytest.warns(UserWarning, match=r"p=100 squeezes the lowest eigenvalues .* pass a smaller p"):
        mean = power(problem, p=100, solver=solver)[0]
    assert np.isfinite(mean @ np.ones(problem.n_nodes)).all()


@pytest.mark.parametrize("p", [-1e4, -100])
def test_large_negative_powers_of_layers_are_positive_definite(random_layers, problem_of, p):
    mean = power(problem_of(random_layers()), p=p)[0]
    assert np.isfinite(mean).all()
    assert np.linalg.eigvalsh(mean)[0] > 0


def test_order_of_the_matrices_does_not_matter_although_the_scale_is_found_on_the_way():
    small, large = 1e-3 * np.eye(4) + np.ones((4, 4)), 1e3 * np.diag([1.0, 2.0, 3.0, 4.0])
    for p in (-7, 3):
        first = power_mean([small, large], np.array([0.3, 0.7]), p)[0]
        second = power_mean([large, small], np.array([0.7, 0.3]), p)[0]
        np.testing.assert_allclose(first, second, rtol=1e-6, atol=1e-9 * np.abs(first).max())


@pytest.mark.parametrize("p", [-10, 2])
def test_orders_of_nodes_and_layers_and_weight_zero(rng, random_layers, problem_of, p):
    layers = random_layers()
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
def test_compressed_finds_the_subspace_of_the_exact_mean(problem_of, p):
    graph = datasets.make_multilayer_gaussians(400, 3, 4, n_neighbors=10, weights="gaussian", random_state=3).graph
    problem = problem_of(graph, "joint", 1e-3, [1, 2, 1], k=4)
    exact = np.linalg.eigh(power(problem, p=p, solver="exact")[0])
    small, told = power(problem, p=p, solver="compressed")
    assert isinstance(small, IdentityPlusLowRank)
    assert told["solver"] == "compressed"
    found = np.linalg.eigh(small.toarray())  # of the whole matrix: the complement must not come below
    assert np.cos(subspace_angles(exact[1][:, :4], found[1][:, :4])).mean() > 0.99
    np.testing.assert_allclose(found[0][:4], exact[0][:4], rtol=0.05, atol=2e-3)
    assert found[0][-1] == pytest.approx(exact[0].mean(), rel=0.5)


def test_compressed_finds_the_subspace_although_layers_lack_nodes(problem_with_holes):
    exact = np.linalg.eigh(power(problem_with_holes, solver="exact")[0])[1][:, :4]
    found = np.linalg.eigh(power(problem_with_holes, solver="compressed")[0].toarray())[1][:, :4]
    assert np.cos(subspace_angles(exact, found)).mean() > 0.99


@pytest.mark.parametrize(
    ("p", "error"), [(np.nan, ValueError), (-np.inf, ValueError), ("ten", TypeError), (None, TypeError)]
)
def test_a_power_that_is_no_finite_number_is_named(random_layers, problem_of, p, error):
    with pytest.raises(error, match="p must be a finite number, got"):
        power(problem_of(random_layers()), p=p)
