"""The methods that can be compared, by short names: each with its defaults, given the layers, features and views there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orthonet import baselines
from orthonet.clustering.estimator import OrthoNet
from orthonet.graph.features import Features
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.optional import is_installed

Views = Mapping[str, Features] | Sequence[Features]


@dataclass(frozen=True)
class Method:
    """A way to cluster.

    Attributes
    ----------
    title : str
        Its name in tables.
    make : callable
        Number of clusters and seed to an estimator.
    features, views : bool
        Whether it needs them.
    package : str or None
        What must be installed for it.
    """

    title: str
    make: Callable[[int, int], Any]
    features: bool = False
    views: bool = False
    package: str | None = None

    def fit(self, graph: MultilayerGraph, views: Views | None, n_clusters: int, seed: int) -> Any:
        """Return the fitted estimator."""
        estimator = self.make(n_clusters, seed)
        return estimator.fit(graph) if isinstance(estimator, OrthoNet) else estimator.fit(graph, views=views)

    def missing(self, graph: MultilayerGraph, views: Views | None) -> str | None:
        """Say what the method needs and is not there, or nothing."""
        if self.features and graph.features is None:
            return "needs features"
        if self.views and not views:
            return "needs views"
        if self.package is not None and not is_installed(self.package):
            return f"needs {self.package}: pip install 'orthonet[rivals]'"
        return None


def _quiet(estimator: Callable[..., Any], **options: Any) -> Callable[[int, int], Any]:
    return lambda n_clusters, seed: estimator(n_clusters, random_state=seed, verbose=False, **options)


def _plain(estimator: Callable[..., Any], **options: Any) -> Callable[[int, int], Any]:
    return lambda n_clusters, seed: estimator(n_clusters, random_state=seed, **options)


METHODS = {
    "kmeans": Method("K-means", _plain(baselines.KMeans), features=True),
    "kmeans-raw": Method("K-means, raw features", _plain(baselines.KMeans, feature_scaling="none"), features=True),
    "spectral": Method("spectral, mean of layers", _quiet(baselines.SpectralClustering)),
    "spectral-features": Method(
        "spectral, all features", _quiet(baselines.SpectralClustering, graph="features"), features=True
    ),
    "scml": Method("SC-ML", _quiet(baselines.SCML)),
    "gmc": Method("GMC", _quiet(baselines.GMC)),
    "plm": Method("PLM", _quiet(baselines.PLM)),
    "mimosa": Method("MIMOSA", _quiet(baselines.MIMOSA)),
    "spectralnet": Method("SpectralNet", _quiet(baselines.SpectralNet), features=True),
    "leiden": Method(
        "Leiden multiplex", lambda n_clusters, seed: baselines.Leiden(random_state=seed), package="leidenalg"
    ),
    "snf": Method("SNF", _quiet(baselines.SNF), package="snf"),
    "mvlearn": Method("mvlearn, co-regularised", _quiet(baselines.MVLearn), views=True, package="mvlearn"),
    "orthonet": Method("OrthoNet", _quiet(OrthoNet)),
}
USUAL = ("kmeans", "spectral-features", "spectral", "scml", "leiden", "orthonet")
"""What is compared if nothing else is said: methods that end in seconds on some thousand nodes."""
