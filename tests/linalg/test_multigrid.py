"""Rough eigenvectors against the dense ones, and what smoothing takes away."""

import numpy as np
import pytest
from scipy.linalg import block_diag, eigh, subspace_angles
from scipy.sparse import block_diag as sparse_block_diag
from scipy.sparse import csr_array

from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import degrees_of, laplacian
from orthonet.linalg.multigrid import COARSEST, Multigrid, smoothed


@pytest.fixture(scope="module")
def layer():
    """A nearest-neighbour graph that must be coarsened."""
    return knn_layer(np.random.default_rng(0).standard_normal((2000, 2)), 8)


@pytest.fixture
def path():
    """The Laplacian of a path of 60 nodes, and its eigenvectors from smooth to rough."""
    edges = np.diag(np.ones(59), 1)
    matrix = laplacian(csr_array(edges + edges.T), "combinatorial")
    return matrix, np.linalg.eigh(matrix.toarray())[1]


def mean_cosine(first, second):
    return np.cos(subspace_angles(first, second)).mean()


@pytest.mark.parametrize("kind", ["normalized", "combinatorial"])
@pytest.mark.parametrize("with_null", [True, False])
def test_rough_eigenvectors_are_orthonormal_and_near_the_dense_ones(layer, kind, with_null):
    matrix = laplacian(layer, kind)
    null = np.sqrt(degrees_of(layer)) if kind == "normalized" else np.ones(2000)
    grid = Multigrid.of(matrix, null if with_null else None)
    assert len(grid.hierarchy.levels) > 1
    rough = grid.rough_eigenvectors(8)
    assert rough.shape == (2000, 8)
    np.testing.assert_allclose(rough.T @ rough, np.eye(8), atol=1e-12)
    exact = eigh(matrix.toarray(), subset_by_index=(0, 5))[1]
    assert mean_cosine(rough, exact) > 0.98
    assert np.linalg.norm(rough.T @ null) > 0.999 * np.linalg.norm(null)


def test_a_near_null_vector_may_be_zero_somewhere(layer):
    """As that of a layer is on the nodes it lacks, and that of one piece on all the others."""
    matrix = laplacian(layer, "combinatorial")
    rough = Multigrid.of(matrix, (np.arange(2000) < 200).astype(float)).rough_eigenvectors(8)
    assert mean_cosine(rough, Multigrid.of(matrix).rough_eigenvectors(6)) > 0.98


def test_a_small_matrix_is_its_own_coarsest_form(rng):
    matrix = laplacian(knn_layer(rng.standard_normal((100, 2)), 6), "combinatorial")
    grid = Multigrid.of(matrix)
    assert len(grid.hierarchy.levels) == 1
    assert subspace_angles(grid.rough_eigenvectors(5), np.linalg.eigh(matrix.toarray())[1][:, :5]).max() < 1e-6


def test_no_more_vectors_than_the_coarsest_level_has_nodes(layer):
    grid = Multigrid.of(laplacian(layer))
    coarsest = grid.hierarchy.levels[-1].A.shape[0]
    assert coarsest <= COARSEST
    rough = grid.rough_eigenvectors(coarsest + 50)
    assert rough.shape == (2000, coarsest)
    np.testing.assert_allclose(rough.T @ rough, np.eye(coarsest), atol=1e-10)


def test_the_null_vectors_of_all_pieces_are_found(rng):
    pieces = [laplacian(knn_layer(rng.standard_normal((size, 2)), 8), "combinatorial") for size in (900, 700, 400)]
    rough = Multigrid.of(csr_array(sparse_block_diag(pieces))).rough_eigenvectors(6)
    null = block_diag(*(np.full((size, 1), size**-0.5) for size in (900, 700, 400)))
    assert np.cos(subspace_angles(rough, null)).min() > 0.999


def test_pieces_that_no_coarse_level_knows_are_found(layer):
    """Pairs, more of them than the coarsest level may have nodes, and nodes without edges."""
    pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    pieces = [laplacian(layer, "combinatorial"), *[pair] * 900, *([[1e-4]], [[2e-4]], [[3e-4]])]
    matrix = csr_array(sparse_block_diag(pieces))
    rough = Multigrid.of(matrix).rough_eigenvectors(904)
    np.testing.assert_allclose(rough.T @ rough, np.eye(904), atol=1e-10)
    found = np.linalg.eigvalsh(rough.T @ (matrix @ rough))
    np.testing.assert_allclose(found, [*[0] * 901, 1e-4, 2e-4, 3e-4], atol=1e-6)


def test_no_dice_are_thrown(layer):
    first, second = (Multigrid.of(laplacian(layer)).rough_eigenvectors(4) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_smoothing_damps_rough_vectors_and_keeps_low_ones(path, rng):
    matrix, vectors = path
    before = rng.standard_normal((60, 5))
    after = smoothed(matrix, before, cut=0.1)
    np.testing.assert_allclose(np.linalg.norm(after, axis=0), 1)
    shares = np.abs(vectors.T @ after) / np.abs(vectors.T @ before)
    assert (shares[20:].max(axis=0) < 0.02 * shares[:5].min(axis=0)).all()
    alone = smoothed(matrix, vectors[:, :5])
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->j", alone, vectors[:, :5])), 1)


@pytest.mark.parametrize(("beyond", "within"), [(1e-9, 0.02), (7.0, 0.5)])
def test_the_cut_of_a_smoothing_is_kept_in_bounds(path, rng, beyond, within):
    block = rng.standard_normal((60, 3))
    np.testing.assert_array_equal(smoothed(path[0], block, cut=beyond), smoothed(path[0], block, cut=within))
