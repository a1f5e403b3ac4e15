"""K-means on the features alone, standardised by default (the paper's row is on raw features)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans as PlainKMeans

from orthonet.baselines.inputs import as_features
from orthonet.graph.features import FeatureScaler, FeatureScaling
from orthonet.support.checks import check_integer, random_generator


class KMeans(ClusterMixin, BaseEstimator):
    """K-means on the node features; layers and views are accepted and ignored.

    Parameters
    ----------
    n_clusters : int, default=8
    feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
        As in `OrthoNet`; "none" gives the paper's baseline.
    n_init : int, default=20
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : array of shape (N,)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        feature_scaling: FeatureScaling = "auto",
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.feature_scaling = feature_scaling
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, layers: Sequence[Any] | None = None, views: Any = None) -> Self:
        """Cluster the rows of the features."""
        features = as_features(X)
        check_integer(self.n_clusters, "n_clusters", minimum=2, maximum=features.shape[0])
        check_integer(self.n_init, "n_init", minimum=1)
        scaled = FeatureScaler.fit(features, self.feature_scaling).transform(features)
        seed = int(random_generator(self.random_state).integers(2**31 - 1))
        self.labels_ = PlainKMeans(self.n_clusters, n_init=self.n_init, random_state=seed).fit_predict(scaled)
        return self
