"""The iteration of the geometric mean: matrices that lack indices, steps that overshoot, and where it stops."""

import numpy as np
import pytest
from scipy.linalg import block_diag

from orthonet.linalg import spd
from orthonet.linalg.karcher import karcher_mean, warn_if_not_converged


def test_an_index_is_judged_only_by_the_matrices_that_hold_it(rng, random_spd):
    """Two blocks that never meet: the mean of each block is that of the matrices that hold it."""
    left, right = [random_spd(rng, 4) for _ in range(3)], [random_spd(rng, 3) for _ in range(2)]
    whole = np.ones(7, dtype=bool)
    only_left = np.arange(7) < 4
    given = [block_diag(left[0], right[0]), block_diag(left[1], right[1]), left[2]]
    result = karcher_mean(given, np.full(3, 1 / 3), present=[whole, whole, only_left], initial=np.eye(7), max_iter=200)
    assert result.converged
    assert spd.distance(result.matrix[:4, :4], spd.geometric_mean(left)) < 1e-6
    assert spd.distance(result.matrix[4:, 4:], spd.geometric_mean(right)) < 1e-6
    np.testing.assert_allclose(result.matrix[:4, 4:], 0, atol=1e-9)


class TestNewton:
    """What takes a good step, and what is done with a bad one."""

    @pytest.mark.parametrize("n_matrices", [3, 4, 6])
    @pytest.mark.parametrize("condition", [1e6, 1e8])
    def test_few_iterations_suffice_however_ill_conditioned(self, rng, condition, n_matrices, random_spd, tangent_at):
        matrices = [random_spd(rng, 20, condition) for _ in range(n_matrices)]
        result = karcher_mean(matrices, np.full(n_matrices, 1 / n_matrices), tol=1e-8)
        assert result.converged
        assert result.n_iter <= 12
        assert tangent_at(result.matrix, matrices) < 1e-7

    @pytest.mark.parametrize("n_matrices", [2, 3, 5])
    @pytest.mark.parametrize("condition", [1e6, 1e8])
    def test_order_and_unit_do_not_matter_however_ill_conditioned(self, rng, condition, n_matrices, random_spd):
        matrices = np.array([random_spd(rng, 20, condition) for _ in range(n_matrices)])
        mean = spd.geometric_mean(matrices, np.arange(1, n_matrices + 1), tol=1e-8)
        turned = spd.geometric_mean(matrices[::-1], np.arange(n_matrices, 0, -1), tol=1e-8)
        assert spd.distance(mean, turned) < 1e-6
        matrices[0] *= 1e6
        other_unit = spd.geometric_mean(matrices, np.arange(1, n_matrices + 1), tol=1e-8)
        factor = 1e6 ** (2 / (n_matrices * (n_matrices + 1)))
        assert spd.distance(other_unit, factor * mean) < 1e-6

    @pytest.mark.parametrize("condition", [1e6, 1e8])
    def test_the_closed_form_of_two_stays_the_mean_however_ill_conditioned(
        self, rng, condition, random_spd, tangent_at
    ):
        matrices = [random_spd(rng, 20, condition) for _ in range(2)]
        assert tangent_at(spd.geometric_mean(matrices), matrices) < 1e-7

    def test_float32(self, rng, random_spd):
        matrices = np.array([random_spd(rng, 20, 1e3) for _ in range(4)])
        result = karcher_mean(list(matrices.astype(np.float32)), np.full(4, 0.25), tol=1e-3)
        assert result.converged
        assert result.matrix.dtype == np.float32
        assert result.n_iter <= 8
        assert spd.distance(result.matrix.astype(float), spd.geometric_mean(matrices)) < 0.05

    def test_a_step_that_overshoots_is_halved_until_it_helps(self, random_spd):
        """Where matrices lack indices the Hessian is only that of the spot: of forty problems, some steps are too long."""
        too_long = 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            present = [rng.permutation(6) < size for size in (3, 4, 5, 6)]
            matrices = [random_spd(rng, int(held.sum())) for held in present]
            told: list[float] = []
            result = karcher_mean(
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
        result = karcher_mean(
            [with_, with_, against], np.full(3, 1 / 3), present=present, initial=np.eye(3), max_iter=60
        )
        assert not result.converged
        assert np.linalg.eigvalsh(result.matrix)[0] > 0
        with pytest.warns(RuntimeWarning, match="stopped after 60 iterations at a residual of"):
            warn_if_not_converged(result, 1e-9)

    def test_few_overlaps_and_large_logarithms_give_numbers_at_least(self, random_spd):
        converged = 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            present = [np.append(rng.random(7) < share, True) for share in (0.3, 0.5, 0.7, 1.0)]
            matrices = [np.exp(rng.uniform(-8, 8)) * random_spd(rng, int(held.sum()), 1e6) for held in present]
            result = karcher_mean(matrices, np.full(4, 0.25), present=present, initial=np.eye(8), tol=1e-6)
            assert np.isfinite(result.residual)
            assert np.linalg.eigvalsh(result.matrix)[0] > 0
            converged += result.converged
        assert converged > 10

    def test_one_matrix_is_its_own_mean_wherever_one_starts(self, matrices):
        result = karcher_mean(matrices[:1], np.ones(1), initial=np.eye(12))
        np.testing.assert_array_equal(result.matrix, matrices[0])
