"""MIMOSA: its two quantities worked by hand, the weights it chooses, and whether it knows when it fails."""

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.sparse import csr_array

from orthonet import MultilayerGraph
from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.convex import convex, phase_transition
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg import eigen as eigen_module


def problem_of(layers, kind="combinatorial", epsilon=1e-3, weights=None, k=3, **more):
    return AggregationProblem.of(MultilayerGraph(layers, **more), kind, epsilon, weights, k, np.random.default_rng(0))


def block_model(rng, sizes, inside, between):
    """Unweighted edges, likelier inside the blocks."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    likely = np.where(labels[:, None] == labels, inside, between)
    edges = np.triu(rng.random(likely.shape) < likely, 1).astype(float)
    return edges + edges.T


def clique(n, weight):
    return weight * (1 - np.eye(n))


def unreliability(told):
    return told["noise"] / told["critical"]


class TestCriterion:
    def test_an_example_worked_by_hand(self):
        """Cliques of 2, 3 and 4 nodes: a clique of n nodes and weight a has the eigenvalues 0 and n a (n − 1 times)."""
        weights = block_diag(clique(2, 5.0), clique(3, 1.0), clique(4, 0.9))
        labels = np.repeat([0, 1, 2], [2, 3, 4])
        weights[0, 2] = weights[2, 0] = 0.3  # clusters 0 and 1: 0.3 / (2 · 3) = 0.05
        weights[1, 5] = weights[5, 1] = 0.8  # clusters 0 and 2: 0.8 / (2 · 4) = 0.1
        weights[4, 8] = weights[8, 4] = 0.6  # clusters 1 and 2: 0.6 / (3 · 4) = 0.05
        noise, critical = phase_transition(csr_array(-weights), labels, 3, np.random.default_rng(0))
        assert noise == pytest.approx(0.1)
        # S_{2:3}: 10 (its third does not exist), 3 + 3, 3.6 + 3.6; divided by (K − 1) n_max = 2 · 4
        assert critical == pytest.approx(6 / 8)

    def test_the_diagonal_does_not_count(self, rng):
        weights = block_model(rng, [8, 8], 0.9, 0.1)
        labels = np.repeat([0, 1], 8)
        first = phase_transition(csr_array(-weights), labels, 2, rng)
        assert phase_transition(csr_array(np.diag(rng.random(16)) - weights), labels, 2, rng) == pytest.approx(first)

    def test_empty_and_tiny_clusters(self, rng):
        weights = clique(6, 1.0)
        alone = phase_transition(csr_array(-weights), np.array([0, 0, 0, 0, 0, 2]), 3, rng)
        assert alone == pytest.approx((1.0, 0.0))  # a single node has nothing that holds it together
        one_cluster = phase_transition(csr_array(-weights), np.zeros(6, dtype=int), 3, rng)
        assert one_cluster == pytest.approx((0.0, 12 / (2 * 6)))
        assert phase_transition(csr_array(-weights), np.zeros(6, dtype=int), 1, rng) == (0.0, np.inf)

    def test_large_clusters_are_not_made_dense(self, rng, monkeypatch):
        weights = csr_array(-block_model(rng, [60, 80], 0.3, 0.02))
        labels = np.repeat([0, 1], [60, 80])
        dense = phase_transition(weights, labels, 2, rng)
        monkeypatch.setattr(eigen_module, "DENSE_UP_TO", 10)
        assert phase_transition(weights, labels, 2, rng) == pytest.approx(dense, rel=1e-4)


def test_what_is_reported_are_the_formulas_at_the_chosen_weights(rng):
    sizes, labels = [20, 25, 30], np.repeat([0, 1, 2], [20, 25, 30])
    layers = [block_model(rng, sizes, 0.7, 0.03), block_model(rng, sizes, 0.5, 0.05)]
    problem = problem_of(layers)
    mean, told = convex(problem)
    first, second = told["layer_weights"]
    assert first + second == pytest.approx(1)
    weights = first * layers[0] + second * layers[1]
    shift = first * problem.shifts[0] + second * problem.shifts[1]
    np.testing.assert_allclose(mean.toarray(), np.diag(weights.sum(axis=1)) - weights + shift * np.eye(75), atol=1e-12)
    strengths, sums = [], []
    for k in range(3):
        own = weights[np.ix_(labels == k, labels == k)]
        sums.append(np.linalg.eigvalsh(np.diag(own.sum(axis=1)) - own)[1:3].sum())
        strengths += [weights[np.ix_(labels == k, labels == other)].mean() for other in range(k)]
    assert told["noise"] == pytest.approx(max(strengths))
    assert told["critical"] == pytest.approx(min(sums) / (2 * 30))
    assert told["reliable"] is True
    assert told["solver"] == "exact"


@pytest.mark.parametrize("n_layers", [2, 3, 5])
@pytest.mark.parametrize("kind", ["joint", "normalized", "combinatorial"])
def test_an_informative_layer_beside_random_ones_gets_most_of_the_weight(rng, n_layers, kind):
    sizes = [30, 30, 30]
    layers = [block_model(rng, [90], 0.2, 0.2) for _ in range(n_layers)]
    layers[1] = block_model(rng, sizes, 0.6, 0.01)
    told = convex(problem_of(layers, kind))[1]
    assert told["layer_weights"][1] > 0.75
    assert told["reliable"] is True
    assert told["candidates"] <= 40
    given = phase_transition(
        arithmetic(problem_of(layers, kind))[0], np.repeat([0, 1, 2], sizes), 3, np.random.default_rng(0)
    )
    assert unreliability(told) < given[0] / given[1]


@pytest.mark.parametrize("kind", ["joint", "combinatorial"])
def test_layers_that_tell_different_clusters_apart_are_both_used(rng, kind):
    """Each layer sees one of three blocks and takes the other two for one: neither separates three by itself."""
    likely = [np.array([[0.5, 0.02, 0.02], [0.02, 0.3, 0.3], [0.02, 0.3, 0.3]])]
    likely.append(likely[0][::-1, ::-1])
    layers = []
    for one in likely:
        edges = np.triu(rng.random((90, 90)) < np.kron(one, np.ones((30, 30))), 1).astype(float)
        layers.append(edges + edges.T)
    told = convex(problem_of(layers, kind))[1]
    assert 0.2 <= told["layer_weights"][0] <= 0.8
    corners = [convex(problem_of([layer], kind))[1] for layer in layers]
    assert unreliability(told) < min(unreliability(corner) for corner in corners)


def test_reliable_on_clear_blocks_and_not_on_noise(rng):
    clear = [block_model(rng, [40, 40], 0.6, 0.02) for _ in range(2)]
    noise = [block_model(rng, [80], 0.2, 0.2) for _ in range(2)]
    assert convex(problem_of(clear, k=2))[1]["reliable"] is True
    assert convex(problem_of(noise, k=2))[1]["reliable"] is False


def test_the_given_weights_win_where_nothing_is_better():
    """Identical layers: any combination is the same matrix."""
    layer = block_diag(clique(5, 1.0), clique(6, 1.0))
    layer[0, 5] = layer[5, 0] = 0.5
    for n_layers in (1, 2, 3, 4):
        given = np.arange(1, n_layers + 1) / np.arange(1, n_layers + 1).sum()
        mean, told = convex(problem_of([layer] * n_layers, k=2, weights=given))
        np.testing.assert_allclose(told["layer_weights"], given)
        np.testing.assert_allclose(mean.toarray(), convex(problem_of([layer], k=2))[0].toarray(), atol=1e-12)
    assert convex(problem_of([layer], k=2))[1]["candidates"] == 1


def test_one_cluster_has_no_noise_and_keeps_the_given_weights(rng):
    layers = [block_model(rng, [20], 0.5, 0.5) for _ in range(2)]
    told = convex(problem_of(layers, k=1, weights=[1, 3]))[1]
    assert told["layer_weights"] == [0.25, 0.75]
    assert told["noise"] == 0
    assert told["reliable"] is True


@pytest.mark.parametrize("n_layers", [2, 3, 4])
@pytest.mark.parametrize("kind", ["joint", "combinatorial"])
def test_orders_of_nodes_and_layers_and_weight_zero(rng, n_layers, kind):
    layers = [block_model(rng, [20, 25, 15], 0.3 + 0.1 * s, 0.05) for s in range(n_layers)]
    weights = np.arange(1.0, n_layers + 1)
    mean, told = convex(problem_of(layers, kind, weights=weights))
    turned = convex(problem_of(layers[::-1], kind, weights=weights[::-1]))
    np.testing.assert_allclose(turned[1]["layer_weights"][::-1], told["layer_weights"], atol=1e-9)
    np.testing.assert_allclose(turned[0].toarray(), mean.toarray(), atol=1e-9)
    order = rng.permutation(60)
    permuted = convex(problem_of([layer[np.ix_(order, order)] for layer in layers], kind, weights=weights))
    np.testing.assert_allclose(permuted[1]["layer_weights"], told["layer_weights"], atol=1e-9)
    np.testing.assert_allclose(permuted[0].toarray(), mean.toarray()[np.ix_(order, order)], atol=1e-9)
    extra = block_model(rng, [60], 0.5, 0.5)
    silent = convex(problem_of([extra, *layers], kind, weights=[0, *weights]))
    np.testing.assert_allclose(silent[1]["layer_weights"], [0, *told["layer_weights"]], atol=1e-12)
    np.testing.assert_allclose(silent[0].toarray(), mean.toarray(), atol=1e-12)


def test_the_same_twice(rng):
    layers = [block_model(rng, [15, 15], 0.5, 0.1) for _ in range(4)]
    first, second = (convex(problem_of(layers, "joint", k=2)) for _ in range(2))
    assert first[1] == second[1]
    np.testing.assert_array_equal(first[0].toarray(), second[0].toarray())


def test_every_node_counts_although_the_best_layer_lacks_some(rng):
    clear, noise = block_model(rng, [20, 20], 0.7, 0.02), block_model(rng, [40], 0.3, 0.3)
    held = np.arange(40) > 2
    clear[~held] = clear[:, ~held] = 0.0
    mean, told = convex(problem_of([clear, noise], "joint", k=2, present=[held, None]))
    assert 0.9 < told["layer_weights"][0] < 1
    assert np.linalg.eigvalsh(mean.toarray())[0] > 0


def test_steps_refine_the_search(rng):
    layers = [block_model(rng, [15, 15], 0.5, between) for between in (0.05, 0.1)]
    coarse, fine = (convex(problem_of(layers, k=2), n_steps=n)[1] for n in (2, 8))
    assert coarse["candidates"] == 3
    assert fine["candidates"] == 9
    assert unreliability(fine) <= unreliability(coarse)
    with pytest.raises(ValueError, match="n_steps must be an integer >= 1, got 0"):
        convex(problem_of(layers, k=2), n_steps=0)
