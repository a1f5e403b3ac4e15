"""Run several methods on one data set, and score them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet import metrics
from orthonet.baselines import KMeans, SpectralClustering
from orthonet.clustering.estimator import OrthoNet
from orthonet.graph.multilayer import MultilayerGraph


@dataclass(frozen=True)
class Score:
    """One method on one data set: its scores, its time, and the fitted estimator itself."""

    method: str
    purity: float
    nmi: float
    ari: float
    seconds: float
    estimator: Any

    def as_row(self) -> dict[str, str | float]:
        """Return what can be written to a file."""
        return {
            "method": self.method,
            "purity": self.purity,
            "nmi": self.nmi,
            "ari": self.ari,
            "seconds": round(self.seconds, 3),
        }


def standard_methods(graph: MultilayerGraph, n_clusters: int, random_state: int) -> dict[str, Callable[[], Any]]:
    """Return K-means, spectral clustering of each layer and of the means, and OrthoNet: quiet, each ready to be made."""

    def spectral(**how: str) -> Callable[[], Any]:
        return lambda: SpectralClustering(n_clusters, random_state=random_state, verbose=False, **how)  # type: ignore[arg-type]

    return {
        "K-means on the features": lambda: KMeans(n_clusters, random_state=random_state),
        **{f"spectral, layer {name!r}": spectral(layer=name) for name in graph.layer_names},
        "spectral, arithmetic mean": spectral(aggregation="arithmetic"),
        "spectral, geometric mean": spectral(aggregation="geometric"),
        "OrthoNet": lambda: OrthoNet(n_clusters, random_state=random_state, verbose=False),
    }


def compare(
    graph: MultilayerGraph, labels: npt.NDArray[np.generic], methods: Mapping[str, Callable[[], Any]]
) -> Iterator[Score]:
    """Fit each method in turn and yield its score against the reference ``labels``."""
    for name, make in methods.items():
        started = time.perf_counter()
        estimator = make().fit(graph)
        seconds = time.perf_counter() - started
        found = estimator.labels_
        yield Score(
            name,
            metrics.purity(labels, found),
            metrics.nmi(labels, found),
            metrics.adjusted_rand(labels, found),
            seconds,
            estimator,
        )
