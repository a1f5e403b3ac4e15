"""Laws of the geometric mean, and its agreement with pyRiemann."""

import numpy as np
import pytest
from pyriemann.geometry.mean import mean_riemann
from scipy.linalg import block_diag

from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import laplacian
from orthonet.linalg import spd


def random_spd(rng, n, condition=1e3):
    basis = np.linalg.qr(rng.standard_normal((n, n)))[0]
    return (basis * np.geomspace(1 / condition, 1, n)) @ basis.T


def tangent_at(mean, matrices):
    """Root mean square of the eigenvalues of T, written down again with square roots."""
    inverse = np.linalg.inv(spd.sqrt(mean))
    logs = [spd.log(inverse @ matrix @ inverse) for matrix in matrices]
    return np.linalg.norm(np.mean(logs, axis=0)) / np.sqrt(len(mean))


@pytest.fixture
def matrices(rng):
    return np.array([random_spd(rng, 12) for _ in range(4)])


def test_functions_undo_each_other(rng):
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
def test_equals_pyriemann(rng, condition):
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


def test_an_index_is_judged_only_by_the_matrices_that_hold_it(rng):
    """Two blocks that never meet: the mean of each block is that of the matrices that hold it."""
    left, right = [random_spd(rng, 4) for _ in range(3)], [random_spd(rng, 3) for _ in range(2)]
    whole = np.ones(7, dtype=bool)
    only_left = np.arange(7) < 4
    given = [block_diag(left[0], right[0]), block_diag(left[1], right[1]), left[2]]
    result = spd.karcher_mean(
        given, np.full(3, 1 / 3), present=[whole, whole, only_left], initial=np.eye(7), max_iter=200
    )
    assert result.converged
    assert spd.distance(result.matrix[:4, :4], spd.geometric_mean(left)) < 1e-6
    assert spd.distance(result.matrix[4:, 4:], spd.geometric_mean(right)) < 1e-6
    np.testing.assert_allclose(result.matrix[:4, 4:], 0, atol=1e-9)


class TestNewton:
    """What takes a good step, and what is done with a bad one."""

    @pytest.mark.parametrize("n_matrices", [3, 4, 6])
    @pytest.mark.parametrize("condition", [1e6, 1e8])
    def test_few_iterations_suffice_however_ill_conditioned(self, rng, condition, n_matrices):
        matrices = [random_spd(rng, 20, condition) for _ in range(n_matrices)]
        result = spd.karcher_mean(matrices, np.full(n_matrices, 1 / n_matrices), tol=1e-8)
        assert result.converged
        assert result.n_iter <= 12
        assert tangent_at(result.matrix, matrices) < 1e-7

    @pytest.mark.parametrize("n_matrices", [2, 3, 5])
    @pytest.mark.parametrize("condition", [1e6, 1e8])
    def test_order_and_unit_do_not_matter_however_ill_conditioned(self, rng, condition, n_matrices):
        matrices = np.array([random_spd(rng, 20, condition) for _ in range(n_matrices)])
        mean = spd.geometric_mean(matrices, np.arange(1, n_matrices + 1), tol=1e-8)
        turned = spd.geometric_mean(matrices[::-1], np.arange(n_matrices, 0, -1), tol=1e-8)
        assert spd.distance(mean, turned) < 1e-6
        matrices[0] *= 1e6
        other_unit = spd.geometric_mean(matrices, np.arange(1, n_matrices + 1), tol=1e-8)
        factor = 1e6 ** (2 / (n_matrices * (n_matrices + 1)))
        assert spd.distance(other_unit, factor * mean) < 1e-6

    @pytest.mark.parametrize("condition", [1e6, 1e8])
    def test_the_closed_form_of_two_stays_the_mean_however_ill_conditioned(self, rng, condition):
        matrices = [random_spd(rng, 20, condition) for _ in range(2)]
        assert tangent_at(spd.geometric_mean(matrices), matrices) < 1e-7

    def test_float32(self, rng):
        matrices = np.array([random_spd(rng, 20, 1e3) for _ in range(4)])
        result = spd.karcher_mean(list(matrices.astype(np.float32)), np.full(4, 0.25), tol=1e-3)
        assert result.converged
        assert result.matrix.dtype == np.float32
        assert result.n_iter <= 8
        assert spd.distance(result.matrix.astype(float), spd.geometric_mean(matrices)) < 0.05

    def test_a_step_that_overshoots_is_halved_until_it_helps(self):
        """Where matrices lack indices the Hessian is only that of the spot: of forty problems, some steps are too long."""
        too_long = 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            present = [rng.permutation(6) < size for size in (3, 4, 5, 6)]
            matrices = [random_spd(rng, int(held.sum())) for held in present]
            told: list[float] = []
            result = spd.karcher_mean(
                matrices,
                np.full(4, 0.25),
                present=present,
                initial=np.eye(6),
                report=lambda _, message, told=told: told.append(float(message.split()[1])),
            )
            assert result.converged
            too_long += bool((np.diff(told) > 0).any())
        assert too_long > 5

    def test_blocks_that_contradict_each_other_have_no_mean_and_that_is_said(self):
        """1 goes with 2, 2 with 3, and 3 against 1: the nearer to all of them, the nearer to singular."""
        with_, against = np.array([[1, 0.99], [0.99, 1]]), np.array([[1, -0.99], [-0.99, 1]])
        present = [np.array(held) for held in ([True, True, False], [False, True, True], [True, False, True])]
        result = spd.karcher_mean(
            [with_, with_, against], np.full(3, 1 / 3), present=present, initial=np.eye(3), max_iter=60
        )
        assert not result.converged
        assert np.linalg.eigvalsh(result.matrix)[0] > 0
        with pytest.warns(RuntimeWarning, match="stopped after 60 iterations at a residual of"):
            spd.warn_if_not_converged(result, 1e-9)

    def test_few_overlaps_and_large_logarithms_give_numbers_at_least(self):
        converged = 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            present = [np.append(rng.random(7) < share, True) for share in (0.3, 0.5, 0.7, 1.0)]
            matrices = [np.exp(rng.uniform(-8, 8)) * random_spd(rng, int(held.sum()), 1e6) for held in present]
            result = spd.karcher_mean(matrices, np.full(4, 0.25), present=present, initial=np.eye(8), tol=1e-6)
            assert np.isfinite(result.residual)
            assert np.linalg.eigvalsh(result.matrix)[0] > 0
            converged += result.converged
        assert converged > 10

    def test_one_matrix_is_its_own_mean_wherever_one_starts(self, matrices):
        result = spd.karcher_mean(matrices[:1], np.ones(1), initial=np.eye(12))
        np.testing.assert_array_equal(result.matrix, matrices[0])


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
