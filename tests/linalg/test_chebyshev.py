"""Filtering against its dense twin, the probe that chooses it, and the limit on its work."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.sparse import csr_array, diags_array, eye_array

import orthonet.linalg.eigen as eigen
from orthonet.aggregation.null_vectors import component_vectors
from orthonet.graph.knn import knn_layer
from orthonet.graph.laplacian import degrees_of, laplacian
from orthonet.linalg.chebyshev import ChebyshevFilter, upper_bound
from orthonet.linalg.eigen import largest_eigenvectors, smallest_eigenpairs
from orthonet.linalg.factorizations import orthonormal_columns


def _random_graph(n_nodes, degree, n_blocks, inside, seed=0):
    """A graph of about ``degree`` random edges per node, a share of them within blocks."""
    rng = np.random.default_rng(seed)
    first = rng.integers(n_nodes, size=n_nodes * degree // 2)
    second = rng.integers(n_nodes, size=len(first))
    within = rng.random(len(first)) < inside
    # Node i is in block i mod n_blocks.
    second[within] += (first[within] - second[within]) % n_blocks
    second %= n_nodes
    return _graph(first, second, n_nodes)


def _graph(first, second, n_nodes):
    kept = first != second
    adjacency = csr_array((np.ones(kept.sum()), (first[kept], second[kept])), shape=(n_nodes, n_nodes))
    adjacency = csr_array(adjacency + adjacency.T)
    adjacency.data[:] = 1.0
    return adjacency


def _layer(name, n=1600):
    nodes = np.arange(n)
    return {
        "blocks": lambda: _random_graph(n, 12, 5, 0.6),
        "expander": lambda: _random_graph(n, 12, 1, 0.0),
        "star": lambda: _graph(np.zeros(n - 1, dtype=int), nodes[1:], n),
        "path": lambda: _graph(nodes[:-1], nodes[1:], n),
        "pairs": lambda: _graph(nodes[::2], nodes[1::2], n),
        "neighbours": lambda: knn_layer(np.random.default_rng(0).random((n, 2)) * [50, 1], 10),  # a strip
    }[name]()


@pytest.fixture
def probing(monkeypatch):
    """Let the probe choose for small matrices too."""
    monkeypatch.setattr(eigen, "PROBE_ABOVE", 1500)


def test_filtering_equals_the_dense_solver_beside_known_vectors(rng):
    layer = _layer("blocks", 1000)
    matrix = laplacian(layer)
    known = np.sqrt(degrees_of(layer))[:, None] / np.sqrt(layer.sum())
    dense = smallest_eigenpairs(matrix, 5, rng, solver="dense")
    for given in (None, known):
        found = smallest_eigenpairs(matrix, 5, rng, solver="chebyshev", known=given, tol=1e-9)
        assert (found.solver, found.converged) == ("chebyshev", True)
        np.testing.assert_allclose(found.values, dense.values, atol=1e-9)
        assert subspace_angles(found.vectors, dense.vectors).max() < 1e-5
        np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(5), atol=1e-10)


def test_same_seed_same_block():
    matrix = laplacian(_layer("blocks", 1000))
    first, second = (smallest_eigenpairs(matrix, 4, np.random.default_rng(3), solver="chebyshev") for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)


@pytest.mark.parametrize("shift", [0.0, 0.1])
@pytest.mark.parametrize(
    ("name", "solver"),
    [
        ("blocks", "chebyshev"),
        ("expander", "chebyshev"),
        ("star", "chebyshev"),
        ("path", "lobpcg"),
        ("neighbours", "lobpcg"),
        ("pairs", "known"),
    ],
)
def test_the_probe_chooses_what_suits_the_layer(rng, probing, name, solver, shift):
    """A multiple of the identity, which aggregation adds, changes nothing."""
    layer = _layer(name)
    matrix = csr_array(laplacian(layer) + shift * eye_array(1600))
    known = component_vectors(matrix, np.sqrt(degrees_of(layer)), 6)
    found = smallest_eigenpairs(matrix, 6, rng, known=known, tol=1e-5)
    assert (found.solver, found.converged) == (solver, True)
    exact = np.linalg.eigvalsh(matrix.toarray())[:6]
    np.testing.assert_allclose(found.values, exact, atol=1e-4)


def test_a_limit_on_work_is_kept_and_said(rng, probing):
    """The edge of a bulk has no gaps: to the last digit it would take thousands of products."""
    matrix = laplacian(_layer("expander"))
    calls = []

    class Counted(csr_array):
        def __matmul__(self, other):
            calls.append(other.shape)
            return super().__matmul__(other)

    found = smallest_eigenpairs(Counted(matrix), 6, rng, tol=1e-14, max_products=100)
    assert found.solver == "chebyshev"
    assert not found.converged
    assert len(calls) < 110
    # Honest, and not far off.
    assert abs(found.values - np.linalg.eigvalsh(matrix.toarray())[:6]).max() < 0.01


def test_without_multigrid_a_path_ends_and_says_what_it_reached(rng, probing, monkeypatch):
    monkeypatch.setattr(eigen, "is_installed", lambda name: False)
    monkeypatch.setattr(eigen, "LANCZOS_RESTARTS", 2)
    found = smallest_eigenpairs(laplacian(_layer("path")), 6, rng, tol=1e-12)
    assert found.solver == "lanczos"
    assert not found.converged
    assert found.vectors.shape == (1600, 6)


@pytest.mark.parametrize("name", ["blocks", "star", "pairs", "neighbours", "path"])
def test_largest_eigenvectors_of_large_adjacencies(rng, probing, name):
    layer = _layer(name)
    degrees = degrees_of(layer) + 2.0
    matrix = csr_array(diags_array(degrees**-0.5) @ layer @ diags_array(degrees**-0.5))
    values, vectors = largest_eigenvectors(matrix, 5, rng)
    exact = np.linalg.eigvalsh(matrix.toarray())[::-1][:5]
    np.testing.assert_allclose(values, exact, atol=5e-3)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-8)


def test_single_precision_serves_rough_goals(rng):
    matrix = laplacian(_layer("blocks"))
    blocks = ChebyshevFilter(matrix, 6, rng, single_precision=True)
    assert blocks.probe()
    found = blocks.run(lambda value: 1e-3)
    assert found.reached
    np.testing.assert_allclose(found.values[:5], np.linalg.eigvalsh(matrix.toarray())[:5], atol=1e-5)


@pytest.mark.parametrize("name", ["blocks", "star", "path", "neighbours"])
def test_the_bound_is_above_all_eigenvalues(rng, name):
    matrix = laplacian(_layer(name, 400))
    top = np.linalg.eigvalsh(matrix.toarray())[-1]
    assert top <= upper_bound(matrix, rng) <= 1.6 * top


def test_orthonormal_columns_of_good_and_of_dependent_blocks(rng):
    block = rng.standard_normal((200, 6))
    copies = np.hstack([block, block[:, :2] + 1e-13 * rng.standard_normal((200, 2))])
    for one in (block, 1e-8 * block, copies):
        basis = orthonormal_columns(one)
        np.testing.assert_allclose(basis.T @ basis, np.eye(one.shape[1]), atol=1e-12)
        np.testing.assert_allclose(basis @ (basis.T @ block), block, atol=1e-9)
