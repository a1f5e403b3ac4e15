"""Every rung of the ladder against its dense twin."""

import numpy as np
import pytest
from scipy.linalg import block_diag, eigh, subspace_angles
from scipy.sparse import block_diag as sparse_block_diag
from scipy.sparse import csr_array

from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import laplacian
from orthonet.linalg.eigen import smallest_eigenpairs
from orthonet.linalg.low_rank import IdentityPlusLowRank, SparsePlusLowRank


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
    update = IdentityPlusLowRank(2.0, basis, core)
    block = rng.standard_normal((60, 3))
    np.testing.assert_allclose(update @ block, update.toarray() @ block)
    found = smallest_eigenpairs(update, 3, rng)
    assert found.solver == "low rank"
    np.testing.assert_allclose(found.values, [0.1, 0.5, 1.0])
    np.testing.assert_allclose(found.residuals, 0, atol=1e-12)
    sparse = SparsePlusLowRank(laplacian(knn_layer(rng.standard_normal((60, 2)), 6)), basis, 0.1 * np.eye(5))
    twin = np.linalg.eigh(sparse.toarray())[0][:4]
    np.testing.assert_allclose(smallest_eigenpairs(sparse, 4, rng, solver="lanczos").values, twin, atol=1e-9)


@pytest.fixture(scope="module")
def large():
    """A Laplacian beyond the dense rung, and its 40 lowest eigenvectors."""
    matrix = laplacian(knn_layer(np.random.default_rng(0).standard_normal((1600, 2)), 8), "combinatorial")
    return matrix, eigh(matrix.toarray(), subset_by_index=(0, 39))[1]


def test_a_start_is_where_lobpcg_starts(large, rng):
    matrix, exact = large
    options = {"solver": "lobpcg", "max_iter": 1}
    blind = smallest_eigenpairs(matrix, 6, rng, start=rng.standard_normal((1600, 6)), **options)
    rough = smallest_eigenpairs(matrix, 6, rng, **options)
    there = smallest_eigenpairs(matrix, 6, rng, start=exact[:, :9], **options)
    assert blind.residuals.max() > 3 * rough.residuals.max()
    assert there.residuals.max() < 1e-8
    # Narrower or wider than the block: filled up, or cut.
    for width in (0, 2, 40):
        found = smallest_eigenpairs(matrix, 6, rng, start=exact[:, :width], solver="lobpcg")
        assert subspace_angles(found.vectors, exact[:, :6]).max() < 1e-3


def test_rtol_is_relative_to_the_kth_eigenvalue_and_the_looser_goal_counts(large, rng):
    matrix = large[0]
    tight, loose, either = (
        smallest_eigenpairs(matrix, 6, rng, solver="lobpcg", tol=tol, rtol=rtol)
        for tol, rtol in ((1e-9, 0), (1e-9, 0.1), (1e-9, 1e-12))
    )
    assert tight.residuals.max() < 1e-3 * loose.residuals.max()
    assert loose.residuals.max() < 0.1 * loose.values[-1]
    np.testing.assert_allclose(either.residuals, tight.residuals)


def test_known_vectors_of_several_pieces_that_must_be_coarsened(rng):
    sizes = (900, 500, 300)
    matrix = csr_array(
        sparse_block_diag([laplacian(knn_layer(rng.standard_normal((n, 2)), 8), "combinatorial") for n in sizes])
    )
    known = block_diag(*(np.full((n, 1), n**-0.5) for n in sizes))
    found = smallest_eigenpairs(matrix, 8, rng, known=known)
    assert found.solver == "lobpcg"
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(matrix.toarray())[:8], atol=1e-6)


def test_pieces_that_no_coarse_form_knows(large, rng):
    pairs = csr_array(sparse_block_diag([np.array([[1.0, -1.0], [-1.0, 1.0]])] * 1000))
    np.testing.assert_allclose(smallest_eigenpairs(pairs, 5, rng).values, 0, atol=1e-9)
    with_single_nodes = csr_array(sparse_block_diag([large[0], csr_array((7, 7))]))
    found = smallest_eigenpairs(with_single_nodes, 10, rng)
    assert found.solver == "lobpcg"
    np.testing.assert_allclose(found.values, [*[0] * 7, *smallest_eigenpairs(large[0], 3, rng).values], atol=1e-6)


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_an_eigenvalue_that_comes_a_hundred_times(seed):
    """LAPACK's default driver fails on these."""
    rng = np.random.default_rng(seed)
    matrix = laplacian(knn_layer(rng.standard_normal((200, 2)), 10, weights="gaussian"), "combinatorial").toarray()
    order = rng.permutation(300)
    with_single_nodes = block_diag(matrix, np.zeros((100, 100)))[np.ix_(order, order)] + 0.01 * np.eye(300)
    found = smallest_eigenpairs(with_single_nodes, 60, rng)
    np.testing.assert_allclose(found.values, 0.01)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(60), atol=1e-10)


@pytest.mark.parametrize("k", [1, 2, 10, 40, 60])
@pytest.mark.parametrize("solver", ["lobpcg", "lanczos"])
def test_any_share_of_the_spectrum_beside_known_vectors(rng, solver, k):
    matrix = laplacian(knn_layer(rng.standard_normal((60, 2)), 6), "combinatorial")
    found = smallest_eigenpairs(matrix, k, rng, solver=solver, known=np.full((60, 1), 60**-0.5))
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(matrix.toarray())[:k], atol=1e-6)


@pytest.mark.parametrize("n", [60, 1600])
def test_the_complement_of_a_low_rank_update_comes_where_its_eigenvalue_stands(rng, n):
    basis = np.linalg.qr(rng.standard_normal((n, 4)))[0]
    update = IdentityPlusLowRank(2.0, basis, np.diag([-1.0, -0.5, 0.1, 0.3]))
    found = smallest_eigenpairs(update, 4, rng)
    np.testing.assert_allclose(found.values, [1.0, 1.5, 2.0, 2.0])
    np.testing.assert_allclose(found.residuals, 0, atol=1e-12)


def test_lobpcg_of_what_has_no_coarse_form_is_named(rng):
    basis = np.linalg.qr(rng.standard_normal((60, 5)))[0]
    identity = IdentityPlusLowRank(2.0, basis, np.eye(5))
    sparse = SparsePlusLowRank(csr_array(np.eye(60)), basis, np.eye(5))
    for matrix, name in ((identity, "IdentityPlusLowRank"), (sparse, "SparsePlusLowRank"), (np.eye(60), "ndarray")):
        with pytest.raises(
            ValueError, match=f"solver='lobpcg' coarsens a sparse matrix, but matrix has type {name}; pass"
        ):
            smallest_eigenpairs(matrix, 3, rng, solver="lobpcg")


@pytest.mark.parametrize("k", [0, 61])
def test_a_number_of_eigenvectors_that_there_are_not_is_named(rng, k):
    with pytest.raises(ValueError, match=f"k must be an integer >= 1 and <= 60, got {k}"):
        smallest_eigenpairs(np.eye(60), k, rng)
