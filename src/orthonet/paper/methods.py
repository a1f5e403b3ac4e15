"""Which methods of `orthonet.comparison.methods` stand in the tables, and how one is measured.

Every one has its defaults, except the number of clusters and the set's own number of neighbours, and is given what it can use:
the graph, with its layers and features, and the feature groups where the set has some.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from orthonet import metrics
from orthonet.comparison.methods import METHODS as REGISTRY
from orthonet.comparison.methods import Method
from orthonet.comparison.outcomes import SCORES
from orthonet.datasets import Dataset
from orthonet.paper.sets import load


def _by_title(*names: str) -> dict[str, Method]:
    return {REGISTRY[name].title: REGISTRY[name] for name in names}


PAPER_METHODS = _by_title("kmeans-raw", "scml", "gmc", "plm", "mimosa", "spectralnet", "orthonet-paper")
"""The columns of the paper's Table 2."""

OTHER_METHODS = _by_title("orthonet", "kmeans", "spectral-features", "spectral", "leiden")
"""OrthoNet's default, and what people would try first. SNF is not here: it takes minutes at 2,000 nodes."""

METHODS = PAPER_METHODS | OTHER_METHODS
"""Title in the tables → method."""


def measure(method: str, data_name: str, seed: int, quick: bool) -> dict[str, Any]:
    """Return all scores of a method on a data set, and its seconds."""
    data = load(data_name, seed, quick=quick)
    return scored(data, lambda: METHODS[method].fit(data.graph, data.views, data.n_clusters, seed))


def scored(data: Dataset, fit: Callable[[], Any]) -> dict[str, Any]:
    """Return the scores of what ``fit`` returns, the number of clusters it found, and its seconds."""
    started = time.perf_counter()
    found = fit().labels_
    seconds = time.perf_counter() - started
    scores = {name: round(score(data.labels, found), 4) for name, score in (SCORES | {"rand": metrics.rand}).items()}
    return {**scores, "clusters": len(set(found.tolist())), "seconds": round(seconds, 3)}
