"""The methods that can be compared, by short names: one registry for `orthonet compare`, `orthonet demo` and `orthonet paper`.

Each has its defaults, except the number of clusters and the seed, and is given what it can use of layers, features and views.
An estimator is loaded when it is first made, so that naming methods loads neither torch nor the packages of other authors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orthonet import baselines
from orthonet.graph.features import Features
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.optional import is_installed

Views = Mapping[str, Features] | Sequence[Features]
Fit = Callable[[int], Any]
"""From a seed to a fitted estimator."""


@dataclass(frozen=True)
class Method:
    """A way to cluster.

    Attributes
    ----------
    title : str
        Its name in tables.
    make : callable
        From the number of clusters and a seed to an estimator.
    needs_features, needs_views : bool
        Whether it cannot do without them.
    takes_views : bool
        Whether its ``fit`` has the argument ``views``.
    package : str or None
        What must be installed for it.
    """

    title: str
    make: Callable[[int, int], Any]
    needs_features: bool = False
    needs_views: bool = False
    takes_views: bool = True
    package: str | None = None

    def fit(self, graph: MultilayerGraph, views: Views | None, n_clusters: int, seed: int) -> Any:
        """Return the fitted estimator."""
        estimator = self.make(n_clusters, seed)
        return estimator.fit(graph, views=views) if self.takes_views else estimator.fit(graph)

    def missing(self, graph: MultilayerGraph, views: Views | None) -> str | None:
        """Say what the method needs and does not have, or nothing."""
        if self.needs_features and graph.features is None:
            return "needs features"
        if self.needs_views and not views:
            return "needs views"
        if self.package is not None and not is_installed(self.package):
            return f"needs {self.package}: pip install 'orthonet[rivals]'"
        return None


def fits_of(methods: Iterable[Method], graph: MultilayerGraph, views: Views | None, n_clusters: int) -> dict[str, Fit]:
    """Return, by the title of each method, the function from a seed to its fitted estimator.

    The function raises a ValueError if the method needs what is not there.
    """

    def fit_of(method: Method) -> Fit:
        def fit(seed: int) -> Any:
            missing = method.missing(graph, views)
            if missing is not None:
                raise ValueError(missing)
            return method.fit(graph, views, n_clusters, seed)

        return fit

    return {method.title: fit_of(method) for method in methods}


def layer_by_layer(graph: MultilayerGraph) -> list[Method]:
    """Return spectral clustering of each layer alone."""
    return [Method(f"spectral, layer {name!r}", _quiet("SpectralClustering", layer=name)) for name in graph.layer_names]


def _baseline(name: str, **options: Any) -> Callable[[int, int], Any]:
    return lambda n_clusters, seed: getattr(baselines, name)(n_clusters, random_state=seed, **options)


def _quiet(name: str, **options: Any) -> Callable[[int, int], Any]:
    """Return the same for a baseline that would draw a progress bar of its own."""
    return _baseline(name, verbose=False, **options)


def _leiden(n_clusters: int, seed: int) -> Any:
    return baselines.Leiden(random_state=seed)  # the number of clusters comes out, and cannot be asked for


def _orthonet(**options: Any) -> Callable[[int, int], Any]:
    def make(n_clusters: int, seed: int) -> Any:
        from orthonet.clustering.estimator import OrthoNet

        return OrthoNet(n_clusters, random_state=seed, verbose=False, **options)

    return make


AS_IN_THE_PAPER: dict[str, Any] = {"assign_labels": "kmeans", "layer_weights": None}
"""What makes OrthoNet the paper's: K-means in the embedding, all layers alike."""


METHODS = {
    "kmeans": Method("K-means", _baseline("KMeans"), needs_features=True),
    "kmeans-raw": Method("K-means, raw features", _baseline("KMeans", feature_scaling="none"), needs_features=True),
    "spectral": Method("spectral, mean of layers", _quiet("SpectralClustering")),
    "spectral-geometric": Method(
        "spectral, geometric mean of layers", _quiet("SpectralClustering", aggregation="geometric")
    ),
    "spectral-features": Method(
        "spectral, all features", _quiet("SpectralClustering", graph="features"), needs_features=True
    ),
    "scml": Method("SC-ML", _quiet("SCML")),
    "gmc": Method("GMC", _quiet("GMC")),
    "plm": Method("PLM", _quiet("PLM")),
    "mimosa": Method("MIMOSA", _quiet("MIMOSA")),
    "spectralnet": Method("SpectralNet", _quiet("SpectralNet"), needs_features=True),
    "leiden": Method("Leiden multiplex", _leiden, package="leidenalg"),
    "snf": Method("SNF", _quiet("SNF"), package="snf"),
    "mvlearn": Method("mvlearn, co-regularised", _quiet("MVLearn"), needs_views=True, package="mvlearn"),
    "orthonet": Method("OrthoNet", _orthonet(), takes_views=False),
    "orthonet-paper": Method("OrthoNet, as in the paper", _orthonet(**AS_IN_THE_PAPER), takes_views=False),
}
"""Short name, as on the command line → method."""

DEFAULT_METHODS = ("kmeans", "spectral-features", "spectral", "scml", "leiden", "orthonet")
"""What `orthonet compare` runs if no method is named: those that end in seconds on some thousand nodes."""
