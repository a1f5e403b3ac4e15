"""Laplacians of a layer: scipy's as the twin, and the laws of a Laplacian."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.csgraph import laplacian as scipy_laplacian

from orthonet import MultilayerGraph
from orthonet.graph.laplacian import LAPLACIAN_KINDS, joint_laplacians, laplacian

KINDS = pytest.mark.parametrize("kind", LAPLACIAN_KINDS)  # of one layer, "joint" is "normalized"


def random_layer(n_nodes=40, density=0.03, seed=0):
    """Return a sparse layer with several components and isolated nodes."""
    upper = sp.triu(sp.random_array((n_nodes, n_nodes), density=density, rng=np.random.default_rng(seed)), k=1)
    return sp.csr_array(upper + upper.T)


@pytest.fixture
def layer():
    return random_layer()


def isolated(layer):
    return np.diff(layer.indptr) == 0


def test_the_fixture_has_what_the_tests_are_about(layer):
    assert 0 < isolated(layer).sum() < layer.shape[0]
    assert connected_components(layer)[0] > isolated(layer).sum() + 1


@KINDS
def test_it_is_scipys_but_for_isolated_nodes(layer, kind):
    expected = scipy_laplacian(layer, normed=kind != "combinatorial").toarray()
    if kind != "combinatorial":
        expected[isolated(layer), isolated(layer)] = 1
    result = laplacian(layer, kind)
    assert isinstance(result, sp.csr_array)
    np.testing.assert_allclose(result.toarray(), expected, atol=1e-14)


def test_a_triangle_with_a_tail_by_hand():
    layer = sp.csr_array(np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 2], [0, 0, 2, 0.0]]))
    np.testing.assert_array_equal(
        laplacian(layer, "combinatorial").toarray(), [[2, -1, -1, 0], [-1, 2, -1, 0], [-1, -1, 4, -2], [0, 0, -2, 2]]
    )
    r = 1 / np.sqrt(8)
    np.testing.assert_allclose(
        laplacian(layer, "normalized").toarray(),
        [[1, -0.5, -r, 0], [-0.5, 1, -r, 0], [-r, -r, 1, -2 * r], [0, 0, -2 * r, 1]],
        atol=1e-15,
    )


@KINDS
def test_symmetric_positive_semidefinite(layer, kind):
    result = laplacian(layer, kind)
    assert abs(result - result.T).max() <= 1e-15
    values = np.linalg.eigvalsh(result.toarray())
    assert values.min() >= -1e-12
    if kind != "combinatorial":
        assert values.max() <= 2 + 1e-12


@KINDS
@pytest.mark.parametrize("seed", range(3))
def test_as_many_zero_eigenvalues_as_components(kind, seed):
    layer = random_layer(seed=seed)
    n_components = connected_components(layer)[0]
    if kind != "combinatorial":  # where an isolated node is no component
        n_components -= isolated(layer).sum()
    values = np.linalg.eigvalsh(laplacian(layer, kind).toarray())
    assert (values < 1e-10).sum() == n_components


def test_constant_vectors_are_in_the_kernel(layer):
    np.testing.assert_allclose(laplacian(layer, "combinatorial") @ np.ones(40), 0, atol=1e-14)
    root_degrees = np.sqrt(layer.sum(axis=1))
    np.testing.assert_allclose(laplacian(layer, "normalized") @ root_degrees, 0, atol=1e-14)


@KINDS
def test_quadratic_form_is_the_sum_over_edges(layer, kind):
    vector = np.random.default_rng(1).normal(size=40)
    degrees = layer.sum(axis=1)
    scaled = vector if kind == "combinatorial" else vector / np.sqrt(np.where(degrees > 0, degrees, 1))
    edges = sp.triu(layer)
    expected = (edges.data * (scaled[edges.row] - scaled[edges.col]) ** 2).sum()
    if kind != "combinatorial":
        expected += (vector[isolated(layer)] ** 2).sum()
    assert vector @ laplacian(layer, kind) @ vector == pytest.approx(expected)


@KINDS
def test_missing_nodes_have_empty_rows_and_isolated_ones_their_convention(layer, kind):
    first, second = np.flatnonzero(isolated(layer))[:2]
    present = np.ones(40, bool)
    present[first] = False
    result = laplacian(layer, kind, present)
    assert abs(result[[first]]).sum() == 0
    assert result[second, second] == (0 if kind == "combinatorial" else 1)
    assert abs(result[[second]]).sum() == result[second, second]


@pytest.mark.parametrize("kind", ["normalized", "combinatorial"])
def test_a_graph_passes_its_masks_on(kind):
    pair = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    everyone = np.ones((4, 4))
    graph = MultilayerGraph([everyone, pair], present=[None, [True, True, True, False]])
    full, partial = (matrix.toarray() for matrix in graph.laplacians(kind))
    assert not partial[3].any()
    assert partial[2, 2] == (0 if kind == "combinatorial" else 1)
    np.testing.assert_allclose(full[0], [3, -1, -1, -1] if kind == "combinatorial" else [1, -1 / 3, -1 / 3, -1 / 3])


def test_scaling_the_weights(layer):
    np.testing.assert_allclose(
        laplacian(1e-6 * layer, "normalized").toarray(), laplacian(layer, "normalized").toarray(), atol=1e-13
    )
    np.testing.assert_allclose(
        laplacian(7 * layer, "combinatorial").toarray(), 7 * laplacian(layer, "combinatorial").toarray(), rtol=1e-12
    )


@KINDS
@pytest.mark.parametrize("weight", [5e-324, 1e-200, 1e200, 1e307])
def test_extreme_weights_are_finite(kind, weight):
    triangle = sp.csr_array(weight * (np.ones((3, 3)) - np.eye(3)))
    result = laplacian(triangle, kind).toarray()
    assert np.isfinite(result).all()
    if kind != "combinatorial":
        np.testing.assert_allclose(result, np.array([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]) / 2)


def test_the_adjacency_is_not_changed(layer):
    before = layer.copy()
    for kind in LAPLACIAN_KINDS:
        laplacian(layer, kind)
    assert abs(layer - before).nnz == 0
    assert layer.nnz == before.nnz


def test_unknown_kind(layer):
    with pytest.raises(ValueError, match=r"laplacian must be one of.*'normalized', 'combinatorial', got 'random walk'"):
        laplacian(layer, "random walk")


# Joint Laplacians


def connected_layer(seed, n_nodes=12):
    """Return random weights on all pairs."""
    upper = np.triu(np.random.default_rng(seed).random((n_nodes, n_nodes)), k=1)
    return upper + upper.T


def dense(matrices):
    return [matrix.toarray() for matrix in matrices]


@pytest.mark.parametrize("n_copies", [1, 3])
def test_joint_laplacians_of_equal_layers_are_the_normalised_one(layer, n_copies):
    for matrix in dense(MultilayerGraph([layer] * n_copies).laplacians("joint")):
        np.testing.assert_allclose(matrix, laplacian(layer, "normalized").toarray(), atol=1e-14)


def test_joint_laplacians_do_not_see_the_unit_of_a_layers_weights():
    one, other = connected_layer(0), connected_layer(1)
    for scaled in (1e-9 * other, 1e9 * other):
        expected, found = (dense(MultilayerGraph([one, x]).laplacians("joint")) for x in (other, scaled))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-14)


def test_the_mean_of_joint_laplacians_is_the_normalised_laplacian_of_the_mean_graph():
    weights = np.array([0.2, 0.5, 0.3])
    layers = [connected_layer(seed) for seed in range(3)]
    layers = [12 * layer / layer.sum() for layer in layers]  # mean degree 1
    everyone = [np.ones(12, bool)] * 3
    found, _, _ = joint_laplacians([sp.csr_array(layer) for layer in layers], everyone, weights)
    mean_graph = sum(weight * layer for weight, layer in zip(weights, layers, strict=True))
    mean = sum(weight * matrix for weight, matrix in zip(weights, dense(found), strict=True))
    np.testing.assert_allclose(mean, scipy_laplacian(mean_graph, normed=True), atol=1e-14)


def test_joint_laplacians_share_their_null_vector_and_are_positive_semidefinite():
    matrices = dense(MultilayerGraph([connected_layer(seed) for seed in range(3)]).laplacians("joint"))
    null_vectors = []
    for matrix in matrices:
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-15)
        values, vectors = np.linalg.eigh(matrix)
        assert values[0] == pytest.approx(0, abs=1e-12)
        assert values[1] > 1e-3
        null_vectors.append(vectors[:, 0] * np.sign(vectors[0, 0]))
    np.testing.assert_allclose(null_vectors, [null_vectors[0]] * 3, atol=1e-10)


def test_joint_laplacians_of_nodes_without_edges():
    """Node 3 is isolated in the second layer, node 4 absent from it, node 5 isolated in both."""
    first = np.pad(np.ones((5, 5)), (0, 1))
    second = np.pad(np.ones((3, 3)), (0, 3))
    graph = MultilayerGraph([first, second], present=[None, [True, True, True, True, False, True]])
    one, other = dense(graph.laplacians("joint"))
    np.testing.assert_array_equal(other[3:5], 0)
    assert one[3, 3] > 0 < one[4, 4]
    for matrix in (one, other):
        np.testing.assert_array_equal(matrix[5], np.eye(6)[5])
    _, informed, _ = joint_laplacians(graph.layers, graph.present, np.array([0.5, 0.5]))
    np.testing.assert_array_equal(informed, [[True] * 6, [True, True, True, False, False, True]])


def test_a_graphs_default_is_joint():
    graph = MultilayerGraph([connected_layer(0), connected_layer(1)])
    np.testing.assert_array_equal(dense(graph.laplacians()), dense(graph.laplacians("joint")))
