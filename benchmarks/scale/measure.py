"""Measure one case: time of each stage of a default fit, peak memory of the process, and quality; printed as JSON.

    python benchmarks/scale/measure.py CASE NODES [METHOD [LIMIT]]

Stages are measured in seconds of the processor, which other work on the machine hardly changes; the whole fit by the clock too.
Memory is what ``getrusage`` says of this process, which does nothing else. A method other than "OrthoNet" is one of `rivals`. A
process that takes more seconds of the processor than the limit is ended by the system.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES, N_CLUSTERS
from rivals import RIVALS
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from orthonet import MultilayerGraph, OrthoNet, metrics
from orthonet.clustering import fit as fitting

STAGES = {
    "prepare": "prepare",
    "weigh": "evidence",
    "aggregate_layers": "aggregate",
    "learn": "train",
    "judge_clusters": "judge",
    "place": "place",
}
"""Functions of `orthonet.clustering.fit`, and what their column is called."""


def measure(case: str, n_nodes: int) -> dict[str, Any]:
    """Fit once."""
    started = time.process_time()
    graph, labels = CASES[case].make(n_nodes)
    made = time.process_time() - started
    before = _megabytes()
    seconds = dict.fromkeys(STAGES.values(), 0.0)
    for function, stage in STAGES.items():
        setattr(fitting, function, _timed(getattr(fitting, function), stage, seconds))
    started, of_processor = time.perf_counter(), time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = OrthoNet(N_CLUSTERS, random_state=0, verbose=False).fit(graph)
    taken, by_processor, peak = time.perf_counter() - started, time.process_time() - of_processor, round(_megabytes())
    memberships = [relation.incidence.nnz for relation in graph.two_mode.values()]
    return {
        "case": case,
        "n_nodes": n_nodes,
        "method": "OrthoNet",
        "n_edges": [*(layer.nnz // 2 for layer in graph.layers), *memberships],
        "graph_seconds": round(made, 2),
        "seconds": round(taken, 2),
        "processor_seconds": round(by_processor, 2),
        "stages": {stage: round(value, 2) for stage, value in seconds.items()},
        "graph_megabytes": round(before),
        "peak_megabytes": peak,
        "nmi": None if labels is None else round(metrics.nmi(labels, model.labels_), 4),
        "possible": _possible(graph, labels),
        "eigensolvers": sorted(set(model.aggregation_.get("eigensolvers", {}).values())),
        "warnings": sorted({str(one.message) for one in caught if issubclass(one.category, UserWarning)}),
    }


def measure_rival(case: str, n_nodes: int, method: str) -> dict[str, Any]:
    """Let a rival cluster the same graph."""
    graph, labels = CASES[case].make(n_nodes)
    started, of_processor = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = RIVALS[method](graph)
    return {
        "case": case,
        "n_nodes": n_nodes,
        "method": method,
        "seconds": round(time.perf_counter() - started, 2),
        "processor_seconds": round(time.process_time() - of_processor, 2),
        "peak_megabytes": round(_megabytes()),
        "nmi": None if labels is None else round(metrics.nmi(labels, found), 4),
    }


def _possible(graph: MultilayerGraph, labels: Any) -> float | None:
    """Return the NMI that who knows the components of Gaussian features has: Bayes' rule."""
    if graph.features is None or labels is None:
        return None
    known = QuadraticDiscriminantAnalysis().fit(graph.features, labels)
    return round(metrics.nmi(labels, known.predict(graph.features)), 4)


def _timed(function: Callable[..., Any], stage: str, seconds: dict[str, float]) -> Callable[..., Any]:
    def timed(*args: Any, **options: Any) -> Any:
        started = time.process_time()
        try:
            return function(*args, **options)
        finally:
            seconds[stage] += time.process_time() - started

    return timed


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    what, size, method = sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "OrthoNet"
    if len(sys.argv) > 4:
        resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[4]), int(sys.argv[4]) + 5))
    row = measure(what, size) if method == "OrthoNet" else measure_rival(what, size, method)
    print(json.dumps(row))
