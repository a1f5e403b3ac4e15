"""SC-ML: an example worked by hand, the paper's printed formula, and the matrix-free form against the dense one."""

import numpy as np
import pytest
from scipy.linalg import block_diag, subspace_angles

from orthonet import datasets
from orthonet.aggregation import projection as projection_module
from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.projection import projection
from orthonet.graph.operators import AggregatedLaplacian
from orthonet.linalg.eigen import smallest_eigenpairs


def test_an_example_worked_by_hand(problem_of):
    """Two layers of two pairs, {01, 23} and {02, 13}: L_s has eigenvalues 0, 0, 2, 2, and U_s U_sᵀ is J/2 on each pair."""
    pair = np.array([[0.0, 1.0], [1.0, 0.0]])
    first = block_diag(pair, pair)
    swap = [0, 2, 1, 3]
    second = first[np.ix_(swap, swap)]
    mean, told = projection(problem_of([first, second], "combinatorial", 1e-6, k=2), alpha=0.5)
    # Printed: L_1 + L_2 − 0.5 (U_1U_1ᵀ + U_2U_2ᵀ): diagonal 1 + 1 − 0.5 (½ + ½), each edge −1 − 0.5 · ½, no edge 0.
    printed = np.array([[1.5, -1.25, -1.25, 0], [-1.25, 1.5, 0, -1.25], [-1.25, 0, 1.5, -1.25], [0, -1.25, -1.25, 1.5]])
    np.testing.assert_allclose(mean.toarray(), printed / 2 + 0.5 * np.eye(4), atol=1e-5)
    assert told == {"solver": "exact", "alpha": 0.5}


@pytest.mark.parametrize("kind", ["joint", "normalized", "combinatorial"])
@pytest.mark.parametrize("alpha", [0.5, 3.0])
def test_is_the_printed_formula_but_for_a_factor_and_a_shift(rng, random_layers, problem_of, kind, alpha):
    problem = problem_of(random_layers(), kind)
    mean = projection(problem, alpha=alpha)[0]
    dense = [layer.toarray() for layer in problem.laplacians]
    lowest = [np.linalg.eigh(layer)[1][:, :3] for layer in dense]
    printed = sum(dense) - alpha * sum(vectors @ vectors.T for vectors in lowest)
    np.testing.assert_allclose(mean.toarray(), printed / 3 + alpha * np.eye(15), atol=1e-10)
    assert np.linalg.eigvalsh(mean.toarray())[0] > 0
    block = rng.standard_normal((15, 2))
    np.testing.assert_allclose(mean @ block, mean.toarray() @ block, atol=1e-12)


def test_weights_alpha_zero_and_one_layer(random_layers, problem_of):
    layers = random_layers()
    problem = problem_of(layers, weights=[1, 2, 3])
    np.testing.assert_allclose(projection(problem, alpha=0)[0].toarray(), arithmetic(problem)[0].toarray(), atol=1e-14)
    # A layer by itself keeps its eigenvectors; the wanted eigenvalues stay, the others rise by alpha.
    alone = problem_of(layers[:1])
    values = np.linalg.eigvalsh(alone.laplacians[0].toarray())
    raised = np.linalg.eigvalsh(projection(alone, alpha=0.7)[0].toarray())
    np.testing.assert_allclose(raised, values + 0.7 * (np.arange(15) >= 3), atol=1e-10)


def test_missing_nodes_leave_the_others_alone(random_layers, problem_of):
    """A layer that holds half the nodes, in a graph of two halves that never meet, changes that half only."""
    left, right = random_layers(n=10, n_layers=1)[0], random_layers(n=8, n_layers=1)[0]
    extra = random_layers(n=10, n_layers=1)[0]
    held = np.arange(18) < 10
    both = problem_of(
        [block_diag(left, right), block_diag(extra, np.zeros((8, 8)))], "normalized", k=4, present=[None, held]
    )
    mean = projection(both)[0].toarray()
    np.testing.assert_allclose(mean[:10, 10:], 0, atol=1e-10)
    # The first layer's four lowest eigenvectors come from both halves: what is left of alpha is told by the matrix itself.
    vectors = np.linalg.eigh(both.laplacians[0].toarray())[1][:, :4]
    expected = both.laplacians[0].toarray() + 0.5 * (np.eye(18) - vectors @ vectors.T)
    np.testing.assert_allclose(mean[10:, 10:], expected[10:, 10:], atol=1e-10)
    own = np.linalg.eigh(both.laplacians[1].toarray()[:10, :10])[1][:, :4]
    second = both.laplacians[1].toarray()[:10, :10] + 0.5 * (np.eye(10) - own @ own.T)
    np.testing.assert_allclose(mean[:10, :10], (expected[:10, :10] + second) / 2, atol=1e-10)


@pytest.mark.parametrize("kind", ["joint", "normalized"])
def test_iterative_eigenvectors_give_the_dense_mean(problem_of, monkeypatch, kind):
    """As for large N: the layers' eigenvectors from the iterative solver, with the null vectors known."""
    graph = datasets.make_multilayer_gaussians(
        300, 3, 4, separation=5.0, n_neighbors=12, weights="gaussian", random_state=3
    ).graph
    problem = problem_of(graph, kind, 1e-3, k=4)
    dense = projection(problem)[0]
    monkeypatch.setattr(
        projection_module,
        "smallest_eigenpairs",
        lambda matrix, k, rng, known: smallest_eigenpairs(matrix, k, rng, known=known, solver="lanczos"),
    )
    free = projection(problem)[0]
    np.testing.assert_allclose(free.toarray(), dense.toarray(), atol=1e-5)
    lowest = AggregatedLaplacian(free, {}).smallest_eigenvectors(4)
    assert np.cos(subspace_angles(lowest, np.linalg.eigh(dense.toarray())[1][:, :4])).min() > 0.9999


def test_more_components_than_nodes_of_a_layer(random_layers, problem_of):
    layers = random_layers()
    held = np.arange(15) < 2
    layers[0] = np.where(np.outer(held, held), 1 - np.eye(15), 0.0)
    mean = projection(problem_of(layers, present=[held, None, None], k=4))[0]
    assert mean.basis.shape == (15, 2 + 4 + 4)
    assert np.linalg.eigvalsh(mean.toarray())[0] > 0


@pytest.mark.parametrize(("alpha", "error"), [(-1, ValueError), (np.nan, ValueError), ("half", TypeError)])
def test_a_bad_alpha_is_named(random_layers, problem_of, alpha, error):
    with pytest.raises(error, match="alpha must be a finite number >= 0, got"):
        projection(problem_of(random_layers()), alpha=alpha)
