"""AggregatedLaplacian: a LinearOperator that behaves like its matrix."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from orthonet.graph.operators import AggregatedLaplacian
from orthonet.linalg import eigen

RING = 2 * np.eye(6) - np.roll(np.eye(6), 1, axis=0) - np.roll(np.eye(6), -1, axis=0)
# Eigenvalues of the Laplacian of a ring of n nodes: 2 − 2 cos(2πj / n).
RING_EIGENVALUES = np.sort(2 - 2 * np.cos(2 * np.pi * np.arange(6) / 6))


@pytest.fixture(params=["dense", "sparse"])
def operator(request):
    return AggregatedLaplacian(RING if request.param == "dense" else sp.csr_array(RING), {"method": "arithmetic"})


def test_it_multiplies_as_its_matrix(operator):
    vector, block = np.arange(6.0), np.arange(12.0).reshape(6, 2)
    np.testing.assert_allclose(operator @ vector, RING @ vector)
    np.testing.assert_allclose(operator @ block, RING @ block)
    np.testing.assert_allclose(operator.T @ vector, RING @ vector)
    np.testing.assert_allclose(operator.H @ block, RING @ block)
    assert operator.matvec(vector[:, None]).shape == (6, 1)


def test_it_is_a_linear_operator_and_composes(operator):
    assert isinstance(operator, LinearOperator)
    shifted = operator + aslinearoperator(np.eye(6))
    np.testing.assert_allclose(shifted @ np.arange(6.0), (RING + np.eye(6)) @ np.arange(6.0))


def test_smallest_eigenpairs_of_a_ring(operator):
    values, vectors = operator.smallest_eigenpairs(5)
    np.testing.assert_allclose(values, RING_EIGENVALUES[:5], atol=1e-12)
    np.testing.assert_allclose(RING @ vectors, vectors * values, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-12)
    np.testing.assert_array_equal(operator.smallest_eigenvectors(5), vectors)


def test_eigenvectors_of_a_large_sparse_one_depend_only_on_the_seed():
    n_nodes, rng = 1800, np.random.default_rng(0)
    within = [sp.random_array((600, 600), density=0.03, rng=rng) for _ in range(3)]
    links = sp.block_diag(within) + sp.random_array((n_nodes, n_nodes), density=0.0005, rng=rng)
    matrix = sp.csr_array(laplacian(links + links.T))
    operator = AggregatedLaplacian(matrix, {})
    values, vectors = operator.smallest_eigenpairs(3, random_state=1)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix.toarray())[:3], atol=1e-6)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-6)
    np.testing.assert_array_equal(vectors, operator.smallest_eigenvectors(3, random_state=1))


@pytest.mark.parametrize(
    ("k", "error", "got"), [(0, ValueError, "0"), (7, ValueError, "7"), (2.0, TypeError, "2.0 of type float")]
)
def test_bad_number_of_eigenvectors(operator, k, error, got):
    with pytest.raises(error, match=f"k must be an integer >= 1 and <= 6, got {got}"):
        operator.smallest_eigenvectors(k)


def test_to_dense_is_a_copy(operator):
    operator.to_dense()[:] = 0
    np.testing.assert_array_equal(operator.to_dense(), RING)


def test_info_is_read_only_and_its_own():
    info = {"method": "geometric", "solver": "exact"}
    operator = AggregatedLaplacian(RING, info)
    info["method"] = "changed"
    assert operator.info["method"] == "geometric"
    with pytest.raises(TypeError):
        operator.info["method"] = "changed"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda operator: pickle.loads(pickle.dumps(operator))])  # noqa: S301
def test_it_can_be_copied_and_sent_to_another_process(operator, copied):
    twin = copied(operator)
    np.testing.assert_array_equal(twin.to_dense(), RING)
    assert dict(twin.info) == dict(operator.info)


def test_repr_tells_size_and_method():
    operator = AggregatedLaplacian(RING, {"method": "geometric", "solver": "exact", "seconds": 3})
    assert repr(operator) == "<AggregatedLaplacian 6 x 6, method='geometric', solver='exact'>"


def test_eigenvectors_that_did_not_converge_are_said(monkeypatch):
    """A long path without multigrid, and with two restarts of Lanczos."""
    monkeypatch.setattr(eigen, "PROBE_ABOVE", 1500)
    monkeypatch.setattr(eigen, "LANCZOS_RESTARTS", 2)
    monkeypatch.setattr(eigen, "is_installed", lambda name: False)
    path = sp.diags_array([np.ones(1599), np.ones(1599)], offsets=[-1, 1], format="csr")
    operator = AggregatedLaplacian(sp.csr_array(laplacian(path)), {})
    with pytest.warns(
        UserWarning, match=r"the 4 lowest eigenvectors did not converge .*\(solver 'lanczos'\): the largest"
    ):
        assert operator.smallest_eigenvectors(4).shape == (1600, 4)
