"""Measure one case: time of each stage of a default fit, peak memory of the process, and quality; printed as JSON.

    python benchmarks/scale/measure.py CASE NODES

Stages are measured in seconds of the processor, which other work on the machine hardly changes; the whole fit by the clock too.
Memory is what ``getrusage`` says of this process, which does nothing else.
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

from orthonet import OrthoNet, metrics
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
    return {
        "case": case,
        "n_nodes": n_nodes,
        "n_edges": [layer.nnz // 2 for layer in graph.layers],
        "graph_seconds": round(made, 2),
        "seconds": round(time.perf_counter() - started, 2),
        "processor_seconds": round(time.process_time() - of_processor, 2),
        "stages": {stage: round(value, 2) for stage, value in seconds.items()},
        "graph_megabytes": round(before),
        "peak_megabytes": round(_megabytes()),
        "nmi": None if labels is None else round(metrics.nmi(labels, model.labels_), 4),
        "eigensolvers": sorted(set(model.aggregation_.get("eigensolvers", {}).values())),
        "warnings": sorted({str(one.message) for one in caught if issubclass(one.category, UserWarning)}),
    }


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
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
