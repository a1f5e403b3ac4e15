"""The methods of the tables: every one with its defaults, except the number of clusters and the set's own number of neighbours.

A method is a function of a data set and a seed that returns a fitted estimator, and is given what it can use: the graph, with
its layers and features, and the feature groups where the set has some.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from orthonet import metrics
from orthonet.datasets import Dataset
from orthonet.paper.sets import load
from orthonet.report.methods import METHODS as COMPARED
from orthonet.report.methods import Method as Compared

Method = Callable[[Dataset, int], Any]


def _compared(*names: str) -> dict[str, Method]:
    """Return methods by the titles they have in the tables."""

    def on_data(method: Compared) -> Method:
        return lambda data, seed: method.fit(data.graph, data.views, data.n_clusters, seed)

    return {COMPARED[name].title: on_data(COMPARED[name]) for name in names}


PAPER_METHODS = _compared("kmeans-raw", "scml", "gmc", "plm", "mimosa", "spectralnet", "orthonet")
"""The columns of the paper's Table 2."""

OTHER_METHODS = _compared("kmeans", "spectral-features", "spectral", "leiden")
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
