"""The Lanczos path against its dense twin."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import laplacian
from orthonet.linalg import eigen


@pytest.mark.parametrize("kind", ["normalized", "combinatorial"])
def test_lanczos_equals_dense(rng, kind, monkeypatch):
    matrix = laplacian(knn_layer(rng.standard_normal((400, 3)), 8), kind)
    dense_values, dense_vectors = eigen.smallest_eigenpairs(matrix, 6, rng)
    monkeypatch.setattr(eigen, "DENSE_UP_TO", 10)
    values, vectors = eigen.smallest_eigenpairs(matrix, 6, rng)
    np.testing.assert_allclose(values, dense_values, atol=1e-9)
    assert np.rad2deg(subspace_angles(vectors, dense_vectors).max()) < 1e-3
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-9)


def test_same_seed_same_vectors(rng, monkeypatch):
    monkeypatch.setattr(eigen, "DENSE_UP_TO", 10)
    matrix = laplacian(knn_layer(rng.standard_normal((300, 2)), 6))
    first = eigen.smallest_eigenpairs(matrix, 4, np.random.default_rng(3))[1]
    second = eigen.smallest_eigenpairs(matrix, 4, np.random.default_rng(3))[1]
    np.testing.assert_array_equal(first, second)
