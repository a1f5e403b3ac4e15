"""Matrices plus one of low rank: each method is that of the dense twin."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet.linalg.low_rank import IdentityPlusLowRank, SparsePlusLowRank


@pytest.fixture(params=["identity", "sparse"])
def update_and_dense(request, rng):
    basis = np.linalg.qr(rng.standard_normal((30, 4)))[0]
    core = np.diag([-1.9, -1.0, 0.2, 3.0])
    if request.param == "identity":
        return IdentityPlusLowRank(2.0, basis, core), 2.0 * np.eye(30) + basis @ core @ basis.T
    simple = rng.standard_normal((30, 30))
    simple = simple + simple.T
    return SparsePlusLowRank(csr_array(simple), basis, core), simple + basis @ core @ basis.T


def test_products_are_those_of_the_dense_matrix(update_and_dense, rng):
    update, dense = update_and_dense
    block = rng.standard_normal((30, 3))
    np.testing.assert_allclose(update @ block, dense @ block, atol=1e-12)
    np.testing.assert_allclose(update @ block[:, 0], dense @ block[:, 0], atol=1e-12)
    np.testing.assert_allclose(update.toarray(), dense, atol=1e-12)


def test_shape_and_type_are_those_of_the_dense_matrix(update_and_dense):
    update, dense = update_and_dense
    assert (update.shape, update.dtype) == (dense.shape, dense.dtype)


def test_trace_is_the_sum_of_the_eigenvalues(update_and_dense):
    update, dense = update_and_dense
    assert update.trace() == pytest.approx(np.linalg.eigvalsh(dense).sum())


def test_no_eigenvalue_exceeds_the_bound(update_and_dense):
    update, dense = update_and_dense
    assert np.abs(np.linalg.eigvalsh(dense)).max() <= update.eigenvalue_bound()
