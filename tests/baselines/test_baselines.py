"""The baselines take what OrthoNet takes, and find what they can."""

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering as TheirSpectralClustering

from orthonet import baselines, metrics


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


def test_what_they_refuse(clouds):
    from orthonet import MultilayerGraph

    with pytest.raises(ValueError, match="needs features, but the graph has none"):
        baselines.KMeans(3).fit(MultilayerGraph(clouds.graph.layers))
    with pytest.raises(ValueError, match="needs layers"):
        baselines.SpectralClustering(3).fit(clouds.graph.features)
    with pytest.raises(ValueError, match="layer must be one of 'cloud 0', 'cloud 1', 'cloud 2', got 'cloud 9'"):
        baselines.SpectralClustering(3, layer="cloud 9").fit(clouds.graph)
