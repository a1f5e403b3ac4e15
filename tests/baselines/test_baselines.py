"""The baselines take what OrthoNet takes, and find what they can."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering as TheirSpectralClustering

from orthonet import baselines, metrics
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


def test_what_they_refuse(clouds):
    from orthonet import MultilayerGraph

    with pytest.raises(ValueError, match="needs features, but the graph has none"):
        baselines.KMeans(3).fit(MultilayerGraph(clouds.graph.layers))
    with pytest.raises(ValueError, match="needs layers"):
        baselines.SpectralClustering(3).fit(clouds.graph.features)
    with pytest.raises(ValueError, match="layer must be one of 'cloud 0', 'cloud 1', 'cloud 2', got 'cloud 9'"):
        baselines.SpectralClustering(3, layer="cloud 9").fit(clouds.graph)
