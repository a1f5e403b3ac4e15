"""SC-ML, PLM and MIMOSA: their papers' formulas written out densely, what they share, and real data."""

import warnings

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.cluster import KMeans

from orthonet import MultilayerGraph, datasets, metrics
from orthonet.baselines.mimosa import MIMOSA
from orthonet.baselines.plm import PLM
from orthonet.baselines.scml import SCML
from orthonet.baselines.spectral import SpectralClustering

METHODS = [SCML(3, random_state=0), PLM(3, random_state=0), MIMOSA(3, random_state=0)]


def name_of(model):
    return type(model).__name__


@pytest.fixture
def blocks(rng):
    """Two noisy layers of three blocks; the second takes the last two blocks for one."""
    labels = np.repeat([0, 1, 2], [20, 25, 30])
    layers = []
    for seen in (labels, np.minimum(labels, 1)):
        likely = np.where(seen[:, None] == seen, 0.5, 0.06)
        edges = np.triu(rng.random(likely.shape) < likely, 1) * rng.uniform(0.5, 1.5, likely.shape)
        layers.append(edges + edges.T)
    return layers, labels


def normalized_laplacian(weights):
    root = weights.sum(axis=1) ** -0.5
    return np.eye(len(weights)) - root[:, None] * weights * root


def lowest(matrix, k):
    return eigh(matrix)[1][:, :k]


def subspace_cosine(first, second):
    return np.linalg.svd(first.T @ second, compute_uv=False).min()


def printed_scml(layers, k, alpha):
    laplacians = [normalized_laplacian(layer) for layer in layers]
    subspaces = [lowest(one, k) for one in laplacians]
    return lowest(sum(laplacians) - alpha * sum(one @ one.T for one in subspaces), k)


def printed_plm(layers, k, p):
    shifted = [normalized_laplacian(layer) + np.log(1 + abs(p)) * np.eye(len(layer)) for layer in layers]
    # The lowest eigenvectors of a mean with p < 0 are the highest of its p-th power, which is the mean of the powers.
    return eigh(sum(np.linalg.matrix_power(np.linalg.inv(one), -p) for one in shifted))[1][:, -k:]


def printed_mimosa(layers, k, weights):
    return lowest(sum(w * (np.diag(one.sum(axis=1)) - one) for w, one in zip(weights, layers, strict=True)), k)


class TestFormulas:
    @pytest.mark.parametrize("alpha", [0.0, 0.5, 2.0])
    def test_scml_is_the_printed_matrix_and_kmeans_on_unit_rows(self, blocks, alpha):
        layers, _ = blocks
        found = SCML(3, alpha=alpha, random_state=0).fit(None, layers=layers)
        printed = printed_scml(layers, 3, alpha)
        assert subspace_cosine(found.embedding_, printed) == pytest.approx(1, abs=1e-6)
        rows = printed / np.linalg.norm(printed, axis=1, keepdims=True)
        assert metrics.adjusted_rand(found.labels_, KMeans(3, n_init=20, random_state=0).fit_predict(rows)) == 1

    @pytest.mark.parametrize("p", [-1, -2, -10])
    def test_plm_is_the_printed_matrix_and_kmeans_on_its_rows(self, blocks, p):
        layers, _ = blocks
        found = PLM(3, p=float(p), random_state=0).fit(None, layers=layers)
        printed = printed_plm(layers, 3, p)
        assert subspace_cosine(found.embedding_, printed) == pytest.approx(1, abs=1e-5)
        assert metrics.adjusted_rand(found.labels_, KMeans(3, n_init=20, random_state=0).fit_predict(printed)) == 1

    def test_mimosa_is_the_combination_at_its_weights_and_kmeans_on_its_rows(self, blocks):
        layers, _ = blocks
        graph = MultilayerGraph(layers, layer_names=["three", "two"])
        found = MIMOSA(3, laplacian="combinatorial", random_state=0).fit(graph)
        assert found.layer_names_ == ("three", "two")
        assert found.layer_weights_.sum() == pytest.approx(1)
        printed = printed_mimosa(layers, 3, found.layer_weights_)
        assert subspace_cosine(found.embedding_, printed) == pytest.approx(1, abs=1e-6)
        assert metrics.adjusted_rand(found.labels_, KMeans(3, n_init=20, random_state=0).fit_predict(printed)) == 1

    def test_mimosa_trusts_the_layer_that_shows_the_clusters_and_knows_when_none_does(self, blocks, rng):
        _, labels = blocks
        noise = np.triu(rng.random((75, 75)) < 0.25, 1).astype(float)
        clear = np.where(labels[:, None] == labels, 1.0, 0.02) * (1 - np.eye(75))
        found = MIMOSA(3, random_state=0).fit(None, layers=[noise + noise.T, clear])
        assert found.layer_weights_[1] > 0.75
        assert found.reliable_ is True
        assert metrics.adjusted_rand(labels, found.labels_) == 1
        assert MIMOSA(3, random_state=0).fit(None, layers=[noise + noise.T] * 2).reliable_ is False


@pytest.mark.parametrize("model", METHODS, ids=name_of)
class TestAll:
    def test_finds_the_clouds_from_a_graph_or_from_layers(self, clouds, model):
        found = clone(model).fit(clouds.graph)
        assert metrics.nmi(clouds.labels, found.labels_) > 0.9
        assert found.embedding_.shape == (150, 3)
        same = clone(model).fit(None, layers=clouds.graph.layers, views=clouds.views)
        np.testing.assert_array_equal(found.labels_, same.labels_)
        np.testing.assert_array_equal(found.labels_, clone(model).fit_predict(clouds.graph))

    def test_one_layer_alone_is_plain_spectral_clustering(self, blocks, model):
        layers, _ = blocks
        alone = clone(model).fit(None, layers=layers[:1])
        plain = SpectralClustering(3, laplacian="normalized", random_state=0).fit(None, layers=layers[:1])
        assert subspace_cosine(alone.embedding_, plain.embedding_) == pytest.approx(1, abs=1e-5)

    def test_the_order_of_nodes_and_layers_does_not_matter(self, blocks, rng, model):
        layers, _ = blocks
        found = clone(model).fit(None, layers=layers).labels_
        order = rng.permutation(75)
        turned = clone(model).fit(None, layers=[layer[np.ix_(order, order)] for layer in layers[::-1]]).labels_
        assert metrics.adjusted_rand(turned, found[order]) == pytest.approx(1)

    def test_nodes_that_a_layer_lacks_are_clustered_by_the_others(self, clouds, model):
        masks = [np.ones(150, dtype=bool) for _ in range(3)]
        masks[1][::10] = False
        layers = [
            layer.toarray() * np.outer(mask, mask) for layer, mask in zip(clouds.graph.layers, masks, strict=True)
        ]
        found = clone(model).fit(MultilayerGraph(layers, present=masks))
        assert metrics.nmi(clouds.labels, found.labels_) > 0.85

    def test_what_it_refuses(self, clouds, model):
        with pytest.raises(ValueError, match="n_clusters must be an integer >= 2 and <= 150, got 151"):
            clone(model).set_params(n_clusters=151).fit(clouds.graph)
        with pytest.raises(TypeError, match="n_init must be an integer >= 0, got 'many'"):
            clone(model).set_params(n_init="many").fit(clouds.graph)
        with pytest.raises(ValueError, match="needs layers"):
            clone(model).fit(clouds.graph.features)
        with pytest.raises(ValueError, match="not both"):
            clone(model).fit(clouds.graph, layers=clouds.graph.layers)


def test_options_reach_the_aggregation(clouds):
    with pytest.raises(ValueError, match="alpha must be a finite number >= 0, got -1"):
        SCML(3, alpha=-1).fit(clouds.graph)
    with pytest.raises(ValueError, match="p must be a finite number, got inf"):
        PLM(3, p=np.inf).fit(clouds.graph)
    with pytest.raises(ValueError, match="n_steps must be an integer >= 1, got 0"):
        MIMOSA(3, n_steps=0).fit(clouds.graph)
    assert PLM(3, solver="compressed", random_state=0).fit(clouds.graph).aggregation_["solver"] == "compressed"


def binary_graph(views):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MultilayerGraph.from_views(views, n_neighbors=5, weights="binary")


def test_on_mfeat_they_reach_what_is_known_of_them(data_home):
    """SC-ML: the paper's row, NMI 0.878. PLM: the authors' code on the same graphs, 0.870 ± 0.033, the paper's row 0.881."""
    data = datasets.load_mfeat(data_home)
    graph = binary_graph(data.views)
    assert metrics.nmi(data.labels, SCML(10, random_state=0).fit(graph).labels_) > 0.868
    assert metrics.nmi(data.labels, PLM(10, random_state=0).fit(graph).labels_) > 0.86


def test_mimosa_ends_with_a_hundred_clusters(data_home):
    """The paper could not run it there. It ends, and knows that so many small clusters are not reliable by its measure."""
    data = datasets.load_leaves100(data_home)
    found = MIMOSA(100, n_steps=2, n_init=1, random_state=0).fit(binary_graph(data.views))
    assert len(np.unique(found.labels_)) == 100
    assert found.reliable_ is False
    assert metrics.nmi(data.labels, found.labels_) > 0.65
