"""Partitions that are read off an embedding: exact twins of scikit-learn's, which it keeps private."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import _spectral as twins

from orthonet import metrics
from orthonet.clustering.embedding_partition import cluster_qr, discretize


def embedding_of(n_nodes, n_clusters, noise, seed):
    rng = np.random.default_rng(seed)
    indicator = np.eye(n_clusters)[np.arange(n_nodes) % n_clusters]
    return np.linalg.qr(indicator + noise * rng.standard_normal((n_nodes, n_clusters)))[0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("n_clusters", [2, 3, 12])
def test_the_same_labels_as_scikit_learn(n_clusters, noise, seed):
    embedding = embedding_of(150, n_clusters, noise, seed)
    before = embedding.copy()
    np.testing.assert_array_equal(cluster_qr(embedding), twins.cluster_qr(embedding))
    np.testing.assert_array_equal(discretize(embedding, seed), twins.discretize(embedding, random_state=seed))
    np.testing.assert_array_equal(embedding, before)


@pytest.mark.parametrize("find", [cluster_qr, lambda embedding: discretize(embedding, 0)], ids=["qr", "discretize"])
class TestLaws:
    def test_clear_clusters_are_found(self, find):
        embedding = embedding_of(120, 4, 0.05, 0)
        assert metrics.adjusted_rand(find(embedding), np.arange(120) % 4) == 1

    def test_a_rotation_of_the_embedding_changes_nothing(self, find):
        embedding = embedding_of(120, 4, 0.05, 0)
        rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]
        assert metrics.adjusted_rand(find(embedding @ rotation), find(embedding)) == 1

    def test_rows_and_columns_of_zeros_stay_finite(self, find):
        embedding = embedding_of(60, 3, 0.05, 0)
        embedding[:5] = 0
        embedding[:, 2] = 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert find(embedding).shape == (60,)
