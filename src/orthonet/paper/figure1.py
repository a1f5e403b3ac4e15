"""Figure 1, the toy: features, graph, learnt embedding, K-means on it, and where new nodes would fall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orthonet import metrics
from orthonet.clustering.estimator import OrthoNet
from orthonet.datasets import Dataset, make_multilayer_gaussians
from orthonet.paper.scores import NOT_MEASURED, Records, whole
from orthonet.paper.workers import Task
from orthonet.report.pictures import draw_overview

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NODES, CLUSTERS = 500, 3
SEED = 0


def tasks(quick: bool) -> list[Task]:
    """Return the one fit; it is quick anyway."""
    return [Task("toy", measure, (SEED,))]


def measure(seed: int) -> dict[str, Any]:
    """Return how well the toy's clusters are found."""
    data = toy(seed)
    return {"seed": seed, "nmi": round(metrics.nmi(data.labels, fitted(data, seed).labels_), 4)}


def toy(seed: int) -> Dataset:
    """Return the paper's N = 500 nodes of M = 2 features in K = 3 clusters, S = 1 layer."""
    return make_multilayer_gaussians(
        NODES, n_layers=1, n_clusters=CLUSTERS, n_neighbors=10, separation=6.0, random_state=seed
    )


def fitted(data: Dataset, seed: int) -> OrthoNet:
    """Return OrthoNet with its defaults, fitted to the toy."""
    return OrthoNet(CLUSTERS, random_state=seed, verbose=False).fit(data.graph)


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


def draw_toy(seed: int) -> Figure:
    """Draw the five panels for a toy of any seed."""
    data = toy(seed)
    return draw_overview(data.graph, fitted(data, seed))
