"""The toy of the paper's Figure 1, which the demo draws too: one layer of nodes in a plane, and what OrthoNet makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orthonet.comparison.methods import AS_IN_THE_PAPER
from orthonet.comparison.pictures import draw_overview
from orthonet.datasets import Dataset, make_multilayer_gaussians

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from orthonet.clustering.estimator import OrthoNet

NODES, CLUSTERS, NEIGHBORS = 500, 3, 10
"""N and K of the paper's figure, and the neighbours of each node."""
SEPARATION = 6.0
"""Standard deviation of the clusters' means, so that three clusters can be seen apart."""


def make_toy(seed: int) -> Dataset:
    """Return the paper's N = 500 nodes of M = 2 features in K = 3 clusters, S = 1 layer."""
    return make_multilayer_gaussians(
        NODES, n_layers=1, n_clusters=CLUSTERS, n_neighbors=NEIGHBORS, separation=SEPARATION, random_state=seed
    )


def fit_toy(data: Dataset, seed: int) -> OrthoNet:
    """Return OrthoNet with its defaults, fitted to the toy."""
    from orthonet.clustering.estimator import OrthoNet  # brings torch, which a wrong call need not wait for

    return OrthoNet(CLUSTERS, random_state=seed, verbose=False, **AS_IN_THE_PAPER).fit(data.graph)


def draw_toy(seed: int) -> Figure:
    """Draw the five panels of Figure 1 for a toy of any seed."""
    data = make_toy(seed)
    return draw_overview(data.graph, fit_toy(data, seed))
