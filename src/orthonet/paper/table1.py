"""Table 1: one layer of all features against several layers, aggregated in three ways, by spectral clustering and by OrthoNet.

OrthoNet runs here as the paper has it: only the layers that are named, nothing added (``feature_layer=0``); the last row of
each set is its default, which adds a layer of all features.
"""

from __future__ import annotations

from typing import Any

from orthonet import baselines
from orthonet.clustering.estimator import OrthoNet
from orthonet.comparison.methods import AS_IN_THE_PAPER
from orthonet.datasets import Dataset
from orthonet.paper import scores
from orthonet.paper.methods import scored
from orthonet.paper.printed import TABLE1
from orthonet.paper.scores import Records
from orthonet.paper.sets import load, single_layer
from orthonet.paper.workers import Task

BUILT: dict[str, dict[str, Any]] = {
    "synthetic 2,000": {"n_neighbors": 20, "weights": "reciprocal", "feature_scaling": "none"},
    "Mfeat": {"n_neighbors": 5},
}
"""How a layer of all features is built: as the set's own layers are."""
AGGREGATIONS: dict[str, dict[str, Any]] = {
    "one layer": {"aggregation": "arithmetic"},
    "average": {"aggregation": "arithmetic"},
    "SC-ML": {"aggregation": "projection", "laplacian": "normalized"},
    "SPD": {"aggregation": "geometric"},
}
"""Ways of making one Laplacian, by the paper's names → settings of the learners."""
DEFAULTS = "SPD, and a layer of all features"
"""Name of the last row of each set."""
LEARNERS = ("spectral", "OrthoNet")
SEEDS = 5
"""Runs that means and deviations are taken over."""
COLUMNS = ("purity", "nmi", "ari", "rand")
"""Scores that the table shows, by their names in the records."""


def tasks(quick: bool) -> list[Task]:
    """Return every fit."""
    rows = [(learner, way) for way in AGGREGATIONS for learner in LEARNERS] + [("OrthoNet", DEFAULTS)]
    return [
        Task(
            f"{data} | {way} | {learner} | {seed}",
            measure,
            (data, way, learner, seed, quick),
            about={"data": data, "layers": way, "learner": learner, "seed": seed},
        )
        for seed in range(1 if quick else SEEDS)
        for data in BUILT
        for learner, way in rows
    ]


def measure(data_name: str, way: str, learner: str, seed: int, quick: bool) -> dict[str, Any]:
    """Return the scores of one learner on one way of making one Laplacian."""
    data = load(data_name, seed, quick=quick)
    graph = single_layer(data, **BUILT[data_name]) if way == "one layer" else data.graph
    return scored(data, lambda: _estimator(data, way, learner, seed).fit(graph))


def _estimator(data: Dataset, way: str, learner: str, seed: int) -> Any:
    if way == DEFAULTS:
        return OrthoNet(data.n_clusters, random_state=seed, verbose=False, **AS_IN_THE_PAPER)
    options: dict[str, Any] = {**AGGREGATIONS[way], "random_state": seed, "verbose": False}
    if learner == "OrthoNet":
        return OrthoNet(data.n_clusters, feature_layer=0.0, **AS_IN_THE_PAPER, **options)
    return baselines.SpectralClustering(data.n_clusters, **options)


def render(records: Records) -> str:
    """Return a Markdown table, the paper's printed numbers beside ours."""
    rows = []
    for data in BUILT:
        for way in (*AGGREGATIONS, DEFAULTS):
            printed = dict(zip(LEARNERS, TABLE1.get((data, way), ()), strict=False))
            for learner in LEARNERS:
                found = scores.of(records, data=data, layers=way, learner=learner)
                if not found and way == DEFAULTS:
                    continue
                cells = [data, way, learner, *(scores.cell(found, column) for column in COLUMNS)]
                rows.append([*cells, scores.as_printed(*printed[learner][:3]) if learner in printed else ""])
    header = ["data", "layers", "learner", "purity", "NMI", "ARI", "RI", "printed: purity / NMI / RI"]
    return scores.table(header, rows)
