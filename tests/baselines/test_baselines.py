"""The baselines take what OrthoNet takes, and find what they can."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.cluster import SpectralClustering as TheirSpectralClustering

from orthonet import MultilayerGraph, baselines, datasets, metrics
from orthonet.aggregation import dense


def test_kmeans_uses_features_only(clouds):
    by_graph = baselines.KMeans(3, random_state=0).fit(clouds.graph)
    by_features = baselines.KMeans(3, random_state=0).fit(clouds.graph.features)
    np.testing.assert_array_equal(by_graph.labels_, by_features.labels_)
    assert metrics.nmi(clouds.labels, by_graph.labels_) > 0.95


@pytest.mark.parametrize("aggregation", ["arithmetic", "geometric"])
def test_spectral_clustering_of_a_mean(clouds, aggregation):
    found = baselines.SpectralClustering(3, aggregation=aggregation, random_state=0).fit(clouds.graph)
    assert metrics.nmi(clouds.labels, found.labels_) > 0.9
    same = baselines.SpectralClustering(3, aggregation=aggregation, random_state=0).fit(
        None, layers=clouds.graph.layers
    )
    np.testing.assert_array_equal(found.labels_, same.labels_)


def test_spectral_clustering_of_one_layer_agrees_with_scikit_learn(clouds):
    layer = clouds.graph.layers[0]
    ours = baselines.SpectralClustering(3, layer=clouds.graph.layer_names[0], random_state=0).fit(clouds.graph)
    theirs = TheirSpectralClustering(3, affinity="precomputed", random_state=0).fit(layer)
    assert metrics.adjusted_rand(ours.labels_, theirs.labels_) > 0.9


def test_a_compressed_mean_is_made_for_the_clusters_asked_for(clouds, monkeypatch):
    monkeypatch.setattr(dense, "EXACT_UP_TO", 100)
    found = baselines.SpectralClustering(15, aggregation="geometric", random_state=0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found.fit(clouds.graph)
    assert not any("was compressed for" in str(one.message) for one in told)


def test_kmeans_takes_views_and_layers_and_ignores_them(clouds):
    plain = baselines.KMeans(3, random_state=0).fit(clouds.graph).labels_
    more = baselines.KMeans(3, random_state=0).fit(clouds.graph, layers=clouds.graph.layers, views=clouds.views)
    np.testing.assert_array_equal(plain, more.labels_)


def test_kmeans_raw_and_standardised(rng):
    """Noise in a large unit drowns the clusters, unless columns are standardised."""
    labels = np.repeat([0, 1], 60)
    features = np.column_stack([labels + 0.05 * rng.standard_normal(120), 1e3 * rng.standard_normal(120)])
    raw = baselines.KMeans(2, feature_scaling="none", random_state=0).fit(features).labels_
    standardised = baselines.KMeans(2, random_state=0).fit(features).labels_
    assert metrics.adjusted_rand(labels, raw) < 0.2
    assert metrics.adjusted_rand(labels, standardised) > 0.9


class TestOneGraphOfAllFeatures:
    def test_is_spectral_clustering_of_the_layer_that_from_views_builds(self, clouds):
        features = clouds.graph.features
        found = baselines.SpectralClustering(3, graph="features", n_neighbors=7, weights="binary", random_state=0)
        layer = MultilayerGraph.from_views([features], 7, "binary").layers[0]
        by_layer = baselines.SpectralClustering(3, random_state=0).fit(None, layers=[layer])
        np.testing.assert_array_equal(found.fit(features).labels_, by_layer.labels_)
        np.testing.assert_array_equal(found.fit(clouds.graph, views=clouds.views).labels_, by_layer.labels_)
        assert metrics.nmi(clouds.labels, found.labels_) > 0.9

    def test_sparse_rows_are_compared_by_their_direction(self, clouds):
        """Documents that say the same at ten times the length are the same."""
        words = np.exp(clouds.graph.features)
        lengths = np.where(np.arange(150) % 2, 10.0, 1.0)[:, None]
        model = baselines.SpectralClustering(3, graph="features", random_state=0)
        short, long = (model.fit(csr_array(rows)).labels_ for rows in (words, words * lengths))
        assert metrics.adjusted_rand(short, long) == 1

    def test_what_it_refuses(self, clouds):
        with pytest.raises(ValueError, match="graph must be one of 'layers', 'features', got 'views'"):
            baselines.SpectralClustering(3, graph="views").fit(clouds.graph)
        with pytest.raises(ValueError, match="layer='cloud 0' names a layer, but graph='features' uses none"):
            baselines.SpectralClustering(3, graph="features", layer="cloud 0").fit(clouds.graph)
        with pytest.raises(ValueError, match="needs features, but the graph has none"):
            baselines.SpectralClustering(3, graph="features").fit(MultilayerGraph(clouds.graph.layers))

    def test_on_mfeat_it_comes_near_scikit_learn(self, data_home):
        """NMI 0.947 for scikit-learn's on its own graph of 5 neighbours."""
        data = datasets.load_mfeat(data_home)
        found = baselines.SpectralClustering(10, graph="features", n_neighbors=5, weights="binary", random_state=0)
        assert metrics.nmi(data.labels, found.fit(np.hstack(data.views)).labels_) == pytest.approx(0.947, abs=0.01)


def test_what_they_refuse(clouds):
    with pytest.raises(ValueError, match="needs features, but the graph has none"):
        baselines.KMeans(3).fit(MultilayerGraph(clouds.graph.layers))
    with pytest.raises(ValueError, match="needs layers"):
        baselines.SpectralClustering(3).fit(clouds.graph.features)
    with pytest.raises(ValueError, match="layer must be one of 'cloud 0', 'cloud 1', 'cloud 2', got 'cloud 9'"):
        baselines.SpectralClustering(3, layer="cloud 9").fit(clouds.graph)
