"""The adapters to other people's packages: run for real where these are installed, and plain about it where they are not."""

import sys

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils import check_array

from orthonet import MultilayerGraph, datasets, metrics
from orthonet.baselines import mvlearn as mvlearn_module
from orthonet.baselines import snf as snf_module
from orthonet.baselines.leiden import Leiden, _as_igraph
from orthonet.baselines.mvlearn import MVLearn
from orthonet.baselines.snf import SNF


def clique_pair(inside, bridge):
    """Two cliques of 6 nodes, with a weak bridge between them."""
    weights = np.kron(np.eye(2), np.full((6, 6), inside)) * (1 - np.eye(12))
    weights[0, 6] = weights[6, 0] = bridge
    return weights


class TestLeiden:
    @pytest.fixture(autouse=True)
    def _package(self):
        pytest.importorskip("leidenalg", reason="needs leidenalg: pip install 'orthonet[rivals]'")

    def test_finds_the_clouds_and_their_number(self, clouds):
        found = Leiden(random_state=0).fit(clouds.graph)
        assert metrics.nmi(clouds.labels, found.labels_) > 0.75
        assert found.n_clusters_ == len(np.unique(found.labels_)) >= 3
        assert (np.diff(np.bincount(found.labels_)) <= 0).all()
        same = Leiden(random_state=0).fit(None, layers=clouds.graph.layers, views=clouds.views)
        np.testing.assert_array_equal(found.labels_, same.labels_)

    def test_modularity_is_its_formula_in_each_layer(self, clouds):
        found = Leiden(random_state=0).fit(clouds.graph)
        together = found.labels_[:, None] == found.labels_
        for layer, told in zip(clouds.graph.layers, found.modularity_, strict=True):
            weights = layer.toarray()
            degrees = weights.sum(axis=1)
            expected = np.outer(degrees, degrees) / degrees.sum()
            assert told == pytest.approx(((weights - expected) * together).sum() / degrees.sum())

    def test_edge_and_layer_weights_count(self):
        """A complete layer has groups by its weights alone, and a layer at 0 is not heard."""
        first = np.repeat([0, 1], 6)
        np.testing.assert_array_equal(Leiden(random_state=0).fit(None, layers=[clique_pair(1, 0.1)]).labels_, first)
        across = np.arange(12) % 2
        other = np.where(across[:, None] == across, 5.0, 0.1) * (1 - np.eye(12))
        layers = [clique_pair(1, 0.1), other]
        only = [Leiden(layer_weights=w, random_state=0).fit(None, layers=layers).labels_ for w in ([1, 0], [0, 1])]
        assert metrics.adjusted_rand(only[0], first) == 1
        assert metrics.adjusted_rand(only[1], across) == 1

    def test_igraph_gets_each_edge_once_with_its_weight(self, rng):
        weights = np.triu(rng.random((9, 9)) * (rng.random((9, 9)) < 0.5), 1)
        graph = _as_igraph(csr_array(weights + weights.T))
        assert graph.vcount() == 9
        assert graph.ecount() == np.count_nonzero(weights)
        back = np.zeros((9, 9))
        for edge in graph.es:
            back[edge.tuple] = edge["weight"]
        np.testing.assert_array_equal(back, weights)

    def test_what_it_refuses(self, clouds):
        with pytest.raises(ValueError, match="one finite number for each of the 3 layers"):
            Leiden(layer_weights=[1, 2]).fit(clouds.graph)
        with pytest.raises(ValueError, match="n_iterations must be an integer >= 1, got 0"):
            Leiden(n_iterations=0).fit(clouds.graph)

    def test_on_mfeat_it_reaches_what_is_known_of_it(self, data_home):
        """leidenalg itself on the same graphs: NMI 0.928 ± 0.001, and 9 groups."""
        data = datasets.load_mfeat(data_home)
        found = Leiden(random_state=0).fit(MultilayerGraph.from_views(data.views, n_neighbors=5, weights="binary"))
        assert metrics.nmi(data.labels, found.labels_) == pytest.approx(0.928, abs=0.01)
        assert found.n_clusters_ == 9


class TestSNF:
    @pytest.fixture(autouse=True)
    def _package(self):
        pytest.importorskip("snf", reason="needs snfpy: pip install 'orthonet[rivals]'")

    def test_finds_the_clouds_from_views_and_from_layers(self, clouds):
        by_views = SNF(3, random_state=0).fit(None, views=clouds.views)
        by_layers = SNF(3, random_state=0).fit(clouds.graph)
        for found in (by_views, by_layers):
            assert metrics.nmi(clouds.labels, found.labels_) > 0.9
        named = dict(zip("abc", clouds.views, strict=True))
        np.testing.assert_array_equal(SNF(3, random_state=0).fit(clouds.graph, views=named).labels_, by_views.labels_)

    def test_dense_views_are_scaled_as_snfpy_scales_them(self, clouds, rng):
        """Its own z-scores divide by another deviation, which the kernel does not see."""
        snf = snf_module._snf()
        units = [view * rng.uniform(0.1, 10, view.shape[1]) for view in clouds.views]
        by_us = [snf.make_affinity(view, normalize=False) for view in snf_module.as_dense_views(units, "auto")]
        by_them = [snf.make_affinity(view, normalize=True) for view in units]
        np.testing.assert_allclose(snf.snf(*by_us), snf.snf(*by_them), atol=1e-8)

    def test_nobody_elses_snfpy_is_changed(self, clouds):
        import snf.compute

        SNF(3, random_state=0).fit(None, views=clouds.views)
        assert snf.compute.check_array is check_array

    def test_a_node_without_edges_breaks_nothing(self, clouds):
        layers = [layer.toarray() for layer in clouds.graph.layers]
        layers[0][5] = layers[0][:, 5] = 0
        found = SNF(3, random_state=0).fit(None, layers=layers)
        assert metrics.nmi(clouds.labels, found.labels_) > 0.9

    def test_what_it_refuses(self, clouds, monkeypatch):
        with pytest.raises(ValueError, match="views must have at least 2 feature groups, got 1"):
            SNF(3).fit(None, views=clouds.views[:1])
        with pytest.raises(ValueError, match="two layers or more, got 1"):
            SNF(3).fit(None, layers=clouds.graph.layers[:1])
        with pytest.raises(ValueError, match=r"views\[1\] has 9 rows, but the graph has 150 nodes"):
            SNF(3).fit(None, views=[clouds.views[0], clouds.views[1][:9]])
        masks = [np.ones(150, dtype=bool) for _ in range(3)]
        masks[1][:4] = False
        layers = [layer.toarray() * np.outer(m, m) for layer, m in zip(clouds.graph.layers, masks, strict=True)]
        with pytest.raises(ValueError, match="every node in every layer, but 4 are missing"):
            SNF(3).fit(MultilayerGraph(layers, present=masks))
        with pytest.raises(ValueError, match="n_neighbors must be an integer >= 1 and <= 149, got 150"):
            SNF(3, n_neighbors=150).fit(clouds.graph)
        monkeypatch.setattr(snf_module, "AT_MOST", 100)
        with pytest.raises(ValueError, match=r"dense N x N arrays in O.* 150 nodes are more than the 100"):
            SNF(3).fit(clouds.graph)


class TestMVLearn:
    @pytest.fixture(autouse=True)
    def _package(self):
        pytest.importorskip("mvlearn", reason="needs mvlearn: pip install 'orthonet[rivals]'", exc_type=ImportError)

    def test_finds_the_clouds(self, clouds):
        found = MVLearn(3, random_state=0).fit(clouds.graph, views=clouds.views)
        assert metrics.nmi(clouds.labels, found.labels_) > 0.9
        assert found.embedding_.shape == (150, 9)
        again = MVLearn(3, random_state=0).fit(None, views=dict(zip("abc", clouds.views, strict=True)))
        assert metrics.adjusted_rand(found.labels_, again.labels_) == 1

    def test_sparse_views(self, clouds):
        words = [csr_array(np.maximum(view, 0)) for view in clouds.views]
        by_rows = MVLearn(3, random_state=0).fit(None, views=words)
        dense = [one.toarray() for one in words]
        same = MVLearn(3, feature_scaling="unit", random_state=0).fit(None, views=dense)
        assert metrics.adjusted_rand(by_rows.labels_, same.labels_) == 1

    def test_the_global_generator_is_left_alone(self, clouds):
        np.random.seed(7)  # noqa: NPY002
        expected = np.random.random(3)  # noqa: NPY002
        np.random.seed(7)  # noqa: NPY002
        MVLearn(3, random_state=0).fit(None, views=clouds.views)
        np.testing.assert_array_equal(np.random.random(3), expected)  # noqa: NPY002

    def test_what_it_refuses(self, clouds, monkeypatch):
        with pytest.raises(ValueError, match="starts from feature groups, not from layers"):
            MVLearn(3).fit(clouds.graph)
        with pytest.raises(ValueError, match="at least 2 feature groups, got 1"):
            MVLearn(3).fit(None, views=clouds.views[:1])
        with pytest.raises(ValueError, match="agreement must be a finite number > 0, got 0"):
            MVLearn(3, agreement=0).fit(None, views=clouds.views)
        monkeypatch.setattr(mvlearn_module, "AT_MOST", 100)
        with pytest.raises(ValueError, match="150 nodes are more than the 100"):
            MVLearn(3).fit(None, views=clouds.views)


@pytest.mark.parametrize(
    ("model", "module", "advice"),
    [
        (Leiden(), "leidenalg", r"Leiden needs the package 'leidenalg'.*orthonet\[rivals\]"),
        (SNF(3), "snf", r"SNF needs the package 'snf'.*orthonet\[rivals\]"),
        (MVLearn(3), "mvlearn", r"needs the package 'mvlearn'.*orthonet\[rivals\]"),
    ],
    ids=["leiden", "snf", "mvlearn"],
)
def test_a_missing_package_is_named_with_what_brings_it(clouds, monkeypatch, model, module, advice):
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=advice):
        clone(model).fit(clouds.graph, views=clouds.views)
