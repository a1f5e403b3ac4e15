"""Figure 1, the toy: features, graph, learnt embedding, K-means on it, and where new nodes would fall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orthonet import metrics
from orthonet.comparison.toy import CLUSTERS, NODES, draw_toy, fit_toy, make_toy
from orthonet.paper.scores import NOT_MEASURED, Records, whole
from orthonet.paper.workers import Task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEED = 0
"""Of the data and of the model."""


def tasks(quick: bool) -> list[Task]:
    """Return the one fit; it is quick anyway."""
    return [Task("toy", measure, (SEED,))]


def measure(seed: int) -> dict[str, Any]:
    """Return how well the toy's clusters are found."""
    data = make_toy(seed)
    return {"seed": seed, "nmi": round(metrics.nmi(data.labels, fit_toy(data, seed).labels_), 4)}


def render(records: Records) -> str:
    """Return a sentence."""
    record = whole(records, "nmi")
    if record is None:
        return NOT_MEASURED
    return f"N = {NODES}, M = 2, K = {CLUSTERS}, S = 1, seed {record['seed']}: NMI {record['nmi']:.3f}.\n"


def draw(records: Records) -> Figure | None:
    """Draw the five panels."""
    record = whole(records, "nmi")
    return None if record is None else draw_toy(record["seed"])
