"""Laws of the means of Laplacians, through the one door."""

import numpy as np
import pytest
from scipy.linalg import block_diag, subspace_angles
from scipy.sparse.linalg import LinearOperator

from orthonet import MultilayerGraph, aggregate
from orthonet.aggregation import AGGREGATIONS, dense
from orthonet.graph.laplacian import laplacian
from orthonet.linalg.spd import distance

METHODS = sorted(AGGREGATIONS)
TIGHT = {method: {"tol": 1e-10, "max_iter": 200} if method == "geometric" else {} for method in METHODS}
# A layer's own eigenvectors, and weights that are searched for, do not split into the halves of a graph.
SPLITTING = sorted(set(METHODS) - {"projection", "convex"})


@pytest.fixture
def random_graph(random_layers):
    return lambda n=20, n_layers=3: MultilayerGraph(random_layers(n, n_layers))


@pytest.mark.parametrize("kind", ["joint", "normalized", "combinatorial"])
@pytest.mark.parametrize("method", METHODS)
class TestLaws:
    def test_one_layer_given_three_times_is_that_layer(self, random_graph, method, kind):
        layer = random_graph(n_layers=1).layers[0]
        once = aggregate(MultilayerGraph([layer]), method, laplacian=kind).to_dense()
        thrice = aggregate(MultilayerGraph([layer] * 3), method, laplacian=kind, **TIGHT[method]).to_dense()
        np.testing.assert_allclose(thrice, once, atol=1e-9)

    def test_order_of_the_layers_does_not_matter(self, random_graph, method, kind):
        graph = random_graph()
        turned = MultilayerGraph(graph.layers[::-1])
        first, second = (
            aggregate(g, method, layer_weights=weights, laplacian=kind, **TIGHT[method])
            for g, weights in ((graph, [1, 2, 3]), (turned, [3, 2, 1]))
        )
        np.testing.assert_allclose(first.to_dense(), second.to_dense(), atol=1e-8)

    def test_permuting_the_nodes_permutes_the_mean(self, rng, random_graph, method, kind):
        graph = random_graph()
        order = rng.permutation(graph.n_nodes)
        permuted = MultilayerGraph([layer[order][:, order] for layer in graph.layers])
        options = {"layer_weights": [1, 2, 3], "laplacian": kind, **TIGHT[method]}
        first, second = (aggregate(g, method, **options).to_dense() for g in (graph, permuted))
        np.testing.assert_allclose(first[np.ix_(order, order)], second, atol=1e-8)

    def test_weight_zero_is_absence_and_weights_are_relative(self, random_graph, method, kind):
        graph = random_graph()
        options = {"laplacian": kind, **TIGHT[method]}
        without = aggregate(MultilayerGraph(graph.layers[:2]), method, layer_weights=[1, 3], **options).to_dense()
        silent = aggregate(graph, method, layer_weights=[2, 6, 0], **options).to_dense()
        np.testing.assert_allclose(silent, without, atol=1e-9)

    def test_a_heavier_layer_pulls_the_mean_towards_itself(self, random_graph, method, kind):
        if method == "convex":
            pytest.skip("convex chooses the weights itself")
        graph = random_graph()
        alone = aggregate(graph, method, layer_weights=[1, 0, 0], laplacian=kind).to_dense()
        gaps = [
            distance(aggregate(graph, method, layer_weights=[w, 1, 1], laplacian=kind).to_dense(), alone)
            for w in (0.1, 1, 10)
        ]
        assert gaps[0] > gaps[1] > gaps[2]

    def test_always_the_same_operator(self, rng, random_graph, method, kind):
        mean = aggregate(random_graph(), method, laplacian=kind)
        dense = mean.to_dense()
        block = rng.standard_normal((20, 3))
        assert isinstance(mean, LinearOperator)
        assert mean.shape == (20, 20)
        np.testing.assert_allclose(mean @ block, dense @ block, atol=1e-12)
        np.testing.assert_allclose(mean @ block[:, 0], dense @ block[:, 0], atol=1e-12)
        np.testing.assert_allclose(dense, dense.T)

    def test_its_eigenvectors_are_those_of_the_dense_matrix(self, random_graph, method, kind):
        mean = aggregate(random_graph(), method, laplacian=kind)
        reference = np.linalg.eigh(mean.to_dense())[1][:, :4]
        assert subspace_angles(mean.smallest_eigenvectors(4), reference).max() < 1e-6

    def test_what_it_says_about_itself_cannot_be_changed(self, random_graph, method, kind):
        mean = aggregate(random_graph(), method, laplacian=kind)
        assert mean.info["method"] == method
        with pytest.raises(TypeError):
            mean.info["method"] = "other"


def test_geometric_mean_is_positive_definite_and_below_the_arithmetic(random_graph):
    graph = random_graph()
    geometric, arithmetic = (
        aggregate(graph, method, **TIGHT[method]).to_dense() for method in ("geometric", "arithmetic")
    )
    assert np.linalg.eigvalsh(geometric)[0] > 0
    assert np.linalg.eigvalsh(arithmetic - geometric)[0] > -1e-9


def test_arithmetic_mean_of_joint_laplacians_is_the_laplacian_of_the_mean_graph(random_graph):
    graph = random_graph()
    scaled = [layer / (layer.sum() / graph.n_nodes) for layer in graph.layers]
    mean_graph = (2 * scaled[0] + scaled[1] + scaled[2]) / 4
    ours = aggregate(graph, "arithmetic", layer_weights=[2, 1, 1], epsilon=1e-9).to_dense()
    np.testing.assert_allclose(ours, laplacian(mean_graph, "normalized").toarray(), atol=1e-8)


def test_the_printed_variant_of_the_paper(random_graph):
    """One step along the *sum* of the logarithms from the *sum* of the layers, but for a scalar factor."""
    graph = random_graph()
    with pytest.warns(RuntimeWarning, match="stopped after 1 iterations"):
        ours = aggregate(graph, "geometric", step=3, max_iter=1, epsilon=0.1, laplacian="normalized").to_dense()
    layers = [one.toarray() + 0.1 * np.eye(20) for one in graph.laplacians("normalized")]
    values, vectors = np.linalg.eigh(sum(layers))
    root, inverse = (vectors * values**0.5) @ vectors.T, (vectors * values**-0.5) @ vectors.T

    def function(f, matrix):
        eigenvalues, eigenvectors = np.linalg.eigh(matrix)
        return (eigenvectors * f(eigenvalues)) @ eigenvectors.T

    printed = root @ function(np.exp, sum(function(np.log, inverse @ layer @ inverse) for layer in layers)) @ root
    ratio = np.trace(printed) / np.trace(ours)
    np.testing.assert_allclose(printed, ratio * ours, atol=1e-6 * np.abs(printed).max())


@pytest.mark.parametrize("method", SPLITTING)
def test_missing_nodes_leave_the_others_alone(random_graph, method):
    """A layer that holds half the nodes, in a graph of two halves that never meet, changes that half only."""
    parts = [random_graph(n=10, n_layers=2) for _ in range(2)]
    both = [block_diag(a.toarray(), b.toarray()) for a, b in zip(parts[0].layers, parts[1].layers, strict=True)]
    extra = random_graph(n=10, n_layers=1).layers[0].toarray()
    held = np.arange(20) < 10
    options = {"laplacian": "normalized", **TIGHT[method]}
    partial = MultilayerGraph([*both, block_diag(extra, np.zeros((10, 10)))], present=[None, None, held])
    mean = aggregate(partial, method, **options).to_dense()
    left = aggregate(MultilayerGraph([*parts[0].layers, extra]), method, **options).to_dense()
    right = aggregate(parts[1], method, **options).to_dense()
    np.testing.assert_allclose(mean, block_diag(left, right), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_a_layer_that_lacks_nodes_leaves_the_mean_positive_definite(random_layers, method):
    layers = random_layers()
    held = np.arange(15) < 9
    layers[0][~held] = layers[0][:, ~held] = 0.0
    mean = aggregate(MultilayerGraph(layers, present=[held, None, None]), method).to_dense()
    np.testing.assert_allclose(mean, mean.T, atol=1e-15)
    assert np.linalg.eigvalsh(mean)[0] > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["joint", "normalized", "combinatorial"])
def test_isolated_nodes_and_pieces_give_finite_numbers(method, kind):
    pieces = block_diag(1 - np.eye(3), 1 - np.eye(3), [[0.0]])
    chain = np.diag(np.ones(6), 1)
    mean = aggregate(MultilayerGraph([pieces, chain + chain.T]), method, laplacian=kind).to_dense()
    assert np.isfinite(mean).all()
    assert np.linalg.eigvalsh(mean)[0] > 0


def test_a_layer_in_more_pieces_than_clusters_warns_with_its_name():
    pairs = np.kron(np.eye(4), [[0, 1], [1, 0]])
    with pytest.warns(UserWarning, match="layer 'pairs': 4 components, 0 isolated nodes, but 2 clusters wanted"):
        aggregate(MultilayerGraph([pairs], layer_names=["pairs"]), "arithmetic", n_components=2)


@pytest.mark.filterwarnings("ignore:the compressed mean did not settle")  # random layers have no low-dimensional mean
@pytest.mark.parametrize(
    ("method", "name"), [("geometric", "geometric"), ("log-euclidean", "log-Euclidean"), ("power", "power")]
)
def test_auto_is_compressed_beyond_a_size_and_exact_has_an_end(random_graph, monkeypatch, method, name):
    graph = random_graph(n=30)
    monkeypatch.setattr(dense, "EXACT_UP_TO", 20)
    assert aggregate(graph, method, n_components=1).info["solver"] == "compressed"
    monkeypatch.setattr(dense, "EXACT_AT_MOST", 10)
    told = rf"exact {name} mean .* 30 nodes are more than the 10 it is made for\. Pass solver='compressed'"
    with pytest.raises(ValueError, match=told):
        aggregate(graph, method, solver="exact")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "harmonic"}, ValueError, "method must be one of .*'arithmetic', 'geometric'.*, got 'harmonic'"),
        ({"solver": "magic"}, ValueError, "solver must be one of"),
        ({"laplacian": "signless"}, ValueError, "laplacian must be one of 'joint', 'normalized', 'combinatorial'"),
        ({"epsilon": 0}, ValueError, "epsilon must be a finite number > 0, got 0"),
        ({"epsilon": "small"}, TypeError, "epsilon must be a finite number > 0, got 'small'"),
        ({"layer_weights": [1, 2]}, ValueError, "one number for each of the 3 layers"),
        ({"layer_weights": [1, -2, 0]}, ValueError, "finite and >= 0"),
        ({"layer_weights": [0, 0, 0]}, ValueError, "all 0"),
        ({"n_components": 21}, ValueError, "n_components must be an integer >= 1 and <= 20, got 21"),
        ({"speed": 3}, TypeError, "unknown option 'speed': method 'geometric' takes dtype, max_iter, step, tol"),
    ],
)
def test_bad_arguments_are_named(random_graph, arguments, error, message):
    with pytest.raises(error, match=message):
        aggregate(random_graph(), **arguments)


def test_not_a_graph():
    with pytest.raises(TypeError, match="graph must be a MultilayerGraph, got ndarray"):
        aggregate(np.eye(3))
