"""The methods of the tables: every one with its defaults, except the number of clusters and the set's own number of neighbours.

A method is a function of a data set and a seed that returns a fitted estimator, and is given what it can use: the graph, with
its layers and features, and the feature groups where the set has some.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from orthonet import baselines, metrics
from orthonet.clustering.estimator import OrthoNet
from orthonet.datasets import Dataset
from orthonet.paper.sets import load

Method = Callable[[Dataset, int], Any]


def _on_graph(make: Callable[..., Any], **options: Any) -> Method:
    return lambda data, seed: make(data.n_clusters, random_state=seed, verbose=False, **options).fit(data.graph)


def _on_features(make: Callable[..., Any], **options: Any) -> Method:
    return lambda data, seed: make(data.n_clusters, random_state=seed, **options).fit(data.graph)


def _on_views(make: Callable[..., Any], **options: Any) -> Method:
    def fit(data: Dataset, seed: int) -> Any:
        return make(data.n_clusters, random_state=seed, verbose=False, **options).fit(data.graph, views=data.views)

    return fit


PAPER_METHODS: dict[str, Method] = {
    "K-means, raw features": _on_features(baselines.KMeans, feature_scaling="none"),
    "SC-ML": _on_graph(baselines.SCML),
    "GMC": _on_views(baselines.GMC),
    "PLM": _on_graph(baselines.PLM),
    "MIMOSA": _on_graph(baselines.MIMOSA),
    "SpectralNet": _on_graph(baselines.SpectralNet),
    "OrthoNet": _on_graph(OrthoNet),
}
"""The columns of the paper's Table 2."""

OTHER_METHODS: dict[str, Method] = {
    "K-means": _on_features(baselines.KMeans),
    "spectral, all features": _on_graph(baselines.SpectralClustering, graph="features"),
    "spectral, mean of layers": _on_graph(baselines.SpectralClustering),
    "Leiden multiplex": lambda data, seed: baselines.Leiden(random_state=seed).fit(data.graph),
}
"""What people would try first, and the paper does not show. SNF is not here: it takes minutes at 2,000 nodes."""

METHODS = PAPER_METHODS | OTHER_METHODS


def measure(method: str, data_name: str, seed: int, quick: bool) -> dict[str, Any]:
    """Return all scores of a method on a data set, and its seconds."""
    data = load(data_name, seed, quick=quick)
    return scored(data, lambda: METHODS[method](data, seed))


def scored(data: Dataset, fit: Callable[[], Any]) -> dict[str, Any]:
    """Return the scores of what ``fit`` returns, the number of clusters it found, and its seconds."""
    started = time.perf_counter()
    found = fit().labels_
    seconds = time.perf_counter() - started
    return {
        "purity": round(metrics.purity(data.labels, found), 4),
        "nmi": round(metrics.nmi(data.labels, found), 4),
        "ari": round(metrics.adjusted_rand(data.labels, found), 4),
        "rand": round(metrics.rand(data.labels, found), 4),
        "accuracy": round(metrics.clustering_accuracy(data.labels, found), 4),
        "clusters": len(set(found.tolist())),
        "seconds": round(seconds, 3),
    }
