"""Laws of the geometric mean, and its agreement with pyRiemann."""

import numpy as np
import pytest
from pyriemann.geometry.mean import mean_riemann

from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import laplacian
from orthonet.linalg import spd


def test_functions_undo_each_other(rng, random_spd):
    matrix = random_spd(rng, 8)
    np.testing.assert_allclose(spd.sqrt(matrix) @ spd.sqrt(matrix), matrix, atol=1e-12)
    np.testing.assert_allclose(spd.exp(spd.log(matrix)), matrix, atol=1e-12)


def test_mean_of_one_matrix_is_itself(matrices):
    np.testing.assert_allclose(spd.geometric_mean(matrices[:1]), matrices[0])


def test_mean_of_equal_matrices_is_that_matrix(matrices):
    np.testing.assert_allclose(spd.geometric_mean([matrices[0]] * 3), matrices[0], rtol=1e-9)


def test_two_matrices_have_a_closed_form(matrices):
    first, second = matrices[:2]
    root = spd.sqrt(first)
    inverse = np.linalg.inv(root)
    closed = root @ spd.sqrt(inverse @ second @ inverse) @ root
    assert spd.distance(spd.geometric_mean(matrices[:2]), closed) < 1e-9
    iterated = spd.geometric_mean(matrices[:2], [1, 3], step=0.5, max_iter=300)
    assert spd.distance(spd.geometric_mean(matrices[:2], [1, 3]), iterated) < 1e-6


def test_commuting_matrices_give_the_mean_of_each_eigenvalue(rng):
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    values = rng.uniform(0.1, 10, (3, 6))
    weights = np.array([0.2, 0.3, 0.5])
    mean = spd.geometric_mean([(basis * row) @ basis.T for row in values], weights)
    expected = (basis * np.exp(weights @ np.log(values))) @ basis.T
    np.testing.assert_allclose(mean, expected, rtol=1e-8)


def test_congruence_and_inversion(matrices, rng):
    mean = spd.geometric_mean(matrices)
    change = rng.standard_normal((12, 12))
    assert spd.distance(spd.geometric_mean(change @ matrices @ change.T), change @ mean @ change.T) < 1e-6
    assert spd.distance(spd.geometric_mean(np.linalg.inv(matrices)), np.linalg.inv(mean)) < 1e-6


def test_order_of_the_matrices_does_not_matter(matrices):
    assert spd.distance(spd.geometric_mean(matrices), spd.geometric_mean(matrices[::-1])) < 1e-7


def test_weights_repeat_and_weight_zero_leaves_out(matrices):
    repeated = spd.geometric_mean([matrices[0], matrices[0], matrices[1]])
    assert spd.distance(spd.geometric_mean(matrices[:2], [2, 1]), repeated) < 1e-7
    left_out = spd.geometric_mean(matrices[:3], [1, 1, 0])
    assert spd.distance(left_out, spd.geometric_mean(matrices[:2])) < 1e-7


def test_lies_between_harmonic_and_arithmetic_mean(matrices):
    mean = spd.geometric_mean(matrices)
    harmonic = np.linalg.inv(np.linalg.inv(matrices).mean(axis=0))
    assert np.linalg.eigvalsh(mean - harmonic)[0] > 0
    assert np.linalg.eigvalsh(matrices.mean(axis=0) - mean)[0] > 0


@pytest.mark.parametrize("condition", [10, 1e3, 1e6])
def test_equals_pyriemann(rng, condition, random_spd):
    matrices = np.array([random_spd(rng, 15, condition) for _ in range(5)])
    weights = np.array([1.0, 2.0, 3.0, 1.0, 0.5])
    reference = mean_riemann(matrices, sample_weight=weights, tol=1e-12, maxiter=500)
    mean = spd.geometric_mean(matrices, weights, max_iter=200)
    assert spd.distance(mean, reference) / spd.distance(matrices[0], reference) < 1e-6


def test_equals_pyriemann_on_graph_laplacians(rng):
    points = [rng.standard_normal((80, 3)) for _ in range(4)]
    layers = np.array(
        [laplacian(knn_layer(cloud, 6), "combinatorial").toarray() + 0.01 * np.eye(80) for cloud in points]
    )
    reference = mean_riemann(layers, tol=1e-12, maxiter=500)
    assert spd.distance(spd.geometric_mean(layers), reference) / spd.distance(layers[0], reference) < 1e-6


def test_float32_in_float32_out(matrices):
    mean = spd.geometric_mean(matrices.astype(np.float32), tol=1e-4)
    assert mean.dtype == np.float32
    assert spd.distance(mean.astype(float), spd.geometric_mean(matrices)) < 0.05


def test_stopping_early_warns_with_the_residual(matrices):
    with pytest.warns(RuntimeWarning, match=r"stopped after 2 iterations at a residual of \S+, above tol"):
        spd.geometric_mean(matrices, max_iter=2)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.eye(3), r"shape \(S, n, n\)"),
        (np.zeros((0, 2, 2)), r"S, n >= 1"),
        ([[[1.0, 0.5], [0.0, 1.0]]], r"matrices\[0\] is not symmetric: entries differ by up to 0.5"),
        ([[[np.nan, 0.0], [0.0, 1.0]]], "NaN or infinity"),
        ([np.diag([1.0, -1.0]), np.eye(2) * 3], "not positive definite"),
        ([-np.eye(2)], r"matrices\[0\] is not positive definite"),
        ([np.eye(2) * 1j], "real numbers, got dtype complex128"),
    ],
)
def test_bad_matrices_are_named(bad, message):
    with pytest.raises(ValueError, match=message):
        spd.geometric_mean(bad)
