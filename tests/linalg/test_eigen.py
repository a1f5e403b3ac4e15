"""Every rung of the ladder against its dense twin."""

import numpy as np
import pytest
from scipy.linalg import block_diag, subspace_angles
from scipy.sparse import csr_array

from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import laplacian
from orthonet.linalg.eigen import smallest_eigenpairs
from orthonet.linalg.lowrank import LowRankUpdate


@pytest.mark.parametrize("kind", ["normalized", "combinatorial"])
@pytest.mark.parametrize("solver", ["lanczos", "lobpcg"])
def test_iterative_solvers_equal_the_dense_one(rng, kind, solver):
    matrix = laplacian(knn_layer(rng.standard_normal((400, 3)), 8), kind)
    dense = smallest_eigenpairs(matrix, 6, rng)
    found = smallest_eigenpairs(matrix, 6, rng, solver=solver, tol=1e-8)
    assert (dense.solver, found.solver) == ("dense", solver)
    np.testing.assert_allclose(found.values, dense.values, atol=1e-7)
    assert np.rad2deg(subspace_angles(found.vectors, dense.vectors).max()) < 0.01
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(6), atol=1e-9)
    residuals = np.linalg.norm(matrix @ found.vectors - found.vectors * found.values, axis=0)
    np.testing.assert_allclose(found.residuals, residuals, atol=1e-12)


@pytest.mark.parametrize("solver", ["lanczos", "lobpcg"])
def test_known_vectors_settle_a_multiple_zero(rng, solver):
    """Three pieces: eigenvalue 0 three times, taken from the components, and the rest found beside them."""
    pieces = [knn_layer(rng.standard_normal((150, 3)), 8).toarray() for _ in range(3)]
    matrix = laplacian(csr_array(block_diag(*pieces)), "combinatorial")
    known = np.kron(np.eye(3), np.full((150, 1), 150**-0.5))
    found = smallest_eigenpairs(matrix, 6, rng, solver=solver, known=known, tol=1e-8)
    dense = smallest_eigenpairs(matrix, 6, rng, solver="dense")
    np.testing.assert_allclose(found.values[:3], 0, atol=1e-12)
    np.testing.assert_allclose(found.values, dense.values, atol=1e-6)
    assert subspace_angles(found.vectors, dense.vectors).max() < 1e-3


def test_no_more_is_computed_than_is_not_known(rng):
    matrix = laplacian(csr_array(np.kron(np.eye(40), 1 - np.eye(50))), "combinatorial")
    known = np.kron(np.eye(40), np.full((50, 1), 50**-0.5))
    found = smallest_eigenpairs(matrix, 5, rng, known=known)
    assert found.solver == "known"
    np.testing.assert_allclose(found.residuals, 0, atol=1e-10)


@pytest.mark.parametrize("solver", ["lanczos", "lobpcg"])
def test_same_seed_same_vectors(rng, solver):
    matrix = laplacian(knn_layer(rng.standard_normal((300, 2)), 6))
    first, second = (smallest_eigenpairs(matrix, 4, np.random.default_rng(3), solver=solver) for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_low_rank_updates_of_the_identity_and_of_sparse_matrices(rng):
    basis = np.linalg.qr(rng.standard_normal((60, 5)))[0]
    core = np.diag([-1.9, -1.5, -1.0, -0.5, -0.1])
    update = LowRankUpdate(2.0, basis, core)
    block = rng.standard_normal((60, 3))
    np.testing.assert_allclose(update @ block, update.toarray() @ block)
    found = smallest_eigenpairs(update, 3, rng)
    assert found.solver == "low rank"
    np.testing.assert_allclose(found.values, [0.1, 0.5, 1.0])
    np.testing.assert_allclose(found.residuals, 0, atol=1e-12)
    sparse = LowRankUpdate(laplacian(knn_layer(rng.standard_normal((60, 2)), 6)), basis, 0.1 * np.eye(5))
    twin = np.linalg.eigh(sparse.toarray())[0][:4]
    np.testing.assert_allclose(smallest_eigenpairs(sparse, 4, rng, solver="lanczos").values, twin, atol=1e-9)
