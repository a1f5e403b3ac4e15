"""Run several methods on one graph, and say how well they do: against a reference, or by themselves.

Without reference classes two things can still be seen: whether a method finds the same clusters from another seed
(stability, the mean adjusted Rand index between runs), and how far each layer supports the clusters (modularity, see
`orthonet.graph.modularity`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet import metrics
from orthonet.comparison.methods import Fit
from orthonet.graph.modularity import layer_agreement
from orthonet.graph.multilayer import MultilayerGraph

Labels = npt.NDArray[np.int64]
SCORES: dict[str, Callable[[Any, Any], float]] = {
    "purity": metrics.purity,
    "nmi": metrics.nmi,
    "ari": metrics.adjusted_rand,
    "accuracy": metrics.clustering_accuracy,
}
"""Agreement with reference classes, by the names that tables and files use."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Known classes of the nodes; those whose class is "" count in no score."""

    classes: npt.NDArray[Any]

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Which nodes have a class."""
        return np.asarray(self.classes.astype(str) != "")

    def scores(self, labels: npt.NDArray[Any]) -> dict[str, float]:
        """Return how labels agree with the classes."""
        known = self.known
        return {name: score(self.classes[known], labels[known]) for name, score in SCORES.items()}


@dataclass(frozen=True)
class Outcome:
    """What a method found, run by run; or why it found nothing."""

    method: str
    labels: tuple[Labels, ...]
    seconds: tuple[float, ...]
    estimator: Any = None
    """Of the first run."""
    failure: str | None = None

    @property
    def n_clusters(self) -> float:
        """Number of clusters, mean over the runs."""
        return float(np.mean([len(np.unique(labels)) for labels in self.labels]))

    def scores(self, reference: Reference) -> dict[str, tuple[float, float]]:
        """Return the mean and the standard deviation over the runs of each score."""
        runs = [reference.scores(labels) for labels in self.labels]
        found = {name: [run[name] for run in runs] for name in SCORES}
        return {name: (float(np.mean(values)), float(np.std(values))) for name, values in found.items()}

    def stability(self) -> float | None:
        """Return the mean adjusted Rand index between two runs, None if there was only one."""
        pairs = list(combinations(self.labels, 2))
        return float(np.mean([metrics.adjusted_rand(*pair) for pair in pairs])) if pairs else None

    def modularity(self, graph: MultilayerGraph) -> dict[str, float]:
        """Return the modularity of the clusters in each layer, mean over the runs."""
        found: dict[str, list[float]] = {name: [] for name in graph.layer_names}
        for labels in self.labels:
            codes = np.unique(labels, return_inverse=True)[1]
            for one in layer_agreement(graph, codes, int(codes.max()) + 1):
                found[one.name].append(one.modularity)
        return {name: float(np.mean(values)) for name, values in found.items()}

    def as_row(self, reference: Reference | None = None) -> dict[str, Any]:
        """Return what can be written to a file, the scores among it if there is a reference."""
        row: dict[str, Any] = {"method": self.method}
        if self.failure is not None:
            return row | {"failure": self.failure}
        row["clusters"] = round(self.n_clusters, 2)
        if reference is not None:
            for name, (mean, deviation) in self.scores(reference).items():
                row |= {name: round(mean, 4), f"{name}_deviation": round(deviation, 4)}
        stability = self.stability()
        row["stability"] = None if stability is None else round(stability, 4)
        return row | {"runs": len(self.labels), "seconds": round(float(np.mean(self.seconds)), 3)}


def compare(methods: Mapping[str, Fit], seeds: Sequence[int], *, skip_failures: bool = False) -> Iterator[Outcome]:
    """Fit each method in turn, once with each seed, and yield what it found.

    With ``skip_failures`` a method that raises yields its message, and the others go on.
    """
    for name, fit in methods.items():
        labels, seconds, first = [], [], None
        try:
            for seed in seeds:
                started = time.perf_counter()
                estimator = fit(seed)
                seconds.append(time.perf_counter() - started)
                labels.append(np.asarray(estimator.labels_))
                first = estimator if first is None else first
        except (ValueError, ImportError, FloatingPointError, MemoryError) as error:
            if not skip_failures:
                raise
            yield Outcome(name, (), (), failure=" ".join(str(error).split()) or type(error).__name__)
            continue
        yield Outcome(name, tuple(labels), tuple(seconds), first)
