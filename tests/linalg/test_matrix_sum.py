"""Sums and scalings of sparse matrices are those of the dense ones."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from scipy.sparse.linalg import aslinearoperator

from orthonet.linalg import eigen
from orthonet.linalg.chebyshev import in_single_precision
from orthonet.linalg.eigen import largest_eigenvectors
from orthonet.linalg.matrix_sum import MatrixSum, flipped
from orthonet.linalg.scaling import scaled_on_both_sides, with_diagonal_added


@pytest.fixture
def symmetric(rng):
    """Draw a symmetric sparse matrix of 60 rows."""

    def draw():
        one = random_array((60, 60), density=0.1, rng=rng)
        return csr_array(one + one.T)

    return draw


def test_scaling_is_a_product_with_diagonal_matrices(symmetric, rng, monkeypatch):
    matrix, scale = symmetric(), rng.random(60)
    monkeypatch.setattr("orthonet.linalg.scaling.BLOCK", 7)
    found = scaled_on_both_sides(matrix, scale, 2.0)
    np.testing.assert_allclose(found.toarray(), 2 * scale[:, None] * matrix.toarray() * scale)
    assert np.shares_memory(found.indices, matrix.indices)


def test_matrices_that_share_places_are_in_order(rng):
    shuffled = csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 1]), np.array([0, 3, 3, 3])), shape=(3, 3))
    before = shuffled.toarray()
    found = scaled_on_both_sides(shuffled, np.ones(3))
    found.sort_indices()
    np.testing.assert_array_equal(found.toarray(), before)
    np.testing.assert_array_equal(shuffled.toarray(), before)


@pytest.mark.parametrize("full", [True, False])
def test_a_diagonal_is_added_whether_there_is_one_or_not(symmetric, rng, full):
    matrix, diagonal = symmetric(), rng.random(60)
    matrix = csr_array(matrix + 3 * np.eye(60)) if full else matrix
    before = matrix.toarray()
    np.testing.assert_allclose(with_diagonal_added(matrix, diagonal).toarray(), before + np.diag(diagonal))
    np.testing.assert_array_equal(matrix.toarray(), before)


def test_a_sum_is_applied_as_if_it_were_built(symmetric, rng):
    one, other, block = symmetric(), symmetric(), rng.standard_normal((60, 4))
    total = MatrixSum([one, other], [0.3, 0.7], 0.5)
    dense = 0.3 * one.toarray() + 0.7 * other.toarray() + 0.5 * np.eye(60)
    np.testing.assert_allclose(total @ block, dense @ block)
    np.testing.assert_allclose(total @ block[:, 0], dense @ block[:, 0])
    np.testing.assert_allclose(total.toarray(), dense)
    np.testing.assert_allclose(total.flipped(2.0).toarray(), 2 * np.eye(60) - dense)
    assert total.eigenvalue_bound() >= np.abs(np.linalg.eigvalsh(dense)).max()
    single = in_single_precision(total)
    assert (single @ block.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single @ block.astype(np.float32), dense @ block, rtol=1e-4, atol=1e-4)


def test_whatever_is_flipped_is_flipped_alike(symmetric, rng):
    matrix, block = symmetric(), rng.standard_normal((60, 3))
    expected = 9.0 * block - matrix @ block
    for one in (matrix, MatrixSum([matrix], [1.0]), aslinearoperator(matrix)):
        np.testing.assert_allclose(flipped(one, 9.0) @ block, expected)


@pytest.mark.parametrize("kind", ["matrix", "sum", "operator"])
@pytest.mark.parametrize("guessed", [True, False])
def test_largest_eigenvectors_of_many_rows_are_those_of_few(rng, monkeypatch, kind, guessed):
    labels = np.repeat(np.arange(3), 200)
    upper = np.triu(rng.random((600, 600)) < np.where(labels[:, None] == labels, 0.2, 0.02), 1)
    matrix = csr_array((upper + upper.T).astype(np.float64))
    expected = largest_eigenvectors(matrix, 3, rng)[1]
    monkeypatch.setattr(eigen, "PROBE_ABOVE", 500)
    given = {"matrix": matrix, "sum": MatrixSum([matrix], [1.0]), "operator": aslinearoperator(matrix)}[kind]
    start = np.eye(3)[labels] if guessed else None
    found = largest_eigenvectors(given, 3, rng, start=start)[1]
    assert np.linalg.svd(expected.T @ found)[1].min() > 0.999
