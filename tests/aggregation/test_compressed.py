"""The compressed mean against its exact twin, and what it says when it cannot keep up."""

import numpy as np
import pytest
from scipy.linalg import block_diag
from sklearn.cluster import KMeans

from orthonet import MultilayerGraph, OrthoNet, aggregate, datasets, metrics
from orthonet.aggregation import compressed, dense, mean_in_basis
from orthonet.aggregation.compressed import LEAKING, compress
from orthonet.aggregation.log_euclidean import log_euclidean_mean
from orthonet.aggregation.mean_in_basis import completed_by_mean
from orthonet.linalg import eigen
from orthonet.linalg.karcher import karcher_mean
from orthonet.linalg.low_rank import IdentityPlusLowRank

KINDS = ["joint", "normalized", "combinatorial"]


def mean_cosine(first, second, k):
    products = first.smallest_eigenvectors(k).T @ second.smallest_eigenvectors(k)
    return np.linalg.svd(products, compute_uv=False).mean()


@pytest.fixture(scope="module")
def clouds():
    return datasets.make_multilayer_gaussians(400, 3, 4, 2, separation=2, weights="self-tuning", random_state=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_lowest_eigenvectors_are_those_of_the_exact_mean(clouds, kind):
    exact, small = (aggregate(clouds.graph, solver=s, n_components=4, laplacian=kind) for s in ("exact", "compressed"))
    assert isinstance(small.matrix, IdentityPlusLowRank)
    assert mean_cosine(exact, small, 4) > 0.99
    assert small.info["solver"] == "compressed"
    assert small.info["settled"]
    assert small.info["basis"] < 150


def test_in_the_basis_of_known_eigenvectors_it_is_about_the_exact_mean():
    graph = datasets.make_multilayer_gaussians(600, 3, 4, 2, separation=2, weights="self-tuning", random_state=0).graph
    exact = aggregate(graph, solver="exact", n_components=4)
    alone = [aggregate(MultilayerGraph([layer]), "arithmetic").smallest_eigenvectors(4) for layer in graph.layers]
    mean = aggregate(graph, "arithmetic").smallest_eigenvectors(4)
    known = aggregate(graph, n_components=4, starts=[*alone, mean])
    assert known.info["basis"] <= 16
    assert (known.info["rounds"], set(known.info["eigensolvers"].values())) == (0, {"known"})
    assert mean_cosine(exact, known, 4) > 0.98
    asked = aggregate(graph, solver="compressed", n_components=4)  # a basis of its own
    assert asked.info["basis"] > 16


def test_one_layer_given_three_times_is_that_layer(clouds):
    layer = clouds.graph.layers[0]
    once, thrice = (
        aggregate(MultilayerGraph([layer] * times), solver="compressed", n_components=4) for times in (1, 3)
    )
    assert mean_cosine(once, thrice, 4) > 0.9999
    alone = aggregate(MultilayerGraph([layer]), "arithmetic")
    np.testing.assert_allclose(once.smallest_eigenpairs(4)[0], alone.smallest_eigenpairs(4)[0], atol=1e-3)


def test_it_says_for_how_many_vectors_it_was_made(clouds):
    small = aggregate(clouds.graph, solver="compressed", n_components=4)
    with pytest.warns(
        UserWarning, match="compressed for its 4 lowest eigenvectors, not 20; aggregate with n_components=20"
    ):
        small.smallest_eigenvectors(20)


def test_weight_zero_is_absence_and_a_seed_decides_everything(clouds):
    graph = clouds.graph
    options = {"solver": "compressed", "n_components": 4}
    without = aggregate(MultilayerGraph(graph.layers[:2]), **options)
    silent, again = (aggregate(graph, layer_weights=[1, 1, 0], **options) for _ in range(2))
    assert mean_cosine(without, silent, 4) > 0.9999
    np.testing.assert_array_equal(silent.matrix.basis, again.matrix.basis)


def test_missing_nodes_hardly_move_the_others(clouds):
    held = np.arange(400) >= 40
    mask = held[:, None] & held
    layers = [clouds.graph.layers[0].multiply(mask), *clouds.graph.layers[1:]]
    partial = MultilayerGraph(layers, present=[held, None, None])
    exact, small = (aggregate(partial, solver=solver, n_components=4) for solver in ("exact", "compressed"))
    assert mean_cosine(exact, small, 4) > 0.97


@pytest.mark.parametrize("kind", KINDS)
def test_components_are_found_whole(kind, rng):
    """Both layers fall into the same three pieces: the three lowest eigenvectors mark them."""
    blocks = [[np.triu(rng.random((30, 30)) < 0.4, 1) for _ in range(3)] for _ in range(2)]
    layers = [block_diag(*layer) + block_diag(*layer).T for layer in blocks]
    mean = aggregate(MultilayerGraph(layers), solver="compressed", n_components=3, laplacian=kind)
    vectors = mean.smallest_eigenvectors(3)
    for piece in np.split(vectors, 3):
        directions = piece / np.linalg.norm(piece, axis=1, keepdims=True)
        assert np.abs(directions @ directions[0]).min() > 0.999


def test_it_says_when_it_does_not_settle(rng):
    """Hundreds of pairs in each layer: more null directions than any small basis holds."""
    layers = []
    for _ in range(3):
        order = rng.permutation(600)
        layer = np.zeros((600, 600))
        layer[order[::2], order[1::2]] = rng.uniform(0.5, 2, 300)
        layers.append(layer + layer.T)
    with pytest.warns(
        UserWarning, match=r"compressed mean did not settle: .* its 10 lowest eigenvectors .* solver='exact'"
    ):
        mean = aggregate(MultilayerGraph(layers), solver="compressed", n_components=10)
    assert not mean.info["settled"]


@pytest.mark.slow
def test_a_fit_with_the_compressed_mean_agrees_with_one_with_the_exact_mean(clouds, monkeypatch):
    monkeypatch.setattr(dense, "EXACT_UP_TO", 100)
    model = OrthoNet(4, random_state=0).fit(clouds.graph)
    assert model.aggregation_["solver"] == "compressed"
    monkeypatch.undo()
    assert metrics.adjusted_rand(OrthoNet(4, random_state=0).fit(clouds.graph).labels_, model.labels_) > 0.95
    np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(4), atol=1e-6)


def test_missing_nodes_are_never_called_settled(clouds):
    whole = aggregate(clouds.graph, solver="compressed", n_components=4)
    held = np.arange(400) >= 2
    layers = [clouds.graph.layers[0].multiply(held[:, None] & held), *clouds.graph.layers[1:]]
    partial = aggregate(MultilayerGraph(layers, present=[held, None, None]), solver="compressed", n_components=4)
    assert whole.info["settled"]
    assert not partial.info["settled"]
    assert partial.info["leak"] < LEAKING


def test_layers_completed_by_their_mean_have_the_exact_mean_with_missing_nodes(rng):
    """In a basis of the whole space nothing is lost: completing and averaging in turn comes to rest at that mean."""
    present = [np.arange(12) < 9, np.arange(12) > 2, np.ones(12, dtype=bool)]
    blocks = [
        cut @ cut.T / 12 + 0.1 * np.eye(len(cut)) for cut in (rng.standard_normal((m.sum(), 12)) for m in present)
    ]
    weights = np.array([0.3, 0.3, 0.4])
    exact = karcher_mean(blocks, weights, present=present, initial=np.eye(12), tol=1e-12).matrix
    basis = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    own = [basis[held].T @ block @ basis[held] for held, block in zip(present, blocks, strict=True)]
    grams = [basis[held].T @ basis[held] for held in present]
    outside = 1.7  # there is nothing outside: any number will do
    there = basis.T @ exact @ basis
    completed = [completed_by_mean(one, gram, there, outside) for one, gram in zip(own, grams, strict=True)]
    np.testing.assert_allclose(karcher_mean(completed, weights, tol=1e-12).matrix, there, atol=1e-9)
    core = np.eye(12)
    for _ in range(200):
        completed = [completed_by_mean(one, gram, core, outside) for one, gram in zip(own, grams, strict=True)]
        core = karcher_mean(completed, weights, tol=1e-12).matrix
    np.testing.assert_allclose(basis @ core @ basis.T, exact, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{"p": -10.0}, {"p": -1.0}])
def test_the_power_mean_leaks_as_little_as_the_geometric_mean(clouds, kind, options):
    how = {"solver": "compressed", "n_components": 4, "laplacian": kind}
    geometric, power = aggregate(clouds.graph, **how), aggregate(clouds.graph, "power", **options, **how)
    assert power.info["settled"]
    assert power.info["leak"] < max(2 * geometric.info["leak"], LEAKING / 4)


def test_the_unit_of_the_weights_does_not_matter(clouds):
    """Not even if each layer has its own, or one so small that a fixed tolerance would take all of it for rounding."""
    held = np.arange(400) >= 40
    holed = [clouds.graph.layers[0].multiply(held[:, None] & held), *clouds.graph.layers[1:]]
    options = {"solver": "compressed", "n_components": 4, "laplacian": "combinatorial"}
    for layers, present in ((clouds.graph.layers, None), (holed, [held, None, None])):
        plain = aggregate(MultilayerGraph(layers, present=present), **options)
        tiny = aggregate(MultilayerGraph([1e-15 * layer for layer in layers], present=present), **options)
        assert mean_cosine(plain, tiny, 4) > 0.9999
        assert tiny.info["leak"] == pytest.approx(plain.info["leak"], rel=1e-3)
    first, second, third = clouds.graph.layers
    mixed = aggregate(MultilayerGraph([1e-6 * first, second, 1e6 * third]), **options)
    assert mixed.info["settled"]
    assert mean_cosine(aggregate(clouds.graph, **options), mixed, 4) > 0.99


@pytest.mark.filterwarnings("error:the compressed mean did not settle")
@pytest.mark.parametrize("n_layers", [1, 2, 3])
@pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (5, 5), (12, 6), (12, 12)])
def test_a_basis_of_the_whole_space_is_exact(random_layers, n, k, n_layers):
    graph = MultilayerGraph(random_layers(n, n_layers))
    exact, small = (aggregate(graph, solver=s, n_components=k, tol=1e-9) for s in ("exact", "compressed"))
    assert small.info["basis"] == n
    np.testing.assert_allclose(small.to_dense(), exact.to_dense(), atol=1e-6)
    np.testing.assert_allclose(small.smallest_eigenpairs(k)[0], exact.smallest_eigenpairs(k)[0], atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_layers_that_have_no_node_in_common(kind):
    """Nothing is to be averaged then. Many nodes, so that coarse forms are made of layers that lack half of them."""
    layers = datasets.make_multilayer_gaussians(1800, 2, 2, separation=2, n_neighbors=10, random_state=3).graph.layers
    halves = [np.arange(1800) < 900, np.arange(1800) >= 900]
    apart = [layer.multiply(half[:, None] & half) for layer, half in zip(layers, halves, strict=True)]
    graph = MultilayerGraph(apart, present=halves)
    side_by_side = aggregate(graph, "arithmetic", laplacian=kind)
    small = aggregate(graph, solver="compressed", n_components=4, laplacian=kind)
    assert mean_cosine(side_by_side, small, 4) > 0.99


@pytest.mark.filterwarnings("ignore:the compressed mean did not settle")
def test_a_basis_smaller_than_the_number_of_vectors_is_named(problem_of, clouds):
    with pytest.raises(ValueError, match="max_basis must be an integer >= 4, got 3"):
        compress(problem_of(clouds.graph, k=4), log_euclidean_mean, max_basis=3)
    update, told = compress(problem_of(clouds.graph, k=4), log_euclidean_mean, max_basis=40)
    assert update.basis.shape == (400, told["basis"])
    assert told["basis"] <= 40


@pytest.fixture
def probing(monkeypatch):
    """Let small graphs take the way of large ones."""
    for module in (eigen, compressed, mean_in_basis):
        monkeypatch.setattr(module, "PROBE_ABOVE", 1500)


def test_layers_of_random_edges_are_filtered_and_say_so(probing):
    """Block models have no coarse form: nothing is coarsened."""
    blocks = datasets.make_multilayer_sbm(1600, 3, 4, kind="informative", p_in=0.03, p_out=0.004, random_state=0)
    mean = aggregate(blocks.graph, n_components=4)
    assert set(mean.info["eigensolvers"].values()) == {"chebyshev"}
    assert list(mean.info["eigensolvers"]) == list(blocks.graph.layer_names)
    labels = KMeans(4, n_init=5, random_state=0).fit_predict(mean.smallest_eigenvectors(4))
    assert metrics.nmi(blocks.labels, labels) > 0.9


def test_a_layer_in_hundreds_of_pieces_of_two_takes_what_is_known(probing):
    pairs = block_diag(*[np.array([[0.0, 1.0], [1.0, 0.0]])] * 800)
    with pytest.warns(UserWarning, match="did not settle"):
        mean = aggregate(MultilayerGraph([pairs]), n_components=4)
    assert mean.info["eigensolvers"] == {"layer 0": "known"}
    assert mean.info["rounds"] == 2
    assert not mean.info["settled"]


def test_a_solver_whose_work_did_not_suffice_is_named(probing, monkeypatch):
    monkeypatch.setattr(compressed, "MAX_PRODUCTS", 20)
    monkeypatch.setattr(compressed, "EIGEN_TOL", 1e-12)
    monkeypatch.setattr(compressed, "EIGEN_RTOL", 0.0)
    blocks = datasets.make_multilayer_sbm(1600, 2, 4, kind="informative", p_in=0.03, p_out=0.004, random_state=0)
    with pytest.warns(UserWarning, match="eigenvectors of 2 of 2 layers did not converge"):
        mean = aggregate(blocks.graph, n_components=4)
    assert set(mean.info["eigensolvers"].values()) == {"chebyshev, not converged"}
    assert not mean.info["settled"]
